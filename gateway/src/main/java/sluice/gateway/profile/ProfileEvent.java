package sluice.gateway.profile;

import java.util.Locale;

/** Event that a profile counts. */
public enum ProfileEvent {
  /** CPU time. */
  CPU,
  /** Bytes allocated on the heap. */
  ALLOC,
  /** Time that threads wait for locks, in nanoseconds. */
  LOCK,
  /** Wall-clock time of threads, running or waiting. */
  WALL;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** Its name in requests. */
  public String label() {
    return label;
  }
}
