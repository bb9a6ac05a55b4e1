package sluice.gateway.metrics;

/**
 * What compression has made of the bytes counted: the {@code stage} label of {@code
 * sluice_compression_bytes_total}.
 */
public enum CompressionStage {
  /** Of values as clients wrote them, which are stored compressed. */
  PLAIN,
  /** What is stored of these. */
  STORED,
  /**
   * Of values that were tried and are stored as they came, because they became not much smaller.
   */
  PASSED,
  /** Of compressed values as servers sent them. */
  READ,
  /** What became of these. */
  RESTORED;

  static final int COUNT = values().length;
}
