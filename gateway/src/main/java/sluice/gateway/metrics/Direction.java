package sluice.gateway.metrics;

/** Direction of bytes: the {@code direction} label of {@code sluice_bytes_total}. */
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
}
