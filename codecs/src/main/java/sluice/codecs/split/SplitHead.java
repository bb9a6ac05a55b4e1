package sluice.codecs.split;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import sluice.codecs.buffer.ByteSearch;
import sluice.codecs.buffer.SliceList;

/**
 * View of the head that is stored under a client's key when the value is stored in chunks:
 *
 * <pre>
 *  prepended   mark        form  bytes of   bytes of  stamp  CRC32C of the  appended
 *  later       F8 53 4C 7B       the value  a chunk          21 before it   later
 * +-----------+-----------+-----+----------+---------+------+--------------+----------+
 * | any       | 4         | 1   | 4        | 4       | 8    | 4            | any      |
 * +-----------+-----------+-----+----------+---------+------+--------------+----------+
 * </pre>
 *
 * <p>Numbers are big endian. The form is 1; its highest bit says that the client's own flags had
 * the bit set that marks such values. All chunks but the last have the same length. Each stored
 * value has a different stamp, which is part of its chunks' {@link ChunkKeys keys}. Bytes that
 * clients append or prepend on the server surround the head and are part of the value. The byte F8
 * does not occur in UTF-8.
 *
 * <p>A view owns nothing, and keeps the fields it has read. Owned by one thread.
 */
public final class SplitHead {
  /** Length of a head in bytes. */
  public static final int LENGTH = 25;

  /** The shortest length of all chunks but the last, in bytes. */
  public static final int LEAST_CHUNK = 1024;

  private static final byte[] MARK = "\u00f8SL{".getBytes(StandardCharsets.ISO_8859_1);
  private static final int MARK_AS_INT = 0xF853_4C7B;
  private static final int FORM = 1;
  private static final int CLIENTS_BIT = 0x80;
  private static final int SUMMED = LENGTH - Integer.BYTES;

  private final ByteSearch search = new ByteSearch(MARK);
  private final CRC32C crc = new CRC32C();
  private final byte[] bytes = new byte[LENGTH];
  private final ByteBuf head = Unpooled.wrappedBuffer(bytes);
  private int offset;
  private int slice; // that has the byte at offset
  private int sliceStart; // offset of its first byte

  /** Appends a head. Borrows out, which must have room for it. */
  public void write(ByteBuf out, boolean clientsBit, int valueLength, int chunkLength, long stamp) {
    head.setInt(0, MARK_AS_INT);
    head.setByte(4, FORM | (clientsBit ? CLIENTS_BIT : 0));
    head.setInt(5, valueLength);
    head.setInt(9, chunkLength);
    head.setLong(13, stamp);
    head.setInt(SUMMED, sum());
    out.writeBytes(bytes);
  }

  private int sum() {
    crc.reset();
    crc.update(bytes, 0, SUMMED);
    return (int) crc.getValue();
  }

  /**
   * Finds the first head in stored bytes, which are not trusted, and reads it. A mark without a
   * valid head is part of the bytes around it. Borrows stored.
   *
   * @return whether there is a head
   */
  public boolean find(SliceList stored) {
    if (stored.length() < LENGTH) {
      return false;
    }
    search.begin(stored);
    slice = 0;
    sliceStart = 0;
    for (int at = search.next(0); at <= stored.length() - LENGTH; at = search.next(at + 1)) {
      if (read(stored, at)) {
        return true;
      }
    }
    return false;
  }

  private boolean read(SliceList stored, int at) {
    offset = at;
    copy(stored);
    return (bytes[4] & 0xFF & ~CLIENTS_BIT) == FORM
        && valueLength() > 0
        && chunkLength() >= LEAST_CHUNK
        && head.getInt(SUMMED) == sum();
  }

  /**
   * Copies the bytes at the offset, which only grows. It continues from the slice of the previous
   * mark, because a client may store a mark every four bytes, in thousands of slices.
   */
  private void copy(SliceList stored) {
    while (offset >= sliceStart + stored.get(slice).readableBytes()) {
      sliceStart += stored.get(slice++).readableBytes();
    }
    int from = offset - sliceStart;
    int copied = 0;
    for (int i = slice; copied < LENGTH; i++) {
      ByteBuf part = stored.get(i);
      int length = Math.min(LENGTH - copied, part.readableBytes() - from);
      part.getBytes(part.readerIndex() + from, bytes, copied, length);
      copied += length;
      from = 0;
    }
  }

  /** Offset of the head: number of bytes before it. */
  public int offset() {
    return offset;
  }

  /** Whether the client's own flags had the marking bit set. */
  public boolean hasClientsBit() {
    return (bytes[4] & CLIENTS_BIT) != 0;
  }

  /** Length of the value that is stored in chunks, in bytes. */
  public int valueLength() {
    return head.getInt(5);
  }

  /** Length of each chunk but the last, in bytes. */
  public int chunkLength() {
    return head.getInt(9);
  }

  public long stamp() {
    return head.getLong(13);
  }
}
