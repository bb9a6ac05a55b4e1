package sluice.gateway.server.health;

import org.jspecify.annotations.Nullable;

/**
 * Times at which an ejected server is probed, and whose turn it is. The sides take turns where
 * there are several, because a server may answer on one of them only. The owner guards it by its
 * lock.
 */
final class ProbeTurns {
  private long from;
  private @Nullable Enum<?> last; // that has probed; null: any may be the next

  /** No probe is sent before that time. */
  void notBefore(long time) {
    from = time;
  }

  /**
   * Whether the caller must probe the server now.
   *
   * @param side that the caller would use
   * @param interval to the next probe, in nanoseconds
   */
  boolean claims(long now, Enum<?> side, long interval) {
    if (now - from < 0) {
      return false;
    }
    if (side.equals(last)) {
      last = null; // the next caller is of another side, if there is one
      return false;
    }
    last = side;
    from = now + interval;
    return true;
  }
}
