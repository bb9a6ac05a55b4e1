package sluice.perf.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * The parts of a gateway's configuration for two Cassandra nodes.
 *
 * @param tls which connections have TLS
 * @param rejectsMessages whether a rule rejects TRUNCATE_REQ
 */
record NodeYaml(NodeTls tls, boolean rejectsMessages) {
  /** The host of a node, 1 or 2. */
  static String host(int number) {
    return "10.3.0." + number;
  }

  /** A gateway's port that leads to a node. */
  static int port(int number) {
    return NodeFrames.PORT + number;
  }

  /** The listeners of a gateway that lead to them. */
  String listeners(String host, RandomGenerator random) {
    StringBuilder yaml = new StringBuilder();
    for (int i = 1; i <= 2; i++) {
      yaml.append(
          """
            node%d:
              {bind: "%s:%d", node: "%s:%d", protocol: internode, route: node%d, limits: {inFlightBytes: %s}%s}
          """
              .formatted(
                  i,
                  host,
                  port(i),
                  host(i),
                  NodeFrames.PORT,
                  i,
                  random.nextBoolean() ? "64KiB" : "1MiB",
                  tls.ofListener(i, random)));
    }
    return yaml.toString();
  }

  /** Adds the routes. */
  void routes(StringBuilder yaml, RandomGenerator random) {
    List<String> rejected = new ArrayList<>();
    if (rejectsMessages) {
      rejected.add("TRUNCATE_REQ");
    }
    if (random.nextBoolean()) {
      rejected.add("SNAPSHOT_REQ"); // no node sends it
    }
    String rule = "    - match: {verbs: [%s]}\n      reject: not from here\n";
    for (int i = 1; i <= 2; i++) {
      yaml.append("  node").append(i).append(":\n");
      if (!rejected.isEmpty()) {
        yaml.append(rule.formatted(String.join(", ", rejected)));
      }
      yaml.append("    - pool: node").append(i).append('\n');
    }
  }

  /** Adds the pools. */
  void pools(StringBuilder yaml, RandomGenerator random) {
    String[] framings = {"same", "crc", "lz4", "unprotected"};
    for (int i = 1; i <= 2; i++) {
      yaml.append(
          "  node%d: {protocol: internode, servers: [\"%s:%d\"], framing: %s%s}\n"
              .formatted(
                  i,
                  host(i),
                  NodeFrames.PORT,
                  framings[random.nextInt(framings.length)],
                  tls.ofPool(i, random)));
    }
  }
}
