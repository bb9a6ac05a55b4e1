package sluice.config.model;

import java.util.Map;

/**
 * Replacement of node addresses inside internode messages, one to one over both maps. Messages from
 * initiators to servers get the replacement; messages in the other direction get the original
 * address back.
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
