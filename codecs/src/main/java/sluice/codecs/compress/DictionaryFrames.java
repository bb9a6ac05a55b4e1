package sluice.codecs.compress;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import org.jspecify.annotations.Nullable;

/**
 * Codec on Zstandard with a dictionary. A frame has no magic number, content size and dictionary
 * id: small values would pay for them, and the head of a stored value has them anyway.
 */
final class DictionaryFrames implements BlockCodec {
  private final ZstdCompressCtx compressor =
      new ZstdCompressCtx().setMagicless(true).setContentSize(false).setDictID(false);
  private final ZstdDecompressCtx decompressor = new ZstdDecompressCtx().setMagicless(true);
  private @Nullable ZstdDictionary compressing;
  private @Nullable ZstdDictionary decompressing;

  /** Selects the dictionary of the values that are compressed next. */
  void compressWith(ZstdDictionary dictionary) {
    if (compressing != dictionary) {
      compressor.loadDict(dictionary.compressing());
      compressing = dictionary;
    }
  }

  /** Selects the dictionary of the values that are decompressed next. */
  void decompressWith(ZstdDictionary dictionary) {
    if (decompressing != dictionary) {
      decompressor.loadDict(dictionary.decompressing());
      decompressing = dictionary;
    }
  }

  @Override
  public int bound(int length) {
    return Math.toIntExact(Zstd.compressBound(length));
  }

  @Override
  public int compress(Scratch scratch, int from, int length, int to, int room) {
    return ZstdFrames.compress(compressor, scratch, from, length, to, room);
  }

  @Override
  public int decompress(Scratch scratch, int from, int length, int to, int room) {
    return ZstdFrames.decompress(decompressor, scratch, from, length, to, room);
  }

  @Override
  public void close() {
    compressor.close();
    decompressor.close();
  }
}
