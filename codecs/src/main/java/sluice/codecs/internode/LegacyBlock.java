package sluice.codecs.internode;

import io.netty.buffer.ByteBuf;
import net.jpountz.xxhash.XXHash32;
import net.jpountz.xxhash.XXHashFactory;
import sluice.codecs.ProtocolException;
import sluice.codecs.compress.Lz4;

/**
 * Block of a compressed connection of version 10 or 11: lz4-java's {@code LZ4BlockOutputStream}.
 * Little endian; blocks and messages are unrelated.
 *
 * <pre>
 *   0           8       9            13         17        21
 *  +-----------+-------+------------+----------+---------+-----------+
 *  | LZ4Block  | token | length c   | plain u  | xxHash32| c bytes   |
 *  +-----------+-------+------------+----------+---------+-----------+
 *  token: 0x10 plain, 0x20 LZ4; its low bits n allow up to 2^(10+n) plain bytes
 *  xxHash32: of the plain bytes, seed 9747B28C, without its top 4 bits
 * </pre>
 *
 * Absolute offsets; every method borrows its buffers.
 */
public final class LegacyBlock {
  public static final int HEADER_LENGTH = 21;

  private static final long MAGIC = 0x4C5A34426C6F636BL;
  private static final int PLAIN = 0x10;
  private static final int LZ4 = 0x20;
  private static final int SEED = 0x9747B28C;
  private static final int CHECKSUM_BITS = 0x0FFFFFFF;
  private static final int MAX_LENGTH = 1 << 25;
  private static final XXHash32 HASH = XXHashFactory.fastestInstance().hash32();

  private LegacyBlock() {}

  /**
   * Length of the whole block at index, whose header has arrived, in bytes.
   *
   * @throws ProtocolException if it is no block, or its lengths contradict each other
   */
  public static int length(ByteBuf buffer, int index) {
    if (buffer.getLong(index) != MAGIC) {
      throw new ProtocolException("compressed block without the magic LZ4Block");
    }
    int token = buffer.getUnsignedByte(index + 8);
    int length = buffer.getIntLE(index + 9);
    int plain = plainLength(buffer, index);
    int limit = Math.min(1 << (10 + (token & 0x0F)), MAX_LENGTH);
    boolean sound =
        (token & 0xF0) == PLAIN
            ? length == plain
            : (token & 0xF0) == LZ4 && (length == 0) == (plain == 0);
    if (!sound
        || length < 0
        || plain < 0
        || plain > limit
        || length > Lz4.maxCompressedLength(limit)) {
      throw new ProtocolException(
          "compressed block of type %02x has %d bytes for %d plain ones"
              .formatted(token, length, plain));
    }
    return HEADER_LENGTH + length;
  }

  /** Length of the decompressed block at index, whose header has arrived; 0 ends the stream. */
  public static int plainLength(ByteBuf buffer, int index) {
    return buffer.getIntLE(index + 13);
  }

  /**
   * Decompresses the block at index, whose {@link #length} bytes have arrived, and appends it to
   * out.
   *
   * @throws ProtocolException if the result is not what the header says
   */
  public static void decompress(ByteBuf buffer, int index, ByteBuf out) {
    int length = length(buffer, index) - HEADER_LENGTH;
    int plain = plainLength(buffer, index);
    out.ensureWritable(plain);
    int start = out.writerIndex();
    if ((buffer.getUnsignedByte(index + 8) & 0xF0) == PLAIN) {
      out.setBytes(start, buffer, index + HEADER_LENGTH, length);
    } else if (plain > 0
        && Lz4.decompress(buffer, index + HEADER_LENGTH, length, out, start, plain) != plain) {
      throw new ProtocolException(
          "compressed block of %d bytes does not decompress to %d".formatted(length, plain));
    }
    if (plain > 0 && hash(out, start, plain) != buffer.getIntLE(index + 17)) {
      throw new ProtocolException("compressed block with a wrong xxHash32");
    }
    out.writerIndex(start + plain);
  }

  private static int hash(ByteBuf buffer, int index, int length) {
    return HASH.hash(buffer.internalNioBuffer(index, length), SEED) & CHECKSUM_BITS;
  }
}
