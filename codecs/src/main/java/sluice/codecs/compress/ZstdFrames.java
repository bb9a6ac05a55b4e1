package sluice.codecs.compress;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;

/** Codec on Zstandard, with one reused context per direction. */
final class ZstdFrames implements BlockCodec {
  static final int LEVEL = 1;

  private final ZstdCompressCtx compressor = new ZstdCompressCtx().setLevel(LEVEL);
  private final ZstdDecompressCtx decompressor = new ZstdDecompressCtx();

  @Override
  public int bound(int length) {
    return Math.toIntExact(Zstd.compressBound(length));
  }

  @Override
  public int compress(Scratch scratch, int from, int length, int to, int room) {
    return compress(compressor, scratch, from, length, to, room);
  }

  /** {@link BlockCodec#compress} with a context. */
  static int compress(
      ZstdCompressCtx compressor, Scratch scratch, int from, int length, int to, int room) {
    return compressor.compressDirectByteBuffer(
        scratch.target(to, room), to, room, scratch.source(from, length), from, length);
  }

  @Override
  public int decompress(Scratch scratch, int from, int length, int to, int room) {
    return decompress(decompressor, scratch, from, length, to, room);
  }

  /** {@link BlockCodec#decompress} with a context. */
  static int decompress(
      ZstdDecompressCtx decompressor, Scratch scratch, int from, int length, int to, int room) {
    try {
      return decompressor.decompressDirectByteBuffer(
          scratch.target(to, room), to, room, scratch.source(from, length), from, length);
    } catch (ZstdException e) {
      return CORRUPT;
    }
  }

  @Override
  public void close() {
    compressor.close();
    decompressor.close();
  }
}
