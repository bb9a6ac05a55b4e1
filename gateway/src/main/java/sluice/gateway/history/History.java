package sluice.gateway.history;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.gateway.metrics.Interval;

/**
 * The last hour of the process, in samples of {@value #PERIOD_SECONDS} seconds. Holds {@value
 * #CAPACITY} samples; a further one replaces the oldest. Thread-safe.
 */
public final class History {
  /** Time that a sample covers. */
  public static final int PERIOD_SECONDS = 5;

  /** Number of samples in an hour. */
  static final int CAPACITY = 3600 / PERIOD_SECONDS;

  /**
   * One sample.
   *
   * @param end when it was taken
   * @param figures what happened since the sample before it
   */
  public record Sample(Instant end, Interval figures) {}

  private final @Nullable Sample[] ring = new Sample[CAPACITY];
  private long taken;

  /** Adds a sample, in place of the oldest if the ring is full. */
  public synchronized void add(Instant end, Interval figures) {
    ring[(int) (taken % CAPACITY)] = new Sample(end, figures);
    taken++;
  }

  /** The samples that ended within {@code span} before {@code now}, the oldest first. */
  public synchronized List<Sample> within(Duration span, Instant now) {
    List<Sample> found = new ArrayList<>();
    Instant from = now.minus(span);
    for (long i = Math.max(0, taken - CAPACITY); i < taken; i++) {
      Sample sample = ring[(int) (i % CAPACITY)];
      if (sample != null && sample.end().isAfter(from)) {
        found.add(sample);
      }
    }
    return found;
  }
}
