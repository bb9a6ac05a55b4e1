package sluice.gateway.internode;

import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.codecs.internode.Verb;
import sluice.config.LimitsConfig;
import sluice.config.ListenerConfig;
import sluice.gateway.metrics.InternodeMetrics;
import sluice.gateway.metrics.LinkOutcome;
import sluice.gateway.metrics.LinkType;
import sluice.gateway.route.VerbRoute;

/** An internode listener, as one event loop sees it. */
public final class LinkListening {
  private static final Logger LOG = LoggerFactory.getLogger(LinkListening.class);
  private static final long REJECTION_LOG_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final ListenerConfig config;
  private final VerbRoute route;
  private final Upstream upstream;
  private final InternodeMetrics metrics;
  private final AtomicInteger connections;
  private final Supplier<InetSocketAddress> node;
  private final BooleanSupplier retired;
  private final LinkAddresses addresses;
  private boolean everLogged;
  private long nextRejectionLog;
  private long rejectionsUnsaid;

  /**
   * A listener on one loop.
   *
   * @param upstream where its route leads to
   * @param connections open links on all loops
   * @param node the address by which nodes know the one behind it, once it is bound; null if there
   *     is none that says so
   * @param retired whether the listener is no more, and its links are to end
   * @param addresses what is replaced on the way, or null
   */
  public LinkListening(
      ListenerConfig config,
      VerbRoute route,
      Upstream upstream,
      InternodeMetrics metrics,
      AtomicInteger connections,
      Supplier<InetSocketAddress> node,
      BooleanSupplier retired,
      LinkAddresses addresses) {
    this.config = config;
    this.route = route;
    this.upstream = upstream;
    this.metrics = metrics;
    this.connections = connections;
    this.node = node;
    this.retired = retired;
    this.addresses = addresses;
  }

  String name() {
    return config.name();
  }

  boolean isRetired() {
    return retired.getAsBoolean();
  }

  LimitsConfig limits() {
    return config.limits();
  }

  /** Whether nodes may speak TLS to each other through it: where neither side of it does. */
  boolean passesTls() {
    return config.tls().isEmpty() && upstream.reach().tls() == null;
  }

  VerbRoute route() {
    return route;
  }

  Upstream upstream() {
    return upstream;
  }

  InternodeMetrics metrics() {
    return metrics;
  }

  /** The node behind it, as other nodes know it; null if nothing says how. */
  InetSocketAddress node() {
    return node.get();
  }

  /** What is replaced on the way, or null. */
  LinkAddresses addresses() {
    return addresses;
  }

  /** What becomes of a node's address on the way. */
  InetSocketAddress there(InetSocketAddress address) {
    return addresses == null ? address : addresses.there(address);
  }

  /** A rule took a message out: said now and then, not each time. */
  void logRejection(long now, Verb verb, InetSocketAddress from, int rule) {
    rejectionsUnsaid++;
    if (!everLogged || now - nextRejectionLog >= 0) {
      everLogged = true;
      LOG.info(
          "listener {}: rejected {} from {} by rule {}: {} ({} since the last such line)",
          name(),
          verb.label(),
          from,
          rule,
          route.reject(rule),
          rejectionsUnsaid);
      rejectionsUnsaid = 0;
      nextRejectionLog = now + REJECTION_LOG_NANOS;
    }
  }

  /** Counts a link in; false if there are too many. */
  boolean enter() {
    if (connections.incrementAndGet() > config.limits().connections()) {
      connections.decrementAndGet();
      metrics.began(LinkOutcome.REFUSED);
      return false;
    }
    metrics.linkOpened(LinkType.HANDSHAKE);
    return true;
  }

  /** Counts a link out that is of a type. */
  void leave(LinkType type) {
    connections.decrementAndGet();
    metrics.linkClosed(type);
  }
}
