package sluice.ring;

import java.net.InetAddress;
import java.util.List;
import java.util.Map;

/**
 * What the gateway does on one link.
 *
 * @param link where it listens and connects to
 * @param rules of its route, as YAML, which come before the one that names the node
 * @param from addresses of initiators, and what the node is told instead
 * @param to addresses of the node as initiators know it, and what it is told instead
 */
record Passage(
    Link link,
    List<String> rules,
    Map<InetAddress, InetAddress> from,
    Map<InetAddress, InetAddress> to) {

  /** Everything passes as it is. */
  static Passage plain(Link link) {
    return new Passage(link, List.of(), Map.of(), Map.of());
  }

  /** The same with another rule in front. */
  Passage with(String rule) {
    return new Passage(link, List.of(rule), from, to);
  }
}
