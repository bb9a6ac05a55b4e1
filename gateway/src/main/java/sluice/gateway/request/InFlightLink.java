package sluice.gateway.request;

import org.jspecify.annotations.Nullable;

/** Link from a request to the {@link InFlightWatcher} that observes it. */
final class InFlightLink {
  private @Nullable InFlightWatcher guard; // null if there is none
  private long what;

  void begin(InFlightWatcher by, long of) {
    guard = by;
    what = of;
    by.begin(of);
  }

  @Nullable InFlightWatcher guard() {
    return guard;
  }

  long what() {
    return what;
  }

  /** The request continues with another link. */
  void moveTo(InFlightLink other) {
    other.guard = guard;
    other.what = what;
    guard = null;
  }

  /** The request is no longer in flight. */
  void end() {
    if (guard != null) {
      InFlightWatcher ended = guard;
      guard = null;
      ended.end(what);
    }
  }
}
