package sluice.gateway.routing;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import sluice.config.model.Configuration;
import sluice.config.model.ListenerConfig;
import sluice.config.model.ListenerProtocol;
import sluice.config.model.ListenerTlsConfig;
import sluice.config.model.PoolConfig;
import sluice.config.model.PoolTlsConfig;
import sluice.config.model.TlsAuthorities;
import sluice.gateway.tls.TlsAcceptor;
import sluice.gateway.tls.TlsConnector;

/** TLS of all listeners and pools, which event loops share. Immutable. */
public final class Encryption {
  private final Map<String, TlsAcceptor> listeners = new HashMap<>();
  private final Map<String, TlsConnector> pools = new HashMap<>();
  private final Map<String, TlsConnector> nodes = new HashMap<>();
  private final Configuration configuration;

  /**
   * The TLS of a configuration. Where the settings and the content of files are the same as before,
   * earlier objects are reused, so that sessions can be resumed and pools stay the same.
   *
   * @param before or null
   * @throws IllegalStateException if Java does not support the settings
   */
  Encryption(Configuration configuration, @Nullable Encryption before) {
    this.configuration = configuration;
    for (PoolConfig pool : configuration.pools().values()) {
      pool.tls()
          .ifPresent(
              tls -> {
                TlsConnector known =
                    before != null && before.saysSame(pool) ? before.of(pool) : null;
                pools.put(pool.name(), known != null ? known : new TlsConnector(tls));
              });
    }
    for (ListenerConfig listener : configuration.listeners().values()) {
      TlsAcceptor known = before != null && before.saysSame(listener) ? before.of(listener) : null;
      listener.tls().ifPresent(tls -> add(listener, tls, known));
    }
  }

  private void add(ListenerConfig listener, ListenerTlsConfig tls, @Nullable TlsAcceptor known) {
    listeners.put(listener.name(), known != null ? known : new TlsAcceptor(tls));
    if (listener.protocol() == ListenerProtocol.INTERNODE) {
      String pool = Graph.verbRoute(configuration.route(listener.route())).pool();
      Optional<TlsAuthorities> trustedBehind =
          configuration.pool(pool).tls().flatMap(PoolTlsConfig::ca);
      nodes.put(listener.name(), TlsConnector.asNodeOf(tls, trustedBehind));
    }
  }

  private boolean saysSame(ListenerConfig listener) {
    ListenerConfig known = configuration.listeners().get(listener.name());
    return known != null && known.tls().equals(listener.tls());
  }

  private boolean saysSame(PoolConfig pool) {
    PoolConfig known = configuration.pools().get(pool.name());
    return known != null && known.tls().equals(pool.tls());
  }

  /** TLS towards the clients of a listener; null for none. */
  public @Nullable TlsAcceptor of(ListenerConfig listener) {
    return listeners.get(listener.name());
  }

  /** TLS towards the servers of a pool; null for none. */
  public @Nullable TlsConnector of(PoolConfig pool) {
    return pools.get(pool.name());
  }

  /**
   * TLS towards nodes without a pool, in the role of a listener's node: nodes use TLS with each
   * other if they do with the listener. Null for none.
   */
  public @Nullable TlsConnector asNodeOf(String listener) {
    return nodes.get(listener);
  }
}
