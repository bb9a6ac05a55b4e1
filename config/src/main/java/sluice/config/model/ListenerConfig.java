package sluice.config.model;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import sluice.names.Dialect;

/**
 * Where clients come from and what they may do.
 *
 * @param name its key under {@code listeners}
 * @param bind where it listens
 * @param protocol what its clients speak
 * @param dialects which of memcached's dialects it takes; never empty
 * @param route the name of one of {@link Configuration#routes()}
 * @param limits of its connections
 * @param allow the guarded commands that its clients may send
 * @param node of internode: the address by which nodes know the one behind the listener, an IP
 *     address and a port; empty if it is what the listener is bound to
 * @param peers of internode: nodes that may be connected to, by the address that they say they have
 * @param strict of internode: whether links are refused that nobody can look into
 * @param tls towards its clients; empty if they speak without
 * @param auth who they must be; empty if anybody is let in
 * @param proxyProtocol proxies that say who the client is; empty if none does
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
