package sluice.codecs.internode;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/**
 * Checksum of payloads and handshakes ({@code org.apache.cassandra.net.Crc.crc32}): zlib's CRC32
 * over {@code FA 2D 55 CA} and then the bytes. It is little endian after a payload, and big endian
 * in a handshake.
 *
 * <p>One instance for each event loop or connection, used again and again. Short ranges are copied
 * to be summed. Longer ones are read through the buffer's own NIO view, or views if it has several.
 * Only those views are allocated.
 */
public final class FrameCrc32 {
  private static final byte[] SEED = {(byte) 0xFA, 0x2D, 0x55, (byte) 0xCA};

  /** Copying a shorter range is cheaper than a view of it. */
  private static final int COPIED_BELOW = 1024;

  private final CRC32 crc = new CRC32();
  private final byte[] copied = new byte[COPIED_BELOW];

  /** Starts a new sum. */
  public FrameCrc32 reset() {
    crc.reset();
    crc.update(SEED, 0, SEED.length);
    return this;
  }

  /** Adds {@code length} bytes from index to the sum. Borrows the buffer. */
  public FrameCrc32 update(ByteBuf buffer, int index, int length) {
    if (length < COPIED_BELOW) {
      buffer.getBytes(index, copied, 0, length);
      crc.update(copied, 0, length);
    } else if (buffer.nioBufferCount() == 1) {
      crc.update(buffer.internalNioBuffer(index, length));
    } else {
      for (ByteBuffer view : buffer.nioBuffers(index, length)) {
        crc.update(view);
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
