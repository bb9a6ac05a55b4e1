package sluice.gateway.time;

import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;

/**
 * Clocks of the calling thread: the system's, except on a {@link SimulatedThread}. The gateway
 * reads the time here and nowhere else.
 */
public final class Clocks {
  private static final InstantSource SOURCE = Clocks::now;
  private static final Clock UTC = SOURCE.withZone(ZoneOffset.UTC);

  private Clocks() {}

  /** Nanoseconds since any fixed moment, as {@link System#nanoTime} counts them. */
  public static long nanos() {
    return Thread.currentThread() instanceof SimulatedThread simulated
        ? simulated.nanoTime()
        : System.nanoTime();
  }

  /**
   * The later of two times of {@link #nanos}, which may overflow between them: the greater one need
   * not be the later one.
   */
  public static long later(long one, long other) {
    return one - other > 0 ? one : other;
  }

  /** Milliseconds since 1970; may jump. */
  public static long millis() {
    return Thread.currentThread() instanceof SimulatedThread simulated
        ? simulated.currentTimeMillis()
        : System.currentTimeMillis();
  }

  /** Seconds since 1970; may jump. */
  public static long seconds() {
    return Math.floorDiv(millis(), 1000L);
  }

  /** The current time of day; may jump. */
  public static Instant now() {
    return Thread.currentThread() instanceof SimulatedThread simulated
        ? Instant.ofEpochMilli(simulated.currentTimeMillis())
        : Instant.now();
  }

  /** A clock that shows {@link #now}. */
  public static Clock utc() {
    return UTC;
  }

  /**
   * A clock that shows the current time of day, and counts on from there as {@link #nanos} does: it
   * does not follow later steps of the system's clock.
   */
  public static InstantSource steady() {
    return new Steady(millis(), nanos());
  }

  private record Steady(long startMillis, long startNanos) implements InstantSource {
    @Override
    public long millis() {
      return startMillis + Math.floorDiv(nanos() - startNanos, 1_000_000L);
    }

    @Override
    public Instant instant() {
      return Instant.ofEpochMilli(millis());
    }
  }
}
