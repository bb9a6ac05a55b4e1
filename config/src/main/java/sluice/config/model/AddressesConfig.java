package sluice.config.model;

import java.util.Map;

/**
 * Addresses of nodes that are replaced inside internode messages, one to one over both maps: each
 * by what it is mapped to, on the way from initiators to servers, and the other way round back.
 *
 * @param from the initiators' addresses
 * @param to the servers' addresses
 */
public record AddressesConfig(Map<NodeName, NodeName> from, Map<NodeName, NodeName> to) {
  /** Takes copies of the maps. */
  public AddressesConfig {
    from = Ordered.copyOf(from);
    to = Ordered.copyOf(to);
  }

  /** Whether nothing is replaced. */
  public boolean isEmpty() {
    return from.isEmpty() && to.isEmpty();
  }
}
