package sluice.gateway.profile;

import java.util.Locale;

/** What a profile counts. */
public enum ProfileEvent {
  /** Where processors spend their time. */
  CPU,
  /** Where the heap is allocated, in bytes. */
  ALLOC,
  /** Where threads wait for locks, in nanoseconds. */
  LOCK,
  /** Where threads are, whether they run or wait. */
  WALL;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** As it is written in requests. */
  public String label() {
    return label;
  }
}
