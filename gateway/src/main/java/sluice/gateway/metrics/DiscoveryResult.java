package sluice.gateway.metrics;

import java.util.Locale;

/** Result of one query for a pool's servers: {@code result} of discoveries. */
public enum DiscoveryResult {
  /** The servers are the same as before. */
  SAME,
  /** The servers differ, and replace the previous ones. */
  CHANGED,
  /** The answer has too few servers, or too many; the previous ones stay in use. */
  REFUSED,
  /** There was no usable answer; the previous servers stay in use. */
  FAILED;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** As it is written in metrics. */
  public String label() {
    return label;
  }
}
