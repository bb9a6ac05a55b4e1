package sluice.gateway.client.leaving;

import java.util.concurrent.TimeUnit;

/**
 * Incomplete request of a client whose connection is to be closed. The client gets some time to
 * send the rest. All times are nanoseconds.
 */
public final class UnfinishedRequest {
  /**
   * How long a client that must leave may send too little of the value that it is sending, or be
   * inside any other part of a request.
   */
  public static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(30);

  private boolean isDue;
  private long waitsSince; // since when nothing but its next bytes has been waited for
  private long takingAt;

  /** None yet. */
  public UnfinishedRequest(long now) {
    takingAt = now;
  }

  /** Whether the client must leave before its next request. */
  public boolean isDue() {
    return isDue;
  }

  /** It takes its replies, however slowly, and is not read until then: the rest may be there. */
  public void takesReplies(long now) {
    takingAt = now;
  }

  /** Whether it has taken no replies, in that way, for as long as it may be inside a request. */
  public boolean takesNone(long now) {
    return now - takingAt > LIMIT_NANOS;
  }

  /**
   * The client must leave once the request is complete.
   *
   * @param isAwaited whether the gateway waits only for its next bytes
   */
  public void mustLeave(boolean isAwaited, long now) {
    waitsSince = isDue && isAwaited ? waitsSince : now;
    isDue = true;
  }

  /** The client leaves. */
  public void end() {
    isDue = false;
  }

  /** Whether the client has been inside it for too long, if its next bytes are awaited. */
  public boolean isOverdue(long now) {
    return isDue && now - waitsSince > LIMIT_NANOS;
  }
}
