package sluice.config.model;

import sluice.names.Labelled;

/** Compression algorithm for values. */
public enum CompressionAlgorithm implements Labelled {
  /** Zstandard (RFC 8878). */
  ZSTD("zstd"),

  /** LZ4, the block format. */
  LZ4("lz4"),

  /** DEFLATE (RFC 1951). */
  DEFLATE("deflate");

  private final String label;

  CompressionAlgorithm(String label) {
    this.label = label;
  }

  /** As it is written in the configuration file. */
  @Override
  public String label() {
    return label;
  }
}
