package sluice.codecs.compress;

import org.jspecify.annotations.Nullable;

/**
 * Compression algorithms for values, each at its fastest ordinary level, because compression blocks
 * the event loop. The numbers are part of the stored form and never change their meaning.
 */
public enum Algorithm {
  /** Frames of Zstandard (RFC 8878), with their content size and without a checksum. */
  ZSTD(1),
  /** Bare LZ4 blocks. */
  LZ4(2),
  /** Raw DEFLATE (RFC 1951), without zlib's header and checksum. */
  DEFLATE(3);

  private final int number;

  Algorithm(int number) {
    this.number = number;
  }

  int number() {
    return number;
  }

  /** A new codec of an event loop. */
  BlockCodec codec() {
    return switch (this) {
      case ZSTD -> new ZstdFrames();
      case LZ4 -> new Lz4Blocks();
      case DEFLATE -> new DeflateStreams();
    };
  }

  /** The algorithm with this number; null if there is none. */
  static @Nullable Algorithm numbered(int number) {
    return switch (number) {
      case 1 -> ZSTD;
      case 2 -> LZ4;
      case 3 -> DEFLATE;
      default -> null;
    };
  }
}
