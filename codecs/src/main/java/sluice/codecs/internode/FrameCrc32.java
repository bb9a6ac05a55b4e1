package sluice.codecs.internode;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/**
 * The checksum of payloads and handshakes ({@code org.apache.cassandra.net.Crc.crc32}): zlib's
 * CRC32, which is fed {@code FA 2D 55 CA} first. Little endian behind a payload, big endian in a
 * handshake.
 *
 * <p>One instance per event loop or connection, used again and again. A buffer in one piece is read
 * through its own NIO view, so nothing is allocated but what that buffer keeps; one in several
 * pieces is read piece by piece.
 */
public final class FrameCrc32 {
  private static final byte[] SEED = {(byte) 0xFA, 0x2D, 0x55, (byte) 0xCA};

  private final CRC32 crc = new CRC32();

  /** Begins a new sum. */
  public FrameCrc32 reset() {
    crc.reset();
    crc.update(SEED, 0, SEED.length);
    return this;
  }

  /** Goes on with {@code length} bytes from index. Borrows the buffer. */
  public FrameCrc32 update(ByteBuf buffer, int index, int length) {
    if (buffer.nioBufferCount() == 1) {
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
