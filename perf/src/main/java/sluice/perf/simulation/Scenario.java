package sluice.perf.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** Configuration of gateways, and the number of clients and servers, as a seed chooses them. */
final class Scenario {
  private static final String[] DIALECTS = {"same", "same", "same", "text", "meta"};

  private final RandomGenerator random;
  private final int servers;
  private final int eventLoops;
  private final String dialect;
  private final int shared; // connections that loops share; 0: each loop has its own
  private final String memory;

  Scenario(RandomGenerator random) {
    this.random = random;
    servers = random.nextInt(1, 4);
    eventLoops = random.nextInt(1, 3);
    dialect = DIALECTS[random.nextInt(DIALECTS.length)];
    shared = random.nextInt(3) == 0 ? random.nextInt(1, 3) : 0;
    memory = random.nextInt(4) == 0 ? "4MiB" : "32MiB";
  }

  int servers() {
    return servers;
  }

  String serverHost(int number) {
    return "10.2.0." + (number + 1);
  }

  /** A configuration for a gateway. Two of the same scenario differ in what a reload may change. */
  String yaml(String host) {
    List<String> addresses = new ArrayList<>();
    for (int i = 0; i < servers; i++) {
      addresses.add("\"" + serverHost(i) + ":11211\"");
    }
    String connections =
        shared > 0 ? "max: " + shared : "perEventLoop: " + (random.nextInt(3) == 0 ? 2 : 1);
    int retries = random.nextInt(3);
    return """
    admin: {bind: "%s:9901"}
    process: {eventLoops: %d, memory: %s, drain: 5s}
    metrics: {vertx: false}
    listeners:
      cache:
        bind: "%s:11211"
        route: cache
        limits: {itemSize: %s, inFlight: %d}
        allow: []
    routes:
      cache:
        - match: {prefix: "never:"}
          reject: never
        - pool: cache
    pools:
      cache:
        servers: [%s]
        dialect: %s
        timeout: %s
        connections: {%s, connectTimeout: 1s, idle: %s}%s
    """
        .formatted(
            host,
            eventLoops,
            memory,
            host,
            random.nextBoolean() ? "1MiB" : "700KiB",
            random.nextBoolean() ? 1024 : 64,
            String.join(", ", addresses),
            dialect,
            random.nextBoolean() ? "2s" : "3s",
            connections,
            random.nextBoolean() ? "5m" : "20s",
            retries == 0 ? "" : "\n    retries: {max: " + retries + "}");
  }
}
