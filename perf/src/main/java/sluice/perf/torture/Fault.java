package sluice.perf.torture;

/** What can happen to a gateway; each has a label for the command line and the summary. */
enum Fault {
  /** A server's connection ends inside a request, at any byte. */
  CUT_REQUEST("cut-request", 10),
  /** A server's connection ends inside a reply, which the server has sent whole. */
  CUT_REPLY("cut-reply", 10),
  /** A client goes away inside a request, at any byte. */
  CUT_CLIENT("cut-client", 8),
  /** A server's process stops for a while, and goes on with what it was sent. */
  STALL("stall", 5),
  /** Each read of a server's connections arrives later. */
  DELAY("delay", 5),
  /** What is sent to a server and by it is lost, connections that are made are never answered. */
  PARTITION("partition", 4),
  /** A server's connections are reset, and new ones refused. */
  REFUSE("refuse", 4),
  /** A server is killed, and started again with nothing in it. */
  RESTART_SERVER("restart-server", 4),
  /** Pools, routes and names of keys change. */
  RELOAD("reload", 12),
  /** The listener, the servers and the gateway towards them get other certificates. */
  RENEW_CERTIFICATES("renew-certificates", 3),
  /** The gateway drains, ends, and is started again. */
  RESTART_GATEWAY("restart-gateway", 1);

  private final String label;
  private final int weight;

  Fault(String label, int weight) {
    this.label = label;
    this.weight = weight;
  }

  String label() {
    return label;
  }

  /** How often it comes beside the others. */
  int weight() {
    return weight;
  }

  /**
   * Whether requests to servers that keep what they hold may fail for it. Only such servers are
   * never restarted, and {@link #CUT_CLIENT} cuts clients of its own pipe.
   */
  boolean breaksRequestsToSteadyServers() {
    return switch (this) {
      case CUT_REQUEST, CUT_REPLY, STALL, DELAY, PARTITION, REFUSE, RESTART_GATEWAY -> true;
      case CUT_CLIENT, RESTART_SERVER, RELOAD, RENEW_CERTIFICATES -> false;
    };
  }

  /** Whether it is over as soon as it has happened. */
  boolean lasts() {
    return this == STALL || this == DELAY || this == PARTITION || this == REFUSE;
  }
}
