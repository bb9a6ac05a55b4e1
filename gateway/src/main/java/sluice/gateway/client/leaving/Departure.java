package sluice.gateway.client.leaving;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.gateway.metrics.DropReason;
import sluice.gateway.time.Clocks;

/**
 * Progress of a client's departure. Its input may have ended while it still reads replies, or it
 * may have disconnected while its requests are still executed.
 */
public final class Departure {
  private enum State {
    /** The client may send more. */
    STAYS,
    /** The client's input has ended. */
    SAID_ALL,
    /** The client's socket is closed, and its requests are still executed. */
    GONE,
    /** Nothing of the client is left. */
    OVER
  }

  /**
   * How long a client that has sent everything is served: since its last progress if it still reads
   * replies, otherwise since it was gone.
   */
  private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(30);

  private State state = State.STAYS;
  private long progressAt; // since its input ended: when one of its requests was last answered
  private @Nullable DropReason dropping; // null unless its requests are dropped

  public boolean hasSaidAll() {
    return state != State.STAYS;
  }

  public boolean isGone() {
    return state == State.GONE;
  }

  /** The client's input has ended. */
  public void sayAll(long now) {
    if (state == State.STAYS) {
      state = State.SAID_ALL;
    }
    progressAt = now;
  }

  /** The client's socket is closed, and its requests are to be executed. */
  public void go(long now) {
    state = State.GONE;
    progressAt = now;
  }

  /** Nothing more is executed. */
  public void end() {
    state = State.OVER;
  }

  /** A request of the client was answered. */
  public void progress(long now) {
    if (state == State.SAID_ALL) {
      progressAt = now;
    }
  }

  /** When its input ended, or one of its requests was answered since. */
  public long progressAt() {
    return progressAt;
  }

  /**
   * Whether the client, whose input has ended, has been served for too long.
   *
   * @param takenAt when it last took bytes of its replies
   */
  public boolean isOverdue(long takenAt, long now) {
    long since = isGone() ? progressAt : Clocks.later(progressAt, takenAt);
    return hasSaidAll() && now - since > LINGER_NANOS;
  }

  /** Drops its requests, for this reason or an earlier one. */
  public void drop(DropReason reason) {
    if (dropping == null) {
      dropping = reason;
    }
  }

  /** The reason why its requests are dropped; null: they are executed. */
  public @Nullable DropReason dropping() {
    return dropping;
  }
}
