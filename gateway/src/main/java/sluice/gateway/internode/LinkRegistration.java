package sluice.gateway.internode;

import java.net.InetSocketAddress;

/**
 * One link's entry in the registry: from which node it leads to which, while it leads somewhere.
 */
final class LinkRegistration {
  private final LinkRegistry registry;
  private final ReturnLink link;
  private final InetSocketAddress from;
  private InetSocketAddress to; // null: it is not in the registry

  /** The entry of a link from a node, not in the registry yet. */
  LinkRegistration(LinkRegistry registry, ReturnLink link, InetSocketAddress from) {
    this.registry = registry;
    this.link = link;
    this.from = from;
  }

  /** The link leads to this node from now on; null if nothing says to which. */
  void leadTo(InetSocketAddress node) {
    if (to != null && to.equals(node)) {
      return;
    }
    end();
    to = node;
    if (to != null) {
      registry.add(from, to, link);
    }
  }

  /** The link leads nowhere any more. */
  void end() {
    if (to != null) {
      registry.remove(from, to, link);
      to = null;
    }
  }
}
