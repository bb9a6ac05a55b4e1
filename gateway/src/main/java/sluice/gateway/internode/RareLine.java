package sluice.gateway.internode;

import java.util.concurrent.TimeUnit;

/** Rate limit of a log line: at most one every ten seconds. */
final class RareLine {
  private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(10);

  private boolean everLogged;
  private long next;
  private long unsaid;

  /** Counts an event; returns the number of events since the last line if a line is due, or 0. */
  long due(long now) {
    unsaid++;
    if (everLogged && now - next < 0) {
      return 0;
    }
    everLogged = true;
    next = now + EVERY_NANOS;
    long counted = unsaid;
    unsaid = 0;
    return counted;
  }
}
