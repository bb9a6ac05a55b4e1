package sluice.gateway.process;

import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import sluice.config.model.Address;
import sluice.config.model.Configuration;
import sluice.config.model.ListenerConfig;
import sluice.config.model.ListenerProtocol;
import sluice.config.model.NodeName;
import sluice.config.model.PoolConfig;
import sluice.config.model.PoolProtocol;
import sluice.config.model.RuleConfig;
import sluice.gateway.internode.Reach;
import sluice.gateway.routing.RoutingGraph;

/** Addresses of Cassandra nodes in the configuration. From any thread. */
final class NodeAddresses {
  private final Supplier<RoutingGraph> graph;
  private final ListenerAddresses addresses;

  /** Addresses according to the graph in use at the time of each call. */
  NodeAddresses(Supplier<RoutingGraph> graph, ListenerAddresses addresses) {
    this.graph = graph;
    this.addresses = addresses;
  }

  /** The address by which nodes know the node behind a listener; null if it is not known. */
  @Nullable InetSocketAddress node(ListenerConfig listener) {
    Address bind = Address.parse(bound(listener)).orElse(null);
    Address.Tcp node =
        listener.node().orElse(bind instanceof Address.Tcp tcp && tcp.isNode() ? tcp : null);
    return node == null
        ? null
        : new InetSocketAddress(
            NetUtil.createInetAddressFromIpAddressString(node.host()), node.port());
  }

  private String bound(ListenerConfig listener) {
    String address = addresses.of(listener.name());
    return address == null ? "" : address;
  }

  /** The server behind the listener of a node; null if there is none. */
  @Nullable Reach behind(InetSocketAddress node) {
    RoutingGraph now = graph.get();
    for (ListenerConfig listener : now.configuration().listeners().values()) {
      if (listener.protocol() == ListenerProtocol.INTERNODE && node.equals(node(listener))) {
        PoolConfig pool = now.configuration().pool(now.verbRoute(listener.route()).pool());
        return LoopPools.reach(pool, now.encryption());
      }
    }
    return null;
  }

  /**
   * Whether a listener's configuration names a node that may be connected to. It may be one of its
   * peers, one of the replaced addresses of initiators, or a server. An entry without a port means
   * the port of the listener's own node.
   */
  boolean isPeer(String name, InetSocketAddress node) {
    Configuration now = graph.get().configuration();
    ListenerConfig listener = now.listeners().get(name);
    InetSocketAddress own = listener == null ? null : node(listener);
    if (listener == null || own == null) {
      return false;
    }
    boolean named =
        listener.peers().stream()
            .anyMatch(peer -> isPort(peer.port(), node, own) && peer.covers(node.getAddress()));
    return named || isReplaced(listener, node, own) || isServer(node);
  }

  private boolean isReplaced(
      ListenerConfig listener, InetSocketAddress node, InetSocketAddress own) {
    String host = node.getAddress().getHostAddress();
    return graph.get().configuration().route(listener.route()).rules().stream()
        .map(RuleConfig::addresses)
        .flatMap(
            addresses ->
                Stream.of(addresses.from(), addresses.to()).flatMap(map -> map.keySet().stream()))
        .anyMatch(known -> known.host().equals(host) && isPort(known.port(), node, own));
  }

  private static boolean isPort(int port, InetSocketAddress node, InetSocketAddress own) {
    return node.getPort() == (port == NodeName.ANY_PORT ? own.getPort() : port);
  }

  private boolean isServer(InetSocketAddress node) {
    return graph.get().configuration().pools().values().stream()
        .filter(pool -> pool.protocol() == PoolProtocol.INTERNODE)
        .anyMatch(pool -> isAddress(pool.servers().get(0).address(), node));
  }

  /** An address of IPv6 can be written in several ways. */
  static boolean isAddress(Address address, InetSocketAddress node) {
    return address instanceof Address.Tcp tcp
        && tcp.port() == node.getPort()
        && node.getAddress().equals(NetUtil.createInetAddressFromIpAddressString(tcp.host()));
  }
}
