package sluice.codecs.compress;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDictCompress;
import com.github.luben.zstd.ZstdDictDecompress;

/**
 * Trained Zstandard dictionary (RFC 8878, section 5), with the tables that the library makes of it.
 * They are native memory of a few hundred KiB, made once for all event loops, and released when
 * nothing refers to the dictionary any more. Thread safe.
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
    int id = (int) Zstd.getDictIdFromDict(content);
    if (id == 0) {
      throw new IllegalArgumentException("no trained dictionary");
    }
    try {
      return new ZstdDictionary(id, content);
    } catch (IllegalStateException e) { // the library does not say what is wrong
      throw new IllegalArgumentException("a damaged dictionary", e);
    }
  }

  /** Its id: 32 bits, never 0. Stored values contain it. */
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
