package sluice.gateway.exchange;

/** Link from a request to the {@link Guard} that observes it. */
final class Guarded {
  private Guard guard; // null if there is none
  private long what;

  void begin(Guard by, long of) {
    guard = by;
    what = of;
    by.begin(of);
  }

  Guard guard() {
    return guard;
  }

  long what() {
    return what;
  }

  /** The request continues elsewhere. */
  void moveTo(Guarded other) {
    other.guard = guard;
    other.what = what;
    guard = null;
  }

  /** The request is no longer in flight. */
  void end() {
    if (guard != null) {
      Guard ended = guard;
      guard = null;
      ended.end(what);
    }
  }
}
