package sluice.gateway.internode;

import java.util.concurrent.TimeUnit;

/** When a line that may be due each time is logged: at most every ten seconds. */
final class RareLine {
  private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(10);

  private boolean everLogged;
  private long next;
  private long unsaid;

  /**
   * Counts one more; returns how many have come since the last line if there is to be one, or 0.
   */
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
