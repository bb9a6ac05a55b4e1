package sluice.codecs.split;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.Base64;

/**
 * Keys of the chunks of one value. A key is the client's key, {@code :split:}, the number of the
 * chunk, a colon and the value's stamp in base64 (as in URLs). The number does not come last: most
 * hash functions of rings barely react to a change in a key's last byte. A client's key that leaves
 * no room, or that some dialect cannot express, is replaced by its fingerprint in 16 hexadecimal
 * digits.
 */
public final class ChunkKeys {
  private static final int MOST_KEY = 250;
  private static final byte[] MARK = ":split:".getBytes(US_ASCII);
  private static final int STAMP_LENGTH = 11;
  private static final int MOST_DIGITS = 10;
  private static final int LONGEST_KEPT = MOST_KEY - MARK.length - MOST_DIGITS - 1 - STAMP_LENGTH;
  private static final long FNV_OFFSET = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;

  private final ByteBuf name;
  private final int fixed;
  private final byte[] stamped;

  /** Keys for the chunks of a value with a stamp, whose key is [from, to). Borrows key. */
  public ChunkKeys(ByteBuf key, int from, int to, long stamp) {
    byte[] client = name(key, from, to);
    fixed = client.length + MARK.length;
    name = Unpooled.buffer(fixed + MOST_DIGITS + 1 + STAMP_LENGTH);
    name.writeBytes(client).writeBytes(MARK);
    stamped =
        Base64.getUrlEncoder()
            .withoutPadding()
            .encode(ByteBuffer.allocate(Long.BYTES).putLong(0, stamp).array());
  }

  private static byte[] name(ByteBuf key, int from, int to) {
    long hash = FNV_OFFSET;
    boolean plain = to - from <= LONGEST_KEPT;
    for (int i = from; i < to; i++) {
      int each = key.getByte(i) & 0xFF;
      plain &= each > ' ' && each != 0x7F;
      hash = (hash ^ each) * FNV_PRIME;
    }
    if (!plain) {
      return String.format("%016x", hash).getBytes(US_ASCII);
    }
    byte[] name = new byte[to - from];
    key.getBytes(from, name);
    return name;
  }

  /**
   * The key of the chunk with a number, from 0: all readable bytes of the result. Borrowed, and
   * valid until the next call.
   */
  public ByteBuf of(int chunk) {
    name.writerIndex(fixed);
    name.writeBytes(Integer.toString(chunk).getBytes(US_ASCII));
    return name.writeByte(':').writeBytes(stamped);
  }
}
