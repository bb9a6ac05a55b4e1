package sluice.gateway.internode;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.config.model.LimitsConfig;
import sluice.config.model.ListenerConfig;
import sluice.gateway.metrics.InternodeMetrics;
import sluice.gateway.metrics.LinkOutcome;
import sluice.gateway.metrics.LinkType;
import sluice.gateway.route.VerbRoute;
import sluice.names.Verb;

/** An internode listener, as one event loop sees it. */
public final class LinkListening {
  private static final Logger LOG = LoggerFactory.getLogger(LinkListening.class);

  private final ListenerConfig config;
  private final VerbRoute route;
  private final Upstream upstream;
  private final InternodeMetrics metrics;
  private final AtomicInteger connections;
  private final Supplier<InetSocketAddress> node;
  private final BooleanSupplier retired;
  private final LinkAddresses addresses;
  private LinkListening next; // null: this is the newest
  private final RareLine rejections = new RareLine();
  private final RareLine unknowns = new RareLine();

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

  /** Another configuration says something else of the same listener; its links go over to it. */
  public void replacedBy(LinkListening following) {
    next = following;
  }

  /** What the newest configuration says of the listener. */
  LinkListening newest() {
    LinkListening newest = this;
    while (newest.next != null) {
      newest = newest.next;
    }
    return newest;
  }

  /** Whether another passes, takes out and rewrites the same messages. */
  boolean passesAs(LinkListening other) {
    return route.rejectsAs(other.route)
        && limits().messageSizeBytes() == other.limits().messageSizeBytes()
        && (addresses == null ? other.addresses == null : addresses.isSame(other.addresses));
  }

  /** Whether links of a node that were opened on this one may go on as links of another. */
  boolean leadsAs(LinkListening other, InetSocketAddress from) {
    return upstream.reach().address().equals(other.upstream.reach().address())
        && (from == null || there(from).equals(other.there(from)));
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
    long count = rejections.due(now);
    if (count > 0) {
      LOG.info(
          "listener {}: rejected {} from {} by rule {}: {} ({} since the last such line)",
          name(),
          verb.label(),
          from,
          rule,
          route.reject(rule),
          count);
    }
  }

  /** A link passes bytes that nobody here can look into: said now and then, not each time. */
  void logUnknown(long now, String what, SocketAddress peer) {
    long count = unknowns.due(now);
    if (count > 0) {
      LOG.warn(
          "listener {}: no rule can look into {}, which {} sends: it passes byte for byte ({} links"
              + " since the last such line)",
          name(),
          what,
          peer,
          count);
    }
  }

  /** Whether links are refused that nobody here can look into. */
  boolean isStrict() {
    return config.strict();
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
