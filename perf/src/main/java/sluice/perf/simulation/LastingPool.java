package sluice.perf.simulation;

import java.util.random.RandomGenerator;

/**
 * Pool with large values in chunks, some of whose servers a fault replaces for a while: they are
 * ejected, or another pool takes over. They come back with their items.
 */
final class LastingPool {
  /** What its keys begin with. */
  static final String PREFIX = "last:";

  private LastingPool() {}

  /** Its part of a route. */
  static String rule(boolean ejects) {
    return "    - match: {prefix: \""
        + PREFIX
        + "\"}\n      pool: last\n      split: 2KiB\n"
        + (ejects ? "" : "      failover: [cache]\n");
  }

  /** Appends its part of a configuration. */
  static void append(
      StringBuilder yaml,
      PoolYaml pools,
      RandomGenerator random,
      String source,
      boolean ejects,
      String more) {
    pools.append(yaml, random, "last", source, (ejects ? PoolYaml.ejecting(random) : "") + more);
  }
}
