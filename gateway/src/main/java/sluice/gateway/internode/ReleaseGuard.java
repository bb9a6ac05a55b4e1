package sluice.gateway.internode;

/**
 * The end of something that may end while it is being read: what it holds is released at once, or
 * when that read returns.
 */
final class ReleaseGuard {
  private enum State {
    IDLE,
    READING,
    ENDS_AFTER_READING,
    ENDED
  }

  private final Runnable release;
  private State state = State.IDLE;

  /** A guard that calls {@code release} once. */
  ReleaseGuard(Runnable release) {
    this.release = release;
  }

  /** A read begins, which {@link #leave} ends; false if it must not, because the end has come. */
  boolean enter() {
    if (state != State.IDLE) {
      return false;
    }
    state = State.READING;
    return true;
  }

  /** A read has returned. */
  void leave() {
    if (state == State.ENDS_AFTER_READING) {
      state = State.ENDED;
      release.run();
    } else {
      state = State.IDLE;
    }
  }

  /** Nothing is read any more. */
  void end() {
    if (state == State.READING) {
      state = State.ENDS_AFTER_READING;
    } else if (state == State.IDLE) {
      state = State.ENDED;
      release.run();
    }
  }

  /** Whether the end has come. */
  boolean isOver() {
    return state == State.ENDS_AFTER_READING || state == State.ENDED;
  }
}
