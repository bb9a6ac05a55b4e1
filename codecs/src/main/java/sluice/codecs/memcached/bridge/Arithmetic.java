package sluice.codecs.memcached.bridge;

/** Change of a counter that a request asks for. */
public final class Arithmetic {
  /** The change of the counter; VERBOSITY: the level. */
  public long delta = 1;

  /** The initial value of a counter that does not exist. */
  public long initial;

  /**
   * Time to live for a counter that does not exist. If it is given, the counter is created with
   * {@link #initial}.
   */
  public final TimeToLive created = new TimeToLive();

  void reset() {
    delta = 1;
    initial = 0;
    created.reset();
  }

  void set(Arithmetic other) {
    delta = other.delta;
    initial = other.initial;
    created.set(other.created);
  }
}
