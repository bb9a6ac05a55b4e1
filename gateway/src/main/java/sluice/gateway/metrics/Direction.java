package sluice.gateway.metrics;

import java.util.Locale;

/** Which way bytes went: the {@code direction} label of {@code sluice_bytes_total}. */
public enum Direction {
  /** Read from clients. */
  CLIENT_IN,
  /** Written to clients. */
  CLIENT_OUT,
  /** Read from servers. */
  SERVER_IN,
  /** Written to servers. */
  SERVER_OUT;

  static final int COUNT = values().length;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** As it is written in metrics. */
  public String label() {
    return label;
  }
}
