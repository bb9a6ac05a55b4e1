package sluice.load;

import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;

/**
 * Open loop: requests at a fixed rate, independent of their replies. Runs on the event loop. A
 * request that is due is sent at once; one that cannot be sent is counted as planned only.
 */
final class Pacer {
  /** The most requests between two reads of replies, even if the pacer is behind. */
  private static final int MOST_AT_ONCE = 64;

  private final EventLoop loop;
  private final Target target;
  private final Tally tally;
  private final Arrivals arrivals;
  private final Runnable ended;
  private long endNanos;
  private long due;

  /**
   * A pacer that is not started yet.
   *
   * @param arrivals of this pacer alone
   * @param endNanos when it ends, as {@link System#nanoTime} counts; see {@link #endAt}
   * @param ended called when nothing more is sent
   */
  Pacer(
      EventLoop loop,
      Target target,
      Tally tally,
      Arrivals arrivals,
      long endNanos,
      Runnable ended) {
    this.loop = loop;
    this.target = target;
    this.tally = tally;
    this.arrivals = arrivals;
    this.endNanos = endNanos;
    this.ended = ended;
    this.due = arrivals.next();
  }

  /** Sends the requests that are due, and schedules itself for the next. */
  @SuppressWarnings("FutureReturnValueIgnored") // the task's result is not needed
  void tick() {
    long now = System.nanoTime();
    if (now - endNanos >= 0 || target.run().failure() != null) {
      tally.planned = arrivals.until(Math.min(now, endNanos));
      target.flush();
      ended.run();
      return;
    }
    int added = 0;
    while (due - now <= 0 && added < MOST_AT_ONCE) {
      if (target.outstanding() < Target.MOST_OUTSTANDING) {
        target.send(due);
        tally.sent(due, System.nanoTime());
      }
      added++;
      due = arrivals.next();
    }
    if (added > 0) {
      target.flush();
    }
    long wait = Math.min(due, endNanos) - System.nanoTime();
    if (wait <= 0) {
      loop.execute(this::tick);
    } else {
      loop.schedule(this::tick, wait, TimeUnit.NANOSECONDS);
    }
  }

  /** Changes the end; on the event loop. */
  void endAt(long nanos) {
    endNanos = nanos;
  }
}
