package sluice.gateway.client;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.codecs.memcached.Command;
import sluice.codecs.memcached.ServerVersion;
import sluice.config.model.Dialect;
import sluice.config.model.GuardedCommand;
import sluice.config.model.LimitsConfig;
import sluice.config.model.ListenerProtocol;
import sluice.gateway.auth.Users;
import sluice.gateway.metrics.ListenerMetrics;
import sluice.gateway.near.Changes;
import sluice.gateway.route.Route;
import sluice.gateway.route.Rule;
import sluice.gateway.tls.TlsException;

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

  Listening(Listener listener) {
    this.listener = listener;
    this.way = listener.way();
    this.users = way.users();
    this.route = way.route().seenBy(names);
  }

  /** What the client's certificate names: rules may ask for that. */
  void client(Set<String> certified) {
    names = certified;
    route = way.route().seenBy(names);
  }

  /** Whether there is a newer configuration than the client has seen. */
  boolean isOutdated() {
    return way != listener.way();
  }

  /** From now on the client sees the newest. */
  void refresh() {
    way = listener.way();
    route = way.route().seenBy(names);
    if (way.users() != null) {
      users = way.users(); // who came when a login was wanted still logs in when none is any more
    }
  }

  /** Whether the listener is no more: its clients leave when they are answered. */
  boolean isRetired() {
    return listener.isRetired();
  }

  String name() {
    return way.config().name();
  }

  LimitsConfig limits() {
    return way.config().limits();
  }

  Route route() {
    return route;
  }

  Target target(int pool) {
    return way.targets()[pool];
  }

  /**
   * Where a request goes now that a rule takes, and whose key, as its client names it, is [from,
   * to). Borrows key.
   *
   * @param renamed a buffer for what the key becomes; borrowed
   */
  Target target(Rule rule, Dialect dialect, ByteBuf key, int from, int to, ByteBuf renamed) {
    Target target = way.destinations()[rule.index()].of(dialect, key, from, to, renamed);
    listener.samples().routed(this, key, from, to, name(), target.name());
    return target;
  }

  /** How many of a rule's requests pass; null: all, as of one that rejects. */
  Limiter limiter(Rule rule) {
    Destination destination = way.destinations()[rule.index()];
    return destination == null ? null : destination.limiter();
  }

  /** Near caches that read from where a rule leads; null if there are none. */
  Changes changes(Rule rule) {
    return way.destinations()[rule.index()].changes();
  }

  /** Whether some rule stores values in pieces. */
  boolean splits() {
    return way.route().rules().stream().anyMatch(rule -> rule.action().pieces() != null);
  }

  /** All near caches of the process; null if there are none. */
  Changes allChanges() {
    return way.nearCaches().current().all();
  }

  /** Whether some rule has a limit. */
  boolean countsRequests() {
    return way.countsRequests();
  }

  /**
   * Takes for all keys that limiters were told of, or for none.
   *
   * @return one that has not enough, or null
   */
  Limiter takeWanted() {
    return way.takeWanted();
  }

  /** The pool that decides for what has no key; null if every rule rejects. */
  Target firstTarget() {
    return way.first();
  }

  /** How lines are read that not every version reads alike. */
  ServerVersion version() {
    return way.first() == null ? ServerVersion.UNKNOWN : way.first().version();
  }

  ListenerMetrics metrics() {
    return listener.metrics();
  }

  /** Whether clients speak Ignite's dialect. */
  boolean isIgnite() {
    return way.config().protocol() == ListenerProtocol.IGNITE;
  }

  boolean takes(Dialect dialect) {
    return way.config().dialects().contains(dialect);
  }

  /** Whether the listener's {@code allow} names what command needs. */
  boolean allows(Command command) {
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
  Users users() {
    return users;
  }

  /**
   * A client's login failed: one line a second at most, without anything that the client said.
   *
   * @param now in {@link System#nanoTime}'s nanoseconds
   */
  void loginFailed(Channel client, long now) {
    int unlogged = listener.loginFailed(now);
    if (unlogged >= 0) {
      LOG.warn(
          "listener {}: a login of {} failed{}",
          name(),
          client.remoteAddress(),
          unlogged == 0 ? "" : ", and " + unlogged + " others before it");
    }
  }

  /** A client's TLS failed: its connection closes. */
  void tlsFailed(Channel client, TlsException failure) {
    LOG.warn("listener {}: {} closed: {}", name(), client.remoteAddress(), failure.getMessage());
  }

  /** Counts a client in; false if there are too many. */
  boolean enter() {
    return listener.enter();
  }

  void leave() {
    listener.leave();
  }
}
