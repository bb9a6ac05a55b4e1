package sluice.codecs.split;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** CRC32C of a chunk, which is stored as the flags of its item. Owned by one thread. */
public final class ChunkSum {
  private final CRC32C crc = new CRC32C();

  /** Starts the sum of the next chunk. */
  public ChunkSum reset() {
    crc.reset();
    return this;
  }

  /** Adds the readable bytes. Borrows bytes, moves no index. */
  public void add(ByteBuf bytes) {
    int from = bytes.readerIndex();
    int length = bytes.readableBytes();
    if (bytes.nioBufferCount() == 1) {
      crc.update(bytes.nioBuffer(from, length));
      return;
    }
    for (ByteBuffer each : bytes.nioBuffers(from, length)) {
      crc.update(each);
    }
  }

  /** The sum of all bytes since {@link #reset}. */
  public int sum() {
    return (int) crc.getValue();
  }
}
