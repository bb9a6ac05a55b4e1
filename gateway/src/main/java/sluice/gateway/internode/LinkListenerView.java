package sluice.gateway.internode;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.config.model.LimitsConfig;
import sluice.config.model.ListenerConfig;
import sluice.gateway.listener.ConnectionHeap;
import sluice.gateway.metrics.InternodeMetrics;
import sluice.gateway.metrics.LinkOutcome;
import sluice.gateway.metrics.LinkType;
import sluice.gateway.route.VerbRoute;
import sluice.names.Verb;

/** Internode listener on one event loop. */
public final class LinkListenerView {
  private static final Logger LOG = LoggerFactory.getLogger(LinkListenerView.class);

  private final ListenerConfig config;
  private final VerbRoute route;
  private final Upstream upstream;
  private final InternodeMetrics metrics;
  private final AtomicInteger connections;
  private final ConnectionHeap heap;
  private final Supplier<@Nullable InetSocketAddress> node;
  private final BooleanSupplier retired;
  private final @Nullable LinkAddresses addresses;
  private @Nullable LinkListenerView next; // null: this is the newest
  private final RareLine rejections = new RareLine();
  private final RareLine unknowns = new RareLine();

  /**
   * A listener on one loop.
   *
   * @param upstream the node that its route leads to
   * @param connections open links on all loops
   * @param heap of the connections of all listeners
   * @param node the address by which nodes know the node behind it, once it is bound; null if it is
   *     not known
   * @param retired whether the listener was removed, so that its links end
   * @param addresses replacements; null for none
   */
  public LinkListenerView(
      ListenerConfig config,
      VerbRoute route,
      Upstream upstream,
      InternodeMetrics metrics,
      AtomicInteger connections,
      ConnectionHeap heap,
      Supplier<@Nullable InetSocketAddress> node,
      BooleanSupplier retired,
      @Nullable LinkAddresses addresses) {
    this.config = config;
    this.route = route;
    this.upstream = upstream;
    this.metrics = metrics;
    this.connections = connections;
    this.heap = heap;
    this.node = node;
    this.retired = retired;
    this.addresses = addresses;
  }

  /** A new configuration has other settings for the same listener; its links follow. */
  public void replacedBy(LinkListenerView following) {
    next = following;
  }

  /** The listener with the newest settings. */
  LinkListenerView newest() {
    LinkListenerView newest = this;
    while (newest.next != null) {
      newest = newest.next;
    }
    return newest;
  }

  /** Whether another forwards, removes and rewrites the same messages. */
  boolean passesAs(LinkListenerView other) {
    return route.rejectsAs(other.route)
        && limits().messageSizeBytes() == other.limits().messageSizeBytes()
        && (addresses == null ? other.addresses == null : addresses.isSame(other.addresses));
  }

  /** Whether links of a node that were opened on this one may continue as links of another. */
  boolean leadsAs(LinkListenerView other, @Nullable InetSocketAddress from) {
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

  /** Whether nodes may speak TLS to each other through it, because neither side of it does. */
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

  /** The node behind it, as other nodes know it; null if that is not known. */
  @Nullable InetSocketAddress node() {
    return node.get();
  }

  /** The replacements; null for none. */
  @Nullable LinkAddresses addresses() {
    return addresses;
  }

  /** A node's address after replacement. */
  InetSocketAddress there(InetSocketAddress address) {
    return addresses == null ? address : addresses.there(address);
  }

  /** Logs that a rule removed a message: at most once in a while. */
  void logRejection(long now, Verb verb, @Nullable InetSocketAddress from, int rule) {
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

  /** Logs that a link's bytes cannot be inspected: at most once in a while. */
  void logUnknown(long now, String what, @Nullable SocketAddress peer) {
    long count = unknowns.due(now);
    if (count > 0) {
      LOG.warn(
          "listener {}: {} sends {}, which no rule can inspect: it passes unchanged ({} links"
              + " since the last such line)",
          name(),
          peer,
          what,
          count);
    }
  }

  /** Whether it refuses links that cannot be inspected. */
  boolean isStrict() {
    return config.strict();
  }

  /** Counts a new link; returns false if there are too many, or the heap has no room for it. */
  boolean enter() {
    boolean many = connections.incrementAndGet() > config.limits().connections();
    if (many || !heap.takes(heapBytes(LinkType.HANDSHAKE))) {
      connections.decrementAndGet();
      metrics.began(LinkOutcome.REFUSED);
      return false;
    }
    metrics.linkOpened(LinkType.HANDSHAKE);
    return true;
  }

  /** The heap that a link of a type takes, by estimate. */
  int heapBytes(LinkType type) {
    if (type != LinkType.HANDSHAKE) {
      return config.tls().isPresent() ? ConnectionHeap.TLS_LINK_BYTES : ConnectionHeap.LINK_BYTES;
    }
    return config.tls().isPresent()
        ? ConnectionHeap.HANDSHAKE_BYTES
        : ConnectionHeap.LINK_HANDSHAKE_BYTES;
  }

  /** A link takes more heap than before; negative: less. */
  void heapChanges(int delta) {
    heap.changes(delta);
  }

  /** Counts the end of a link of a type, which took so much heap. */
  void leave(LinkType type, int heapBytes) {
    heap.changes(-heapBytes);
    connections.decrementAndGet();
    metrics.linkClosed(type);
  }
}
