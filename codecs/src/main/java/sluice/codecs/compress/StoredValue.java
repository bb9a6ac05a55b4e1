package sluice.codecs.compress;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import sluice.codecs.buffer.ByteQueue;
import sluice.codecs.buffer.ByteSearch;

/**
 * View of a value as it is stored when it is not stored plainly:
 *
 * <pre>
 *  prepended   mark        form  plain  stored  CRC32C of    compressed   appended
 *  later       F8 53 4C 7A       n      m       the n bytes  bytes        later
 * +-----------+-----------+-----+------+-------+------------+------------+----------+
 * | any       | 4         | 1   | 3    | 3     | 4          | m          | any      |
 * +-----------+-----------+-----+------+-------+------------+------------+----------+
 * </pre>
 *
 * <p>Numbers are big endian. The form's low four bits are the {@link Algorithm}'s number. Its
 * highest bit says that the client's own flags had the bit set that marks such values. The form 8F
 * is that of such a value which is not compressed: nothing follows it but the bytes themselves.
 * What clients append and prepend on the server lies around all this, and is part of the value; so
 * the mark is looked for, and what is prepended must not hold it ({@link #isIn}). No text in UTF-8
 * has a byte F8.
 *
 * <p>A view owns nothing: it is good until the value changes.
 */
public final class StoredValue {
  /** Bytes in front of those that are not compressed. */
  public static final int MARKED_LENGTH = 5;

  /** Bytes in front of those that are. */
  public static final int HEAD_LENGTH = 15;

  /** The longest value that is compressed. */
  public static final int MOST_BYTES = 0xFF_FFFF;

  private static final byte[] MARK = "\u00f8SLz".getBytes(StandardCharsets.ISO_8859_1);
  private static final int MARK_AS_INT = 0xF853_4C7A;
  private static final int CLIENTS_BIT = 0x80;
  private static final int NUMBER_BITS = 0x0F;

  /** Several bits away from any other: nothing is checked behind it. */
  private static final int PLAIN_WITH_CLIENTS_BIT = 0x8F;

  private final ByteSearch search = new ByteSearch(MARK);
  private int offset;
  private int form;
  private int plainLength;
  private int compressedLength;
  private int checksum;

  /** Whether the value holds a mark. Borrows value. */
  public boolean isIn(ByteQueue value) {
    return search.begin(value).next(0) != ByteSearch.NONE;
  }

  /**
   * Finds the first mark in what a server sent and reads what follows it. Borrows stored.
   *
   * @return whether there is one, and what follows is a form and lengths that can be
   */
  boolean parse(ByteQueue stored) {
    offset = search.begin(stored).next(0);
    if (offset == ByteSearch.NONE || stored.length() - offset < MARKED_LENGTH) {
      return false;
    }
    form = stored.getByte(offset + 4) & 0xFF;
    if (!isCompressed()) {
      return true;
    }
    if ((form & ~(CLIENTS_BIT | NUMBER_BITS)) != 0
        || algorithm() == null
        || stored.length() - offset < HEAD_LENGTH) {
      return false;
    }
    plainLength = medium(stored, offset + 5);
    compressedLength = medium(stored, offset + 8);
    checksum = medium(stored, offset + 11) << 8 | (stored.getByte(offset + 14) & 0xFF);
    return plainLength > 0
        && compressedLength > 0
        && compressedLength <= stored.length() - offset - HEAD_LENGTH;
  }

  private static int medium(ByteQueue bytes, int offset) {
    return (bytes.getByte(offset) & 0xFF) << 16
        | (bytes.getByte(offset + 1) & 0xFF) << 8
        | (bytes.getByte(offset + 2) & 0xFF);
  }

  /** Bytes in front of the mark. */
  int offset() {
    return offset;
  }

  boolean isCompressed() {
    return form != PLAIN_WITH_CLIENTS_BIT;
  }

  /** Whether the client's own flags had the marking bit set. */
  public boolean hasClientsBit() {
    return (form & CLIENTS_BIT) != 0;
  }

  Algorithm algorithm() {
    return Algorithm.numbered(form & NUMBER_BITS);
  }

  int plainLength() {
    return plainLength;
  }

  int compressedLength() {
    return compressedLength;
  }

  int checksum() {
    return checksum;
  }

  /** Writes what stands in front of compressed bytes. Borrows out. */
  static void writeHead(
      ByteBuf out, Algorithm algorithm, boolean clientsBit, int plain, int compressed, int sum) {
    out.writeInt(MARK_AS_INT);
    out.writeByte(algorithm.number() | (clientsBit ? CLIENTS_BIT : 0));
    out.writeMedium(plain);
    out.writeMedium(compressed);
    out.writeInt(sum);
  }

  /**
   * Writes the {@link #MARKED_LENGTH} bytes that stand in front of bytes that are not compressed,
   * because the client's own flags have the marking bit set. Borrows out.
   */
  public static void writeMark(ByteBuf out) {
    out.writeInt(MARK_AS_INT);
    out.writeByte(PLAIN_WITH_CLIENTS_BIT);
  }
}
