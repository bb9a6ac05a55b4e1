package sluice.gateway.request;

/**
 * Links of a reply to other objects, which few replies have: the aggregator that it is a part for,
 * the aggregator of its own parts, the examination of its value, and the guard of its request.
 */
final class ReplyLinks {
  private final InFlightLink guarded = new InFlightLink();
  private Aggregator aggregator;
  private int part;
  private Aggregator parts;
  private Aggregator.Continuation continuation;

  /** Ends the guard's observation, and clears all links. */
  void reset() {
    guarded.end();
    aggregator = null;
    part = 0;
    parts = null;
    continuation = null;
  }

  boolean areReset() {
    return guarded.guard() == null && aggregator == null && parts == null && continuation == null;
  }

  InFlightLink guarded() {
    return guarded;
  }

  Aggregator aggregator() {
    return aggregator;
  }

  int part() {
    return part;
  }

  void partOf(Aggregator of, int number) {
    aggregator = of;
    part = number;
  }

  Aggregator parts() {
    return parts;
  }

  void splitInto(Aggregator into) {
    parts = into;
  }

  Aggregator.Continuation continuation() {
    return continuation;
  }

  void continueBy(Aggregator.Continuation by) {
    continuation = by;
  }
}
