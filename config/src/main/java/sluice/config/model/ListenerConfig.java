package sluice.config.model;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import sluice.names.Dialect;

/**
 * Listener: the address on which clients connect, and what they may do.
 *
 * @param name its key under {@code listeners}
 * @param bind address that it listens on
 * @param protocol that its clients speak
 * @param dialects of memcached that it accepts; never empty
 * @param route the name of one of {@link Configuration#routes()}
 * @param limits of its connections
 * @param allow the guarded commands that its clients may send
 * @param node for internode: the IP address and port by which nodes know the node behind the
 *     listener; empty if that is the bound address
 * @param peers for internode: nodes that may be connected to, by the address that they state as
 *     their own
 * @param strict for internode: whether to refuse links whose messages cannot be inspected
 * @param tls towards its clients; empty for none
 * @param auth users that clients must log in as; empty to accept every client
 * @param proxyProtocol proxies that state the client's address; empty if there are none
 */
public record ListenerConfig(
    String name,
    Address bind,
    ListenerProtocol protocol,
    Set<Dialect> dialects,
    String route,
    LimitsConfig limits,
    Set<GuardedCommand> allow,
    Optional<Address.Tcp> node,
    List<PeerName> peers,
    boolean strict,
    Optional<ListenerTlsConfig> tls,
    Optional<ListenerAuthConfig> auth,
    Optional<ProxyProtocolConfig> proxyProtocol) {
  /**
   * Takes copies in the order of the constants, so that equal settings are equal and print alike.
   */
  public ListenerConfig {
    dialects = Ordered.copyOf(Dialect.class, dialects);
    allow = Ordered.copyOf(GuardedCommand.class, allow);
    peers = List.copyOf(peers);
  }
}
