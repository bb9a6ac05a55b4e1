package sluice.gateway.client.leaving;

import java.util.concurrent.TimeUnit;
import sluice.config.model.LimitsConfig;
import sluice.gateway.loop.Loop;
import sluice.gateway.time.Chance;

/** Lifetime of one client, and the time since it was last heard. */
public final class Lifetime {
  /** Silence after which a client that must leave does so, once it has its replies. */
  private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long LEAST_OVERTIME_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Loop loop;
  private final long opened;
  private final long maxAgeNanos; // 0: any age
  // position among the clients that leave when the gateway drains
  private final double place = Chance.nextDouble();
  private long heardAt;

  /** Begins now. */
  public Lifetime(Loop loop, LimitsConfig limits) {
    this.loop = loop;
    opened = loop.now();
    heardAt = opened;
    long maxAge = limits.maxAgeMillis() * 1_000_000L;
    // Jittered by up to a fifth, so that clients that came together do not leave together.
    maxAgeNanos = maxAge == 0 ? 0 : maxAge - (long) (Chance.nextDouble() * maxAge / 5);
  }

  /** The client has sent something, or was paused until now. */
  public void heard() {
    heardAt = loop.now();
  }

  /** Whether the client was silent for longer than the limits, which may be new, allow. */
  public boolean isSilent(LimitsConfig limits) {
    long idle = limits.idleMillis() * 1_000_000L;
    return idle > 0 && loop.now() - heardAt > idle;
  }

  /**
   * Whether the client, which seems to be idle, must leave: it has been quiet for a moment. A
   * client that never is quiet may stay for longer, with the required moment shrinking.
   *
   * @param drained elapsed share of the time in which clients leave, 0 to 1; negative: they may
   *     stay
   * @param overtimeShare elapsed share of the additional time for clients that should have left, 0
   *     to 1
   */
  public boolean ends(double drained, double overtimeShare) {
    double over = drained >= place ? overtimeShare : -1;
    long age = loop.now() - opened;
    if (maxAgeNanos > 0 && age > maxAgeNanos) {
      long overtime = Math.max(LEAST_OVERTIME_NANOS, maxAgeNanos / 10);
      over = Math.max(over, (double) (age - maxAgeNanos) / overtime);
    }
    return over >= 0 && loop.now() - heardAt >= (long) (QUIET_NANOS * (1 - Math.min(1, over)));
  }
}
