package sluice.codecs.memcached.bridge;

/** Time to live that a request may carry, and its place among those of a meta line. */
public final class TimeToLive {
  /** In {@link Exptime}'s form. */
  public long exptime;

  /** Whether {@link #exptime} was given. */
  public boolean isGiven;

  /** The token of a meta line that gives it; 0 if there is none. */
  int token;

  void reset() {
    exptime = 0;
    isGiven = false;
    token = 0;
  }

  /** Sets it, in {@link Exptime}'s form. */
  public void set(long exptime) {
    this.exptime = exptime;
    isGiven = true;
  }

  /** Sets it by a token of a meta line. */
  void set(long exptime, int token) {
    set(exptime);
    this.token = token;
  }

  void set(TimeToLive other) {
    exptime = other.exptime;
    isGiven = other.isGiven;
    token = other.token;
  }
}
