package sluice.gateway.internode;

import io.vertx.core.net.SocketAddress;
import java.net.InetSocketAddress;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import sluice.gateway.metrics.LinkType;
import sluice.gateway.tls.TlsConnector;

/**
 * Registry of all event loops' links that carry messages, by sender and receiver. Connections
 * between nodes are one-way, so an answer must find a link that leads back. Thread-safe.
 */
public final class LinkRegistry {
  private record Way(InetSocketAddress from, InetSocketAddress to) {}

  private final Map<Way, Candidates> links = new ConcurrentHashMap<>();
  private final Function<InetSocketAddress, @Nullable Reach> behind;
  private final BiPredicate<String, InetSocketAddress> peers;
  private final Function<String, @Nullable TlsConnector> elsewhere;

  /**
   * The registry of a process.
   *
   * @param behind the node behind a listener, by the listener's node; null if there is none; called
   *     on event loops
   * @param peers whether the named listener may connect to a node without a listener
   * @param elsewhere the TLS of a listener's node towards nodes without a listener, by its name;
   *     null for none
   */
  public LinkRegistry(
      Function<InetSocketAddress, @Nullable Reach> behind,
      BiPredicate<String, InetSocketAddress> peers,
      Function<String, @Nullable TlsConnector> elsewhere) {
    this.behind = behind;
    this.peers = peers;
    this.elsewhere = elsewhere;
  }

  void add(InetSocketAddress from, InetSocketAddress to, ReturnLink link) {
    links.compute(
        new Way(from, to),
        (way, known) -> {
          Candidates all = known == null ? new Candidates() : known;
          all.add(link);
          return all;
        });
  }

  void remove(InetSocketAddress from, InetSocketAddress to, ReturnLink link) {
    links.computeIfPresent(
        new Way(from, to), (way, known) -> known.remove(link) == null ? null : known);
  }

  /** A link from one node to another, the most urgent one; null if there is none. */
  @Nullable ReturnLink find(InetSocketAddress from, InetSocketAddress to) {
    Candidates all = links.get(new Way(from, to));
    return all == null ? null : all.best;
  }

  /**
   * Links from one node to another. The best of them is known: any peer can open many, and each
   * answer asks for one. Changed by one thread at a time.
   */
  private static final class Candidates {
    private final List<Set<ReturnLink>> byUrgency =
        List.of(new LinkedHashSet<>(), new LinkedHashSet<>(), new LinkedHashSet<>());
    private volatile @Nullable ReturnLink best; // null: there are none

    void add(ReturnLink link) {
      byUrgency.get(order(link.type())).add(link);
      choose();
    }

    /** Removes a link; returns the best of the others, or null. */
    @Nullable ReturnLink remove(ReturnLink link) {
      byUrgency.forEach(links -> links.remove(link));
      return choose();
    }

    private @Nullable ReturnLink choose() {
      ReturnLink chosen = null;
      for (Set<ReturnLink> links : byUrgency) {
        if (chosen == null && !links.isEmpty()) {
          chosen = links.iterator().next();
        }
      }
      best = chosen;
      return chosen;
    }
  }

  private static int order(LinkType type) {
    return switch (type) {
      case URGENT -> 0;
      case SMALL -> 1;
      default -> 2;
    };
  }

  /**
   * How to connect to the sender of a request: behind its listener, or else at the address that it
   * states. Null if the configuration does not know that address, because any peer can state any
   * address.
   */
  @Nullable Reach reach(Rejected rejected) {
    Reach found = behind.apply(rejected.requesterThere());
    if (found != null || !peers.test(rejected.listener(), rejected.requester())) {
      return found;
    }
    return new Reach(
        SocketAddress.inetSocketAddress(rejected.requester()),
        elsewhere.apply(rejected.listener()));
  }
}
