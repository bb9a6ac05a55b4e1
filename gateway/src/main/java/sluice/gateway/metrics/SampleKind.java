package sluice.gateway.metrics;

/** Purpose for which a request was sampled: the {@code kind} label of dropped samples. */
public enum SampleKind {
  /** Counting its key. */
  KEY,
  /** The slow log. */
  SLOW,
  /** The access log. */
  ACCESS;

  static final int COUNT = values().length;
}
