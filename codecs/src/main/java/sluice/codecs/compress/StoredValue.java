package sluice.codecs.compress;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import sluice.codecs.buffer.ByteSearch;
import sluice.codecs.buffer.SliceList;

/**
 * View of a value whose stored form is not the plain value:
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
 * highest bit says that the client's own flags had the marking bit set. The form 8F marks a value
 * of such a client that is not compressed: the plain bytes follow it.
 *
 * <p>Form 4 is Zstandard with a dictionary. The dictionary's 4-byte id is between the checksum and
 * the compressed bytes, and is not part of the m bytes.
 *
 * <p>Bytes that clients append or prepend on the server surround this form and are part of the
 * value. The reader therefore searches for the mark, and prepended bytes must not contain it
 * ({@link #isIn}). The byte F8 does not occur in UTF-8. Bytes that were prepended one after another
 * may still form a mark; the checksum distinguishes it from the real one.
 *
 * <p>A view owns nothing: it is valid until the value changes.
 */
public final class StoredValue {
  /** Bytes before a value that is marked but not compressed. */
  public static final int MARKED_LENGTH = 5;

  /** Bytes before a compressed value. */
  public static final int HEAD_LENGTH = 15;

  /** Bytes before a value that is compressed with a dictionary. */
  public static final int DICTIONARY_HEAD_LENGTH = HEAD_LENGTH + Integer.BYTES;

  /** The longest value that is compressed, in bytes. */
  public static final int MOST_BYTES = 0xFF_FFFF;

  private static final byte[] MARK = "\u00f8SLz".getBytes(StandardCharsets.ISO_8859_1);
  private static final int MARK_AS_INT = 0xF853_4C7A;
  private static final int CLIENTS_BIT = 0x80;
  private static final int NUMBER_BITS = 0x0F;
  private static final int WITH_DICTIONARY = 4;

  /** Differs from any other form by several bits, because no checksum follows it. */
  private static final int PLAIN_WITH_CLIENTS_BIT = 0x8F;

  private final ByteSearch search = new ByteSearch(MARK);
  private int offset;
  private int form;
  private Algorithm algorithm = Algorithm.LZ4; // algorithm of compressed bytes
  private int plainLength;
  private int compressedLength;
  private int checksum;
  private int dictionary; // its id; 0 for none

  /** Whether the value contains a mark. Borrows value. */
  public boolean isIn(SliceList value) {
    return search.begin(value).next(0) != ByteSearch.NONE;
  }

  /** Finds the first mark in stored bytes, which must not change until the last {@link #next}. */
  boolean first(SliceList stored) {
    offset = search.begin(stored).next(0);
    return offset != ByteSearch.NONE;
  }

  /** Finds the next mark, if the last one was found. */
  boolean next() {
    offset = search.next(offset + 1);
    return offset != ByteSearch.NONE;
  }

  /**
   * Reads what follows the mark that was found in stored bytes. Borrows stored.
   *
   * @return whether it is a known form with consistent lengths
   */
  boolean parse(SliceList stored) {
    if (stored.length() - offset < MARKED_LENGTH) {
      return false;
    }
    form = stored.getByte(offset + 4) & 0xFF;
    dictionary = 0;
    if (!isCompressed()) {
      return true;
    }
    boolean withDictionary = (form & NUMBER_BITS) == WITH_DICTIONARY;
    Algorithm numbered = withDictionary ? Algorithm.ZSTD : Algorithm.numbered(form & NUMBER_BITS);
    int head = withDictionary ? DICTIONARY_HEAD_LENGTH : HEAD_LENGTH;
    if ((form & ~(CLIENTS_BIT | NUMBER_BITS)) != 0
        || numbered == null
        || stored.length() - offset < head) {
      return false;
    }
    algorithm = numbered;
    plainLength = medium(stored, offset + 5);
    compressedLength = medium(stored, offset + 8);
    checksum = integer(stored, offset + 11);
    dictionary = withDictionary ? integer(stored, offset + HEAD_LENGTH) : 0;
    return plainLength > 0
        && compressedLength > 0
        && compressedLength <= stored.length() - offset - head
        && withDictionary == (dictionary != 0);
  }

  private static int integer(SliceList bytes, int offset) {
    return medium(bytes, offset) << 8 | (bytes.getByte(offset + 3) & 0xFF);
  }

  private static int medium(SliceList bytes, int offset) {
    return (bytes.getByte(offset) & 0xFF) << 16
        | (bytes.getByte(offset + 1) & 0xFF) << 8
        | (bytes.getByte(offset + 2) & 0xFF);
  }

  /** Offset of the mark: number of bytes before it. */
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
    return algorithm;
  }

  /** Bytes from the mark to the compressed bytes. */
  int headLength() {
    return dictionary == 0 ? HEAD_LENGTH : DICTIONARY_HEAD_LENGTH;
  }

  /** The id of the dictionary that the bytes are compressed with; 0 for none. */
  int dictionary() {
    return dictionary;
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

  /** Writes the head of a compressed value. Borrows out. */
  static void writeHead(
      ByteBuf out, Algorithm algorithm, boolean clientsBit, int plain, int compressed, int sum) {
    writeHead(out, algorithm.number(), clientsBit, plain, compressed, sum);
  }

  /** Writes the head of a value that is compressed with a dictionary. Borrows out. */
  static void writeHead(
      ByteBuf out,
      ZstdDictionary dictionary,
      boolean clientsBit,
      int plain,
      int compressed,
      int sum) {
    writeHead(out, WITH_DICTIONARY, clientsBit, plain, compressed, sum);
    out.writeInt(dictionary.id());
  }

  private static void writeHead(
      ByteBuf out, int number, boolean clientsBit, int plain, int compressed, int sum) {
    out.writeInt(MARK_AS_INT);
    out.writeByte(number | (clientsBit ? CLIENTS_BIT : 0));
    out.writeMedium(plain);
    out.writeMedium(compressed);
    out.writeInt(sum);
  }

  /**
   * Writes the {@link #MARKED_LENGTH} bytes before a value that is stored uncompressed although the
   * client's own flags have the marking bit set. Borrows out.
   */
  public static void writeMark(ByteBuf out) {
    out.writeInt(MARK_AS_INT);
    out.writeByte(PLAIN_WITH_CLIENTS_BIT);
  }
}
