package sluice.codecs.internode;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/**
 * The checksum of payloads and handshakes ({@code org.apache.cassandra.net.Crc.crc32}): zlib's
 * CRC32, which is fed {@code FA 2D 55 CA} first. Little endian behind a payload, big endian in a
 * handshake.
 *
 * <p>One instance per event loop or connection, used again and again. A few bytes are copied to be
 * summed. More of them are read through the buffer's own NIO view, so nothing is allocated but what
 * that buffer keeps, or piece by piece if it has several.
 */
public final class FrameCrc32 {
  private static final byte[] SEED = {(byte) 0xFA, 0x2D, 0x55, (byte) 0xCA};

  /** Below this a copy is cheaper than a view. */
  private static final int COPIED_BELOW = 1024;

  private final CRC32 crc = new CRC32();
  private final byte[] copied = new byte[COPIED_BELOW];

  /** Begins a new sum. */
  public FrameCrc32 reset() {
    crc.reset();
    crc.update(SEED, 0, SEED.length);
    return this;
  }

  /** Goes on with {@code length} bytes from index. Borrows the buffer. */
  public FrameCrc32 update(ByteBuf buffer, int index, int length) {
    if (length < COPIED_BELOW) {
      buffer.getBytes(index, copied, 0, length);
      crc.update(copied, 0, length);
    } else if (buffer.nioBufferCount() == 1) {
      crc.update(buffer.internalNioBuffer(index, length));
    } else {
      for (ByteBuffer piece : buffer.nioBuffers(index, length)) {
        crc.update(piece);
      }
    }
    return this;
  }

  public int value() {
    return (int) crc.getValue();
  }

  /** The sum of one range. Borrows the buffer. */
  public int of(ByteBuf buffer, int index, int length) {
    return reset().update(buffer, index, length).value();
  }
}
