package sluice.gateway.metrics;

import java.util.Locale;

/** What became of one time that a pool's servers were asked for: {@code result} of discoveries. */
public enum DiscoveryResult {
  /** They are those that they were. */
  SAME,
  /** They are others, which run. */
  CHANGED,
  /** None, or fewer than there must be; those that ran run on. */
  REFUSED,
  /** There was no answer that could be used; those that ran run on. */
  FAILED;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** As it is written in metrics. */
  public String label() {
    return label;
  }
}
