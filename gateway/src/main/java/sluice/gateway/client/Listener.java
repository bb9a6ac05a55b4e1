package sluice.gateway.client;

import java.util.concurrent.atomic.AtomicInteger;
import sluice.config.ListenerConfig;
import sluice.gateway.metrics.ListenerMetrics;
import sluice.gateway.route.Route;

/** A memcached listener on one event loop. A new configuration changes where it leads. */
public final class Listener {
  private final ListenerMetrics metrics;
  private final AtomicInteger connections;
  private Way way;
  private boolean retired;

  /**
   * What a configuration says of a listener: replaced as a whole.
   *
   * @param targets all pools of the configuration, which the route's rules index
   * @param first the pool that decides for what has no key; null if every rule rejects
   */
  record Way(ListenerConfig config, Route route, Target[] targets, Target first) {}

  /**
   * A listener that leads nowhere yet.
   *
   * @param connections open clients on all loops
   */
  public Listener(ListenerMetrics metrics, AtomicInteger connections) {
    this.metrics = metrics;
    this.connections = connections;
  }

  /**
   * Requests that clients begin from now on follow this configuration.
   *
   * @param targets all pools of the configuration, which the route's rules index
   */
  public void lead(ListenerConfig config, Route route, Target[] targets) {
    Target first =
        route.rules().stream()
            .filter(rule -> rule.pool() >= 0)
            .map(rule -> targets[rule.pool()])
            .findFirst()
            .orElse(null);
    way = new Way(config, route, targets.clone(), first);
  }

  /** It takes no more clients, and those it has leave when they are answered. */
  public void retire() {
    retired = true;
  }

  boolean isRetired() {
    return retired;
  }

  Way way() {
    return way;
  }

  ListenerMetrics metrics() {
    return metrics;
  }

  boolean enter() {
    if (connections.incrementAndGet() > way.config().limits().connections()) {
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
