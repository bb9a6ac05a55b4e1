package sluice.codecs.compress;

import io.netty.buffer.ByteBuf;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/**
 * Bare LZ4 blocks, without a frame around them, from buffer to buffer. Both buffers are in one
 * piece ({@code nioBufferCount() == 1}); they may be the same one, at places that do not overlap.
 * Absolute offsets; every method borrows its buffers, moves no index and allocates nothing but what
 * a buffer keeps as its own NIO view.
 */
public final class Lz4 {
  /**
   * Blocks below this are literals only ("mflimit" in LZ4's block format), and longer than that.
   */
  public static final int MIN_COMPRESSIBLE = 13;

  private static final LZ4Compressor COMPRESSOR = LZ4Factory.fastestInstance().fastCompressor();
  private static final LZ4SafeDecompressor DECOMPRESSOR =
      LZ4Factory.fastestInstance().safeDecompressor();

  private Lz4() {}

  /** Room that a block needs at most: a little more than what it is made of. */
  public static int maxCompressedLength(int length) {
    return COMPRESSOR.maxCompressedLength(length);
  }

  /**
   * Compresses a range into a block.
   *
   * @return the block's length, up to {@link #maxCompressedLength}, for which there is room
   */
  public static int compress(ByteBuf from, int index, int length, ByteBuf to, int toIndex) {
    int room = maxCompressedLength(length);
    int source = from.internalNioBuffer(index, length).position();
    int target = to.internalNioBuffer(toIndex, room).position();
    return COMPRESSOR.compress(
        from.internalNioBuffer(index, length),
        source,
        length,
        to.internalNioBuffer(toIndex, room),
        target,
        room);
  }

  /**
   * Decompresses a block.
   *
   * @param room bytes it may become
   * @return how many it became; -1 if it is no block, or one of more than that
   */
  public static int decompress(
      ByteBuf from, int index, int length, ByteBuf to, int toIndex, int room) {
    int source = from.internalNioBuffer(index, length).position();
    int target = to.internalNioBuffer(toIndex, room).position();
    try {
      return DECOMPRESSOR.decompress(
          from.internalNioBuffer(index, length),
          source,
          length,
          to.internalNioBuffer(toIndex, room),
          target,
          room);
    } catch (LZ4Exception e) {
      return -1;
    }
  }

  /**
   * Decompresses the first bytes of a block, of which all or only the beginning is there. Of
   * compressed bytes that are no block, what comes before the first that cannot be.
   *
   * @param most bytes to be decompressed, for which there is room
   * @return how many there are, at most so many
   */
  public static int decompressStart(
      ByteBuf from, int index, int length, ByteBuf to, int toIndex, int most) {
    int at = index;
    int end = index + length;
    int done = 0;
    while (at < end && done < most) {
      int token = from.getUnsignedByte(at++);
      int literals = token >>> 4;
      if (literals == 15) {
        int more;
        do {
          more = at < end ? from.getUnsignedByte(at++) : 0;
          literals += more;
        } while (more == 255);
      }
      int copied = Math.min(Math.min(literals, end - at), most - done);
      for (int i = 0; i < copied; i++) {
        to.setByte(toIndex + done++, from.getByte(at++));
      }
      if (copied < literals || end - at < Short.BYTES) {
        return done;
      }
      int distance = from.getUnsignedShortLE(at);
      at += Short.BYTES;
      if (distance == 0 || distance > done) {
        return done;
      }
      int match = 4 + (token & 15);
      if (match == 4 + 15) {
        int more;
        do {
          more = at < end ? from.getUnsignedByte(at++) : 0;
          match += more;
        } while (more == 255);
      }
      for (int i = Math.min(match, most - done); i > 0; i--) {
        to.setByte(toIndex + done, to.getByte(toIndex + done - distance));
        done++;
      }
    }
    return done;
  }
}
