package sluice.perf.simulation;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.random.RandomGenerator;

/** Listener of gateways for clients that speak Ignite's dialect, and its route. */
final class IgniteListener {
  private static final int PORT = 11213;

  private IgniteListener() {}

  /** That of a gateway whose other listener is given. */
  static InetSocketAddress address(InetSocketAddress gateway) {
    return new InetSocketAddress(gateway.getHostString(), PORT);
  }

  /** Whether its clients use a rule. */
  static boolean uses(Rule rule) {
    return switch (rule) {
      case EMBEDDED -> false; // the store does not speak this dialect
      case HEDGED -> false; // a read may be carried out late: a reply would not say what is there
      case WARMED -> false; // a miss may be filled later
      default -> true;
    };
  }

  /** Its part of a configuration. */
  static String yaml(String host) {
    return "  items: {bind: \"%s:%d\", protocol: ignite, route: items, allow: []}\n"
        .formatted(host, PORT);
  }

  /** Its route, to the pools of other rules. */
  static String route(List<Rule> rules, List<Limit> limits, RandomGenerator random) {
    StringBuilder yaml = new StringBuilder("  items:\n").append(Limit.yaml(limits, Limit.ITEMS));
    rules.stream().filter(IgniteListener::uses).forEach(rule -> yaml.append(rule.yaml(random)));
    return yaml.append("    - pool: cache\n").toString();
  }
}
