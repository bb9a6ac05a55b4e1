package sluice.gateway.internode;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** Entry of one link in the registry: the nodes at its two ends, while both are known. */
final class LinkRegistration {
  private final LinkRegistry registry;
  private final ReturnLink link;
  private final InetSocketAddress from;
  private @Nullable InetSocketAddress to; // null: it is not in the registry

  /** An entry for a link from a node, which is not in the registry yet. */
  LinkRegistration(LinkRegistry registry, ReturnLink link, InetSocketAddress from) {
    this.registry = registry;
    this.link = link;
    this.from = from;
  }

  /** Registers the link as one to this node; null if the node is not known. */
  void leadTo(@Nullable InetSocketAddress node) {
    if (to != null && to.equals(node)) {
      return;
    }
    end();
    to = node;
    if (to != null) {
      registry.add(from, to, link);
    }
  }

  /** Removes the link from the registry. */
  void end() {
    if (to != null) {
      registry.remove(from, to, link);
      to = null;
    }
  }
}
