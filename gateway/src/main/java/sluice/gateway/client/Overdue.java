package sluice.gateway.client;

import sluice.gateway.exchange.Exchange;

/**
 * Watch over the exchange whose turn it is: whether it stands still, though nothing is left that it
 * might wait for. Every wait has a timeout of its own; this finds the one that has not.
 */
final class Overdue {
  private Exchange seen; // never used: exchanges are pooled, and known by when they started
  private long started;
  private long written;
  private long since;
  private int looks;

  /**
   * Called a few times a second.
   *
   * @param waiting the exchange that waits for its reply, or null
   * @param writtenNow bytes written to its client so far
   * @return whether it is the one that was seen last, and nothing was written since
   */
  boolean look(Exchange waiting, long writtenNow, long now) {
    if (waiting != null
        && waiting == seen
        && waiting.started() == started
        && writtenNow == written) {
      looks++;
      return true;
    }
    seen = waiting;
    started = waiting == null ? 0 : waiting.started();
    written = writtenNow;
    since = now;
    looks = 0;
    return false;
  }

  /** Whether it has stood still for longer than nanos, and was seen often enough meanwhile. */
  boolean lastsFor(long nanos, long now) {
    return looks >= ClientControl.LOOKS && now - since > nanos;
  }
}
