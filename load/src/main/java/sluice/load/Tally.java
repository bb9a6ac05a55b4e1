package sluice.load;

import org.HdrHistogram.Histogram;

/**
 * What one load saw in one phase. One thread writes; it is read when the phase is over.
 *
 * <p>Latency is counted from when a request was to be sent, so that one that waits behind a slow
 * one counts what it waited.
 */
final class Tally {
  private static final long LONGEST_NANOS = 120_000_000_000L;
  private static final int DIGITS = 3;

  final String load;
  final Phase phase;
  final Histogram latency = new Histogram(LONGEST_NANOS, DIGITS);
  final Histogram lateness = new Histogram(LONGEST_NANOS, DIGITS);
  long planned;
  long sent;
  long answered;
  long errors;
  double seconds;

  Tally(String load, Phase phase) {
    this.load = load;
    this.phase = phase;
    latency.setTag(load + "-" + phase.label());
  }

  /** A request left that was to leave at that time. */
  void sent(long intendedNanos, long now) {
    sent++;
    lateness.recordValue(within(now - intendedNanos));
  }

  /** It was answered. */
  void answered(long intendedNanos, long now, boolean error) {
    answered++;
    if (error) {
      errors++;
    }
    latency.recordValue(within(now - intendedNanos));
  }

  private static long within(long nanos) {
    return Math.max(0, Math.min(LONGEST_NANOS, nanos));
  }

  double perSecond() {
    return seconds == 0 ? 0 : answered / seconds;
  }
}
