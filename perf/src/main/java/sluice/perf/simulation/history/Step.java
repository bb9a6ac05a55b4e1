package sluice.perf.simulation.history;

import java.util.Locale;

/** Request of a client, and its place among those of others. */
public class Step {
  private static final long NEVER = Long.MAX_VALUE;

  private enum State {
    PENDING,
    DONE,
    REFUSED,
    FAILED
  }

  private final Object client;
  private final int number; // among those of its client
  private final long begun;
  private State state = State.PENDING;
  private long settled = NEVER; // it was carried out by then

  /**
   * A request that is sent now.
   *
   * @param number greater than those of the client's earlier requests
   */
  Step(Object client, int number, long now) {
    this.client = client;
    this.number = number;
    this.begun = now;
  }

  /** Its reply says that it was carried out. */
  public final void done(long now) {
    state = State.DONE;
    shown(now);
  }

  /** Its reply says that it was not. */
  public final void refused() {
    state = State.REFUSED;
  }

  /** It has no reply. It may have been carried out, or may be later. */
  public final void fails() {
    if (state == State.PENDING) {
      state = State.FAILED;
    }
  }

  /** Another reply shows that it was carried out. */
  final void shown(long now) {
    settled = Math.min(settled, now);
  }

  final boolean isRefused() {
    return state == State.REFUSED;
  }

  final boolean isFailed() {
    return state == State.FAILED;
  }

  /** Whether it was carried out before the other one could be. A client's requests keep order. */
  final boolean isBefore(Step other) {
    boolean ordered = state == State.DONE && client == other.client && number < other.number;
    return ordered || settled < other.begun;
  }

  @Override
  public String toString() {
    String end = settled == NEVER ? "" : " to " + seconds(settled);
    return state + " from " + seconds(begun) + end;
  }

  private static String seconds(long nanos) {
    return String.format(Locale.ROOT, "%.6f s", nanos / 1e9);
  }
}
