package sluice.gateway.metrics;

import java.util.Locale;

/** What a request was picked for: the {@code kind} label of samples that were dropped. */
public enum SampleKind {
  /** To count its key. */
  KEY,
  /** The slow log. */
  SLOW,
  /** The access log. */
  ACCESS;

  static final int COUNT = values().length;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** As it is written in metrics. */
  public String label() {
    return label;
  }
}
