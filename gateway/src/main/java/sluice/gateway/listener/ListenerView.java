package sluice.gateway.listener;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.codecs.memcached.ServerVersion;
import sluice.config.model.GuardedCommand;
import sluice.config.model.LimitsConfig;
import sluice.config.model.ListenerProtocol;
import sluice.gateway.auth.Users;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.Broadcast;
import sluice.gateway.dispatch.Limiter;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.dispatch.policy.RuleBackend;
import sluice.gateway.metrics.ListenerMetrics;
import sluice.gateway.metrics.RuleMetrics;
import sluice.gateway.near.Changes;
import sluice.gateway.net.ClientAddress;
import sluice.gateway.route.Route;
import sluice.gateway.route.Rule;
import sluice.gateway.time.Chance;
import sluice.gateway.tls.TlsException;
import sluice.names.Command;
import sluice.names.Dialect;

/**
 * Listener from the point of view of one client: what the client may do, and where its requests go.
 * A new configuration takes effect between two requests, never inside one.
 */
public final class ListenerView {
  private static final Logger LOG = LoggerFactory.getLogger(ListenerView.class);

  private static final double NOT_DRAWN = -1;

  private final Listener listener;

  // A client keeps the dialects of when it connected. Each text request asks for them.
  private final boolean text;
  private final boolean meta;
  private final boolean binary;

  private Listener.Settings settings;
  private @Nullable Users users;
  private Set<String> names = Set.of();
  private @Nullable RuleMetrics matched; // of the request that is being read
  private Route route; // without the rules for other clients
  private double draw = NOT_DRAWN; // of the current request
  private int heapBytes; // of the client, by estimate

  public ListenerView(Listener listener) {
    this.listener = listener;
    this.settings = listener.settings();
    Set<Dialect> dialects = settings.config().dialects();
    text = dialects.contains(Dialect.TEXT);
    meta = dialects.contains(Dialect.META);
    binary = dialects.contains(Dialect.BINARY);
    this.users = settings.users();
    this.route = settings.route().seenBy(names);
  }

  /** Sets the names in the client's certificate, which rules may require. */
  public void client(Set<String> certified) {
    names = certified;
    route = settings.route().seenBy(names);
  }

  /** Whether there is a newer configuration than the one in use for this client. */
  public boolean isOutdated() {
    return settings != listener.settings();
  }

  /** Changes to the newest configuration. */
  public void refresh() {
    settings = listener.settings();
    route = settings.route().seenBy(names);
    if (settings.users() != null) {
      // a client that had to log in still does when logins are no longer required
      users = settings.users();
    }
  }

  /** Whether the listener was removed: its clients are closed when their requests are answered. */
  public boolean isRetired() {
    return listener.isRetired();
  }

  /**
   * The elapsed share of the time in which clients of a removed listener may stay that are never
   * quiet, 0 to 1.
   */
  public double overtimeShare() {
    return listener.overtimeShare();
  }

  public String name() {
    return settings.config().name();
  }

  public LimitsConfig limits() {
    return settings.config().limits();
  }

  public Route route() {
    return route;
  }

  /** Counts a key, or a request without one, for the rule that decides it; null for no rule. */
  public void matched(@Nullable Rule rule) {
    if (rule == null) {
      matched = null;
      return;
    }
    RuleMetrics metrics = settings.ruleMetrics()[rule.index()];
    matched = metrics.matched() ? metrics : null;
  }

  /** The rule whose request's time is to be recorded, once; null if the last match needs none. */
  public @Nullable RuleMetrics takeMatched() {
    RuleMetrics last = matched;
    matched = null;
    return last;
  }

  public Pool target(int pool) {
    return settings.targets()[pool];
  }

  /**
   * The backend of a matching request, whose key as the client wrote it is [from, to). Borrows key.
   *
   * @param renamed a buffer for the rewritten key; borrowed
   */
  public Backend backend(
      Rule rule, Dialect dialect, ByteBuf key, int from, int to, ByteBuf renamed) {
    RuleBackend ruleBackend = settings.ruleBackends()[rule.index()];
    double drawn = ruleBackend.draws() ? draw() : 0;
    Backend backend = ruleBackend.of(dialect, key, from, to, renamed, drawn);
    listener.samples().routed(this, key, from, to, name(), backend.pool().name());
    return backend;
  }

  /**
   * The number that decides by chance where the current request goes. A value that was gathered for
   * a backend goes to that backend.
   */
  private double draw() {
    if (draw == NOT_DRAWN) {
      draw = Chance.nextDouble();
    }
    return draw;
  }

  /** Another number decides about the next request, or about the next key of a read of many. */
  public void drawAgain() {
    draw = NOT_DRAWN;
  }

  /** The rate limit of a rule; null if it has none or rejects. */
  public @Nullable Limiter limiter(Rule rule) {
    RuleBackend ruleBackend = settings.ruleBackends()[rule.index()];
    return ruleBackend == null ? null : ruleBackend.limiter();
  }

  /** Near caches that read from the pools of a rule; null if there are none. */
  public @Nullable Changes changes(Rule rule) {
    return settings.ruleBackends()[rule.index()].changes();
  }

  /** Whether some rule stores values in chunks. */
  public boolean splits() {
    for (Rule rule : settings.route().rules()) {
      if (rule.action().chunks() != null) {
        return true;
      }
    }
    return false;
  }

  /** What a change that lasts long affects if near caches come into use before it ends. */
  public Changes lastingChanges() {
    return settings.nearCaches().current().lasting();
  }

  /** All near caches of the process; null if there are none. */
  public @Nullable Changes allChanges() {
    return settings.nearCaches().current().all();
  }

  /** All servers and stores that a command without a key goes to. */
  public Broadcast broadcast(Command command, Dialect dialect) {
    int[] pools = route.keylessPools(command, dialect);
    if (pools.length == 0 && command == Command.VERSION) {
      pools = route.pools(); // allowed for every client, independent of rules
    }
    return Broadcast.of(Arrays.stream(pools).mapToObj(this::target).toList(), dialect);
  }

  /** Why no pool gets a command without a key: the text of a rule that rejects it, or no rule. */
  public String keylessRefusal(Command command, Dialect dialect) {
    String reject = route.keylessRejection(command, dialect);
    return reject == null ? noRule() : reject;
  }

  /** The error text for a request that no rule matches. */
  public String noRule() {
    return "no rule of route " + route.name() + " matches this request";
  }

  /** Whether some rule has a rate limit. */
  public boolean countsRequests() {
    return settings.countsRequests();
  }

  /**
   * Takes the quota for all keys that limiters have counted, or for none.
   *
   * @return a limiter without enough, or null
   */
  public @Nullable Limiter takeWanted() {
    return settings.takeWanted();
  }

  /** The pool that answers commands without a key; null if every rule rejects. */
  public @Nullable Pool firstTarget() {
    return settings.first();
  }

  /** The version whose reading of lines is followed, where versions differ. */
  public ServerVersion version() {
    return settings.first() == null ? ServerVersion.UNKNOWN : settings.first().version();
  }

  public ListenerMetrics metrics() {
    return listener.metrics();
  }

  /** Whether clients speak Ignite's dialect. */
  public boolean isIgnite() {
    return settings.config().protocol() == ListenerProtocol.IGNITE;
  }

  /** Whether the listener accepted a dialect when the client connected. */
  public boolean takes(Dialect dialect) {
    return switch (dialect) {
      case TEXT -> text;
      case META -> meta;
      case BINARY -> binary;
    };
  }

  /** Whether the listener's {@code allow} permits command. */
  public boolean allows(Command command) {
    return switch (command) {
      case FLUSH_ALL -> settings.config().allow().contains(GuardedCommand.FLUSH_ALL);
      case VERBOSITY -> settings.config().allow().contains(GuardedCommand.VERBOSITY);
      case WATCH -> settings.config().allow().contains(GuardedCommand.WATCH);
      case LRU_CRAWLER -> settings.config().allow().contains(GuardedCommand.LRU_CRAWLER);
      case SLABS -> settings.config().allow().contains(GuardedCommand.SLABS);
      case SHUTDOWN -> settings.config().allow().contains(GuardedCommand.SHUTDOWN);
      case CACHE_MEMLIMIT -> settings.config().allow().contains(GuardedCommand.CACHE_MEMLIMIT);
      case LRU, EXTSTORE, REFRESH_CERTS, DEBUG ->
          settings.config().allow().contains(GuardedCommand.DEBUG);
      default -> true;
    };
  }

  /**
   * Users who may log in as the newest configuration says: a login that began before a reload must
   * not be admitted by users that the reload removed. For a client that must log in.
   */
  public @Nullable Users newestUsers() {
    Users newest = listener.settings().users();
    return newest == null ? users : newest;
  }

  /** Users who may log in; a client must do so before anything else. Null if no login is needed. */
  public @Nullable Users users() {
    return users;
  }

  /**
   * Logs a client's failed login: at most one line a second, without anything that the client sent.
   *
   * @param now in {@link System#nanoTime}'s nanoseconds
   */
  public void loginFailed(Channel client, long now) {
    int unlogged = listener.loginFailed(now);
    if (unlogged >= 0) {
      LOG.warn(
          "listener {}: a login from {} failed{}",
          name(),
          ClientAddress.of(client),
          unlogged == 0 ? "" : ", and " + unlogged + " others before it");
    }
  }

  /** Logs a client's TLS failure; its connection closes. */
  public void tlsFailed(Channel client, TlsException failure) {
    LOG.warn("listener {}: {} closed: {}", name(), ClientAddress.of(client), failure.getMessage());
  }

  /** Counts a new client; returns false if there are too many. */
  public boolean enter() {
    boolean shakes = settings.config().tls().filter(tls -> !tls.plain()).isPresent();
    heapBytes = shakes ? ConnectionHeap.HANDSHAKE_BYTES : ConnectionHeap.PLAIN_BYTES;
    return listener.enter(heapBytes);
  }

  /** Counts the handshake of a client whose TLS is optional; returns false if there is no heap. */
  public boolean mayShake() {
    if (!listener.takesMoreHeap(ConnectionHeap.HANDSHAKE_BYTES - heapBytes)) {
      return false;
    }
    heapBytes = ConnectionHeap.HANDSHAKE_BYTES;
    return true;
  }

  /** How much heap the client takes from now on, by {@linkplain ConnectionHeap estimate}. */
  public void takesHeap(int bytes) {
    listener.heapChanges(bytes - heapBytes);
    heapBytes = bytes;
  }

  public void leave() {
    listener.leave(heapBytes);
  }
}
