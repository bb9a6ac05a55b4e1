package sluice.perf.simulation;

/** Connection to a program that either side may close. */
abstract class ClosableSession implements Program.Session {
  /** Whether it is closed. */
  boolean closed;

  @Override
  public final boolean isClosed() {
    return closed;
  }

  @Override
  public final void close() {
    closed = true;
  }
}
