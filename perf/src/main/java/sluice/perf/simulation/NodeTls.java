package sluice.perf.simulation;

import java.util.random.RandomGenerator;

/**
 * Which connections between Cassandra nodes have TLS: those from an initiator to a gateway, and
 * those from a gateway to the node. Each of the two nodes may have either, both or none.
 */
final class NodeTls {
  private static final int LISTENER = 1;
  private static final int NODE = 2;
  private static final int COMBINATIONS = 4;

  private final int first; // what of it the first node has: LISTENER, NODE, both or none
  private final int second;
  private final boolean mutual;

  /** As a seed chooses it: in a third of the simulations, some connections have TLS. */
  NodeTls(RandomGenerator random) {
    boolean some = random.nextInt(3) == 0;
    first = some ? random.nextInt(1, COMBINATIONS) : 0;
    second = some ? random.nextInt(COMBINATIONS) : 0;
    mutual = some && random.nextBoolean();
  }

  /** Whether gateways' listeners of a node, 1 or 2, need TLS. */
  boolean isOfListener(int node) {
    return has(node, LISTENER);
  }

  /** Whether a node itself needs it. */
  boolean isOfNode(int node) {
    return has(node, NODE);
  }

  /** Whether any of them has it. */
  boolean isAny() {
    return (first | second) != 0;
  }

  /** Whether nodes that need it verify the gateways' certificates. */
  boolean isMutual() {
    return mutual;
  }

  private boolean has(int node, int what) {
    return ((node == 1 ? first : second) & what) != 0;
  }

  /** What it adds to a listener of a node. Two differ in what a reload may change. */
  String ofListener(int node, RandomGenerator random) {
    if (!isOfListener(node)) {
      return "";
    }
    String asks =
        switch (random.nextInt(3)) {
          case 0 -> "";
          case 1 -> ", clientCa: " + Certificates.trusted() + ", clientAuth: request";
          default -> ", clientCa: " + Certificates.trusted();
        };
    return ", tls: {" + identity(random) + asks + '}';
  }

  /** What it adds to the pool of a node. */
  String ofPool(int node, RandomGenerator random) {
    if (!isOfNode(node)) {
      return "";
    }
    boolean presents = random.nextBoolean() || mutual;
    return ", tls: {ca: "
        + Certificates.trusted()
        + ", serverName: "
        + Certificates.NAME
        + (presents ? ", " + identity(random) : "")
        + '}';
  }

  private static String identity(RandomGenerator random) {
    int number = random.nextInt(Certificates.COUNT);
    return "certificate: "
        + Certificates.certificate(number)
        + ", key: "
        + Certificates.key(number);
  }
}
