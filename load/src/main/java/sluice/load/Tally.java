package sluice.load;

import org.HdrHistogram.Histogram;

/**
 * Measurements of one load in one phase. One thread writes them; they are read when the phase is
 * over.
 *
 * <p>Latency counts from the intended sending time, so that a request delayed by a slow one
 * includes its wait.
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

  /** Counts a request that was sent, with its intended time. */
  void sent(long intendedNanos, long now) {
    sent++;
    lateness.recordValue(within(now - intendedNanos));
  }

  /** Counts a reply. */
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
