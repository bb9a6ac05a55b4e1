package sluice.gateway.internode;

/**
 * Guard for an object that may end while it is being read: the object is released at once, or when
 * that read returns.
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

  /**
   * Begins a read, which {@link #leave} ends; returns false if no read is allowed because the
   * object has ended.
   */
  boolean enter() {
    if (state != State.IDLE) {
      return false;
    }
    state = State.READING;
    return true;
  }

  /** Ends a read. */
  void leave() {
    if (state == State.ENDS_AFTER_READING) {
      state = State.ENDED;
      release.run();
    } else {
      state = State.IDLE;
    }
  }

  /** Ends the object: no further read is allowed. */
  void end() {
    if (state == State.READING) {
      state = State.ENDS_AFTER_READING;
    } else if (state == State.IDLE) {
      state = State.ENDED;
      release.run();
    }
  }

  /** Whether the object has ended. */
  boolean isOver() {
    return state == State.ENDS_AFTER_READING || state == State.ENDED;
  }
}
