package sluice.gateway.metrics;

/** What a request was picked for: the {@code kind} label of samples that were dropped. */
public enum SampleKind {
  /** To count its key. */
  KEY,
  /** The slow log. */
  SLOW,
  /** The access log. */
  ACCESS;

  static final int COUNT = values().length;
}
