package sluice.perf.simulation;

import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Change of a gateway's configuration that replaces its near caches while a server carries out a
 * write late: the new caches know nothing of the write, and read what it replaces.
 */
final class CacheReload {
  private static final long MOST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(40);

  /** Within that time, all event loops have the new configuration, and some reads have replies. */
  private static final long LEAST_BEFORE_NANOS = TimeUnit.MILLISECONDS.toNanos(6);

  private static final long MOST_BEFORE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** For a read that finds the new value, and one behind it. */
  private static final long LEAST_BEHIND_NANOS = TimeUnit.MILLISECONDS.toNanos(4);

  private static final long MOST_BEHIND_NANOS = TimeUnit.MILLISECONDS.toNanos(12);

  private final World world;
  private final String gateway;
  private final RandomGenerator random;
  private final boolean possible;
  private long due;

  CacheReload(World world, Scenario scenario, String gateway, RandomGenerator random) {
    this.world = world;
    this.gateway = gateway;
    this.random = random;
    boolean tellsTimes = scenario.dialect().equals("same") || scenario.dialect().equals("meta");
    possible =
        scenario.rules().contains(Rule.NEAR)
            && tellsTimes // a read that asks for one passes near caches
            && !scenario.isChained()
            && !scenario.hasFile(); // it would be read some time later
    later();
  }

  private void later() {
    due = world.simulator().now() + random.nextLong(MOST_PAUSE_NANOS);
  }

  /** Whether the next round of a crowd is one. */
  boolean isDue() {
    return possible && world.simulator().now() >= due;
  }

  /** The next write of a key is late, and the configuration changes when a server has it. */
  void begin(SharedKey key) {
    later();
    LateWrite write =
        new LateWrite(
            key.name(),
            random.nextLong(LEAST_BEFORE_NANOS, MOST_BEFORE_NANOS),
            random.nextLong(LEAST_BEHIND_NANOS, MOST_BEHIND_NANOS),
            () -> world.operator().replaceCaches(gateway));
    world.servers().forEach(server -> server.carriesOutLate(write));
  }
}
