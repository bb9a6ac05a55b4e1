package sluice.codecs;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.Random;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.buffer.Slices;

/** Values in pieces, for tests. */
public final class SliceLists {
  private SliceLists() {}

  /** The bytes in pieces of size bytes, the last one shorter. The caller clears the queue. */
  public static SliceList of(byte[] bytes, int size) {
    SliceList queue = new SliceList(new Slices());
    for (int at = 0; at < bytes.length; at += size) {
      queue.add(direct(bytes, at, Math.min(size, bytes.length - at)));
    }
    return queue;
  }

  /** The bytes in pieces of random sizes of at most the given one. The caller clears the queue. */
  public static SliceList cut(byte[] bytes, Random random, int most) {
    SliceList queue = new SliceList(new Slices());
    int at = 0;
    while (at < bytes.length) {
      int length = Math.min(1 + random.nextInt(most), bytes.length - at);
      queue.add(direct(bytes, at, length));
      at += length;
    }
    return queue;
  }

  private static ByteBuf direct(byte[] bytes, int from, int length) {
    ByteBuf piece = PooledByteBufAllocator.DEFAULT.directBuffer(length + 3);
    return piece.writeMedium(0x1D1D1D).skipBytes(3).writeBytes(bytes, from, length);
  }

  /** Takes everything out. */
  public static byte[] drain(SliceList queue) {
    byte[] bytes = new byte[queue.length()];
    int[] at = {0};
    queue.moveTo(
        piece -> {
          int readable = piece.readableBytes();
          piece.readBytes(bytes, at[0], readable);
          at[0] += readable;
          piece.release();
        },
        queue.length());
    return bytes;
  }
}
