package sluice.gateway.client.replies;

import org.jspecify.annotations.Nullable;
import sluice.gateway.client.input.ArrivalWatch;
import sluice.gateway.request.PendingReply;

/**
 * Watchdog for the pending reply that is next in order: it detects one that makes no progress
 * although no wait is left. Every wait has a timeout of its own; this finds a missing one.
 */
public final class Overdue {
  private @Nullable PendingReply
      seen; // only compared: pending replies are pooled, and identified by their start time
  private long started;
  private long seenProgress;
  private long since;
  private int looks;

  /**
   * Called a few times a second.
   *
   * @param waiting the pending reply that waits for its reply; null if none does
   * @param progress number that changes with every progress of its reply: bytes written to its
   *     client, bytes buffered for it, and steps of its subrequests
   * @return whether it is the same as before, without progress since
   */
  public boolean look(@Nullable PendingReply waiting, long progress, long now) {
    if (waiting != null
        && waiting == seen
        && waiting.started() == started
        && progress == seenProgress) {
      looks++;
      return true;
    }
    seen = waiting;
    started = waiting == null ? 0 : waiting.started();
    seenProgress = progress;
    since = now;
    looks = 0;
    return false;
  }

  /** Whether it has made no progress for longer than nanos, with enough observations meanwhile. */
  public boolean lastsFor(long nanos, long now) {
    return looks >= ArrivalWatch.LOOKS && now - since > nanos;
  }
}
