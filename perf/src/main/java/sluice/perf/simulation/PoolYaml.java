package sluice.perf.simulation;

import java.util.random.RandomGenerator;

/**
 * Pools of a configuration.
 *
 * @param dialect in which the servers are spoken to
 * @param shared connections that loops share; 0: each loop has its own
 * @param retriesGateways whether requests to another gateway are retried: each counts there
 */
record PoolYaml(String dialect, int shared, boolean retriesGateways) {
  private static final String HEALTH =
      "\n    health: {failures: 2, probe: 300ms, ejectFor: 500ms..4s, maxEjected: %s, rehash: %b}";

  /** Settings of a pool that ejects servers. A reload may change them. */
  static String ejecting(RandomGenerator random) {
    return HEALTH.formatted(random.nextBoolean() ? "50%" : "100%", random.nextBoolean());
  }

  /**
   * Appends a pool.
   *
   * @param random chooses what a reload may change
   * @param more further lines
   */
  void append(StringBuilder yaml, RandomGenerator random, String name, String source, String more) {
    int chosen = random.nextInt(3);
    int retries = source.contains(Scenario.GATEWAYS) && !retriesGateways ? 0 : chosen;
    yaml.append(
        """
          %s:
            %s
            dialect: %s
            timeout: %s
            connections: {%s, connectTimeout: 1s, idle: %s}%s%s
        """
            .formatted(
                name,
                source,
                dialect,
                random.nextBoolean() ? "2s" : "3s",
                shared > 0 ? "max: " + shared : "perEventLoop: " + random.nextInt(1, 3),
                random.nextBoolean() ? "5m" : "20s",
                more,
                retries == 0 ? "" : "\n    retries: {max: " + retries + "}"));
  }
}
