package sluice.gateway.listener;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.Arrays;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.codecs.memcached.ServerVersion;
import sluice.config.model.GuardedCommand;
import sluice.config.model.LimitsConfig;
import sluice.config.model.ListenerProtocol;
import sluice.gateway.auth.Users;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.Everyone;
import sluice.gateway.dispatch.Limiter;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.dispatch.policy.Destination;
import sluice.gateway.metrics.ListenerMetrics;
import sluice.gateway.near.Changes;
import sluice.gateway.net.ClientAddress;
import sluice.gateway.route.Route;
import sluice.gateway.route.Rule;
import sluice.gateway.tls.TlsException;
import sluice.names.Command;
import sluice.names.Dialect;

/**
 * A listener as one of its clients sees it: what the client may do, and where its requests go. A
 * new configuration is seen between two requests, never inside one.
 */
public final class Listening {
  private static final Logger LOG = LoggerFactory.getLogger(Listening.class);

  private final Listener listener;
  private Listener.Way way;
  private Users users;
  private Set<String> names = Set.of();
  private Route route; // as this client sees it

  public Listening(Listener listener) {
    this.listener = listener;
    this.way = listener.way();
    this.users = way.users();
    this.route = way.route().seenBy(names);
  }

  /** What the client's certificate names: rules may ask for that. */
  public void client(Set<String> certified) {
    names = certified;
    route = way.route().seenBy(names);
  }

  /** Whether there is a newer configuration than the client has seen. */
  public boolean isOutdated() {
    return way != listener.way();
  }

  /** From now on the client sees the newest. */
  public void refresh() {
    way = listener.way();
    route = way.route().seenBy(names);
    if (way.users() != null) {
      users = way.users(); // who came when a login was wanted still logs in when none is any more
    }
  }

  /** Whether the listener is no more: its clients leave when they are answered. */
  public boolean isRetired() {
    return listener.isRetired();
  }

  public String name() {
    return way.config().name();
  }

  public LimitsConfig limits() {
    return way.config().limits();
  }

  public Route route() {
    return route;
  }

  public Pool target(int pool) {
    return way.targets()[pool];
  }

  /**
   * Where a request goes now that a rule takes, and whose key, as its client names it, is [from,
   * to). Borrows key.
   *
   * @param renamed a buffer for what the key becomes; borrowed
   */
  public Backend backend(
      Rule rule, Dialect dialect, ByteBuf key, int from, int to, ByteBuf renamed) {
    Backend backend = way.destinations()[rule.index()].of(dialect, key, from, to, renamed);
    listener.samples().routed(this, key, from, to, name(), backend.pool().name());
    return backend;
  }

  /** How many of a rule's requests pass; null: all, as of one that rejects. */
  public Limiter limiter(Rule rule) {
    Destination destination = way.destinations()[rule.index()];
    return destination == null ? null : destination.limiter();
  }

  /** Near caches that read from where a rule leads; null if there are none. */
  public Changes changes(Rule rule) {
    return way.destinations()[rule.index()].changes();
  }

  /** Whether some rule stores values in pieces. */
  public boolean splits() {
    return way.route().rules().stream().anyMatch(rule -> rule.action().pieces() != null);
  }

  /** All near caches of the process; null if there are none. */
  public Changes allChanges() {
    return way.nearCaches().current().all();
  }

  /** All servers and stores that a command without a key concerns. */
  public Everyone everyone(Command command, Dialect dialect) {
    int[] pools = route.keylessPools(command, dialect);
    if (pools.length == 0 && command == Command.VERSION) {
      pools = route.pools(); // it always works, whatever rules are for
    }
    return Everyone.of(Arrays.stream(pools).mapToObj(this::target).toList(), dialect);
  }

  /** Whether some rule has a limit. */
  public boolean countsRequests() {
    return way.countsRequests();
  }

  /**
   * Takes for all keys that limiters were told of, or for none.
   *
   * @return one that has not enough, or null
   */
  public Limiter takeWanted() {
    return way.takeWanted();
  }

  /** The pool that decides for what has no key; null if every rule rejects. */
  public Pool firstTarget() {
    return way.first();
  }

  /** How lines are read that not every version reads alike. */
  public ServerVersion version() {
    return way.first() == null ? ServerVersion.UNKNOWN : way.first().version();
  }

  public ListenerMetrics metrics() {
    return listener.metrics();
  }

  /** Whether clients speak Ignite's dialect. */
  public boolean isIgnite() {
    return way.config().protocol() == ListenerProtocol.IGNITE;
  }

  public boolean takes(Dialect dialect) {
    return way.config().dialects().contains(dialect);
  }

  /** Whether the listener's {@code allow} names what command needs. */
  public boolean allows(Command command) {
    return switch (command) {
      case FLUSH_ALL -> way.config().allow().contains(GuardedCommand.FLUSH_ALL);
      case VERBOSITY -> way.config().allow().contains(GuardedCommand.VERBOSITY);
      case WATCH -> way.config().allow().contains(GuardedCommand.WATCH);
      case LRU_CRAWLER -> way.config().allow().contains(GuardedCommand.LRU_CRAWLER);
      case SLABS -> way.config().allow().contains(GuardedCommand.SLABS);
      case SHUTDOWN -> way.config().allow().contains(GuardedCommand.SHUTDOWN);
      case CACHE_MEMLIMIT -> way.config().allow().contains(GuardedCommand.CACHE_MEMLIMIT);
      case LRU, EXTSTORE, REFRESH_CERTS, DEBUG ->
          way.config().allow().contains(GuardedCommand.DEBUG);
      default -> true;
    };
  }

  /** Who may log in, and must before anything else; null if nobody need. */
  public Users users() {
    return users;
  }

  /**
   * A client's login failed: one line a second at most, without anything that the client said.
   *
   * @param now in {@link System#nanoTime}'s nanoseconds
   */
  public void loginFailed(Channel client, long now) {
    int unlogged = listener.loginFailed(now);
    if (unlogged >= 0) {
      LOG.warn(
          "listener {}: a login of {} failed{}",
          name(),
          ClientAddress.of(client),
          unlogged == 0 ? "" : ", and " + unlogged + " others before it");
    }
  }

  /** A client's TLS failed: its connection closes. */
  public void tlsFailed(Channel client, TlsException failure) {
    LOG.warn("listener {}: {} closed: {}", name(), ClientAddress.of(client), failure.getMessage());
  }

  /** Counts a client in; false if there are too many. */
  public boolean enter() {
    return listener.enter();
  }

  public void leave() {
    listener.leave();
  }
}
