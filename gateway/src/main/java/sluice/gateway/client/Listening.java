package sluice.gateway.client;

import io.netty.channel.Channel;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.codecs.memcached.Command;
import sluice.codecs.memcached.ServerVersion;
import sluice.config.Dialect;
import sluice.config.GuardedCommand;
import sluice.config.LimitsConfig;
import sluice.config.ListenerConfig;
import sluice.config.ListenerProtocol;
import sluice.gateway.metrics.ListenerMetrics;
import sluice.gateway.route.Route;
import sluice.gateway.tls.TlsException;

/** A listener, as one event loop sees it: what its clients may do, and where their requests go. */
public final class Listening {
  private static final Logger LOG = LoggerFactory.getLogger(Listening.class);

  private final ListenerConfig config;
  private final Route route;
  private final Target[] targets;
  private final ListenerMetrics metrics;
  private final AtomicInteger connections;
  private final Target first;
  private final Set<GuardedCommand> allow;

  /**
   * A listener on one loop.
   *
   * @param targets all pools of the configuration, which the route's rules index
   * @param connections open clients on all loops
   */
  public Listening(
      ListenerConfig config,
      Route route,
      Target[] targets,
      ListenerMetrics metrics,
      AtomicInteger connections) {
    this.config = config;
    this.route = route;
    this.targets = targets.clone();
    this.metrics = metrics;
    this.connections = connections;
    this.allow = config.allow();
    this.first =
        route.rules().stream()
            .filter(rule -> rule.pool() >= 0)
            .map(rule -> targets[rule.pool()])
            .findFirst()
            .orElse(null);
  }

  String name() {
    return config.name();
  }

  LimitsConfig limits() {
    return config.limits();
  }

  Route route() {
    return route;
  }

  Target target(int pool) {
    return targets[pool];
  }

  /** The pool that decides for what has no key; null if every rule rejects. */
  Target firstTarget() {
    return first;
  }

  /** How lines are read that not every version reads alike. */
  ServerVersion version() {
    return first == null ? ServerVersion.UNKNOWN : first.version();
  }

  ListenerMetrics metrics() {
    return metrics;
  }

  /** Whether clients speak Ignite's dialect. */
  boolean isIgnite() {
    return config.protocol() == ListenerProtocol.IGNITE;
  }

  boolean takes(Dialect dialect) {
    return config.dialects().contains(dialect);
  }

  /** Whether the listener's {@code allow} names what command needs. */
  boolean allows(Command command) {
    return switch (command) {
      case FLUSH_ALL -> allow.contains(GuardedCommand.FLUSH_ALL);
      case VERBOSITY -> allow.contains(GuardedCommand.VERBOSITY);
      case WATCH -> allow.contains(GuardedCommand.WATCH);
      case LRU_CRAWLER -> allow.contains(GuardedCommand.LRU_CRAWLER);
      case SLABS -> allow.contains(GuardedCommand.SLABS);
      case SHUTDOWN -> allow.contains(GuardedCommand.SHUTDOWN);
      case CACHE_MEMLIMIT -> allow.contains(GuardedCommand.CACHE_MEMLIMIT);
      case LRU, EXTSTORE, REFRESH_CERTS, DEBUG -> allow.contains(GuardedCommand.DEBUG);
      default -> true;
    };
  }

  /** A client's TLS failed: its connection closes. */
  void tlsFailed(Channel client, TlsException failure) {
    LOG.warn("listener {}: {} closed: {}", name(), client.remoteAddress(), failure.getMessage());
  }

  /** Counts a client in; false if there are too many. */
  boolean enter() {
    if (connections.incrementAndGet() > config.limits().connections()) {
      connections.decrementAndGet();
      return false;
    }
    metrics.connectionOpened();
    return true;
  }

  void leave() {
    connections.decrementAndGet();
    metrics.connectionClosed();
  }
}
