package sluice.gateway.internode;

import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import sluice.codecs.internode.address.AddressMap;
import sluice.config.model.AddressesConfig;
import sluice.config.model.NodeName;

/** Replacements of node addresses on a route, in messages to servers and from them. Immutable. */
public final class LinkAddresses {
  private final AddressMap there;
  private final AddressMap back;

  private LinkAddresses(AddressMap there) {
    this.there = there;
    this.back = there.inverse();
  }

  /**
   * The replacements of a configuration, which {@code check} has found one to one; null for none.
   */
  public static @Nullable LinkAddresses of(AddressesConfig config) {
    if (config.isEmpty()) {
      return null;
    }
    List<AddressMap.Entry> entries = new ArrayList<>();
    for (Map<NodeName, NodeName> map : List.of(config.from(), config.to())) {
      map.forEach(
          (from, to) ->
              entries.add(
                  new AddressMap.Entry(
                      NetUtil.createInetAddressFromIpAddressString(from.host()),
                      port(from),
                      NetUtil.createInetAddressFromIpAddressString(to.host()),
                      port(to))));
    }
    return new LinkAddresses(AddressMap.of(entries));
  }

  private static int port(NodeName name) {
    return name.port() == NodeName.ANY_PORT ? AddressMap.ANY_PORT : name.port();
  }

  /** From initiators to servers. */
  AddressMap there() {
    return there;
  }

  /** From servers to initiators. */
  AddressMap back() {
    return back;
  }

  /** Whether another has the same replacements. */
  boolean isSame(@Nullable LinkAddresses other) {
    return other != null && there.entries().equals(other.there.entries());
  }

  /** A node's address as servers see it. */
  InetSocketAddress there(InetSocketAddress node) {
    for (AddressMap.Entry entry : there.entries()) {
      boolean anyPort = entry.fromPort() == AddressMap.ANY_PORT;
      if (entry.from().equals(node.getAddress())
          && (anyPort || entry.fromPort() == node.getPort())) {
        return new InetSocketAddress(entry.to(), anyPort ? node.getPort() : entry.toPort());
      }
    }
    return node;
  }
}
