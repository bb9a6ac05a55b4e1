package sluice.names;

import java.util.zip.CRC32C;

/**
 * Id of a dictionary for compression: the CRC32C of its file. Stored values contain it. Zstandard's
 * own id does not suffice: a file that was truncated, or trained again with the same {@code
 * --dictID}, has the same id.
 */
public final class DictionaryId {
  private DictionaryId() {}

  /** The id of a file's content: 32 bits, never 0. */
  public static int of(byte[] content) {
    CRC32C crc = new CRC32C();
    crc.update(content);
    int id = (int) crc.getValue();
    return id == 0 ? 1 : id;
  }

  /** Text form of an id: eight hexadecimal digits. */
  public static String label(int id) {
    return "%08x".formatted(id);
  }
}
