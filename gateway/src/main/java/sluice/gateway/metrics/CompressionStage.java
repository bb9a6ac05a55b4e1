package sluice.gateway.metrics;

/**
 * Stage of compression at which bytes are counted: the {@code stage} label of {@code
 * sluice_compression_bytes_total}.
 */
public enum CompressionStage {
  /** Bytes of values as clients wrote them, if they were stored compressed. */
  PLAIN,
  /** Bytes of the same values as they were stored. */
  STORED,
  /** Bytes of values that were compressed in vain and stored unchanged. */
  PASSED,
  /** Bytes of compressed values as servers sent them. */
  READ,
  /** Bytes of the same values after decompression. */
  RESTORED;

  static final int COUNT = values().length;
}
