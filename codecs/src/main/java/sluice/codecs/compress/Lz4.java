package sluice.codecs.compress;

import io.netty.buffer.ByteBuf;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/**
 * LZ4 blocks, without a frame around them, from buffer to buffer. Each buffer must be contiguous
 * ({@code nioBufferCount() == 1}); both may be the same buffer if the areas do not overlap. Offsets
 * are absolute. Every method borrows its buffers, moves no index and allocates nothing but the NIO
 * view that a buffer keeps itself.
 */
public final class Lz4 {
  /**
   * Input shorter than this becomes literals only ("mflimit" in LZ4's block format), which makes it
   * longer.
   */
  public static final int MIN_COMPRESSIBLE = 13;

  private static final LZ4Compressor COMPRESSOR = LZ4Factory.fastestInstance().fastCompressor();
  private static final LZ4SafeDecompressor DECOMPRESSOR =
      LZ4Factory.fastestInstance().safeDecompressor();

  private Lz4() {}

  /** The longest block that length bytes can become: a little more than length. */
  public static int maxCompressedLength(int length) {
    return COMPRESSOR.maxCompressedLength(length);
  }

  /**
   * Compresses a range into a block.
   *
   * @return the block's length, up to {@link #maxCompressedLength}, which must fit at toIndex
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
   * @param room the most bytes it may become
   * @return the decompressed length; -1 if the bytes are no valid block or become more than room
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
   * Decompresses the beginning of a block that may be incomplete. If the bytes are no valid block,
   * decompresses up to the first invalid one.
   *
   * @param most bytes to decompress at most, which must fit
   * @return bytes decompressed, at most most
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
