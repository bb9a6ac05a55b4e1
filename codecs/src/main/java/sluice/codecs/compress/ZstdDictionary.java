package sluice.codecs.compress;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDictCompress;
import com.github.luben.zstd.ZstdDictDecompress;
import sluice.names.DictionaryId;

/**
 * Trained Zstandard dictionary (RFC 8878, section 5), with the tables that the library builds from
 * it. The tables are native memory of up to twice the file's size. They are built once for all
 * event loops, and released after the collector has found that nothing refers to the dictionary.
 * Thread safe.
 */
public final class ZstdDictionary {
  private final int id;
  private final ZstdDictCompress compressing;
  private final ZstdDictDecompress decompressing;

  private ZstdDictionary(int id, byte[] content) {
    this.id = id;
    compressing = new ZstdDictCompress(content, ZstdFrames.LEVEL);
    decompressing = new ZstdDictDecompress(content);
  }

  /**
   * A dictionary.
   *
   * @param content of its file; not kept
   * @throws IllegalArgumentException if it is not a trained dictionary; the message says what was
   *     found
   */
  public static ZstdDictionary of(byte[] content) {
    if (Zstd.getDictIdFromDict(content) == 0) {
      throw new IllegalArgumentException("no trained dictionary");
    }
    try {
      return new ZstdDictionary(DictionaryId.of(content), content);
    } catch (IllegalStateException e) { // the library does not say what is wrong
      throw new IllegalArgumentException("a damaged dictionary", e);
    }
  }

  /** Its {@link DictionaryId}. */
  public int id() {
    return id;
  }

  ZstdDictCompress compressing() {
    return compressing;
  }

  ZstdDictDecompress decompressing() {
    return decompressing;
  }
}
