package sluice.gateway.listener;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import sluice.config.model.ListenerConfig;
import sluice.gateway.auth.Users;
import sluice.gateway.dispatch.Limiter;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.dispatch.policy.RuleBackend;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.ConnectionOutcome;
import sluice.gateway.metrics.ListenerMetrics;
import sluice.gateway.metrics.RuleMetrics;
import sluice.gateway.near.NearCache;
import sluice.gateway.near.NearCaches;
import sluice.gateway.route.Route;
import sluice.gateway.samples.LoopSamples;

/** Memcached listener on one event loop. A new configuration changes its route and pools. */
public final class Listener {
  private static final double OVERTIME_SHARE = 0.6; // of the time until clients are cut off

  private record Retirement(long since, double overtimeNanos) {}

  private static final long LOGIN_LINES_NANOS = 1_000_000_000L;

  private final Loop loop;
  private final ListenerMetrics metrics;
  private final AtomicInteger connections;
  private final ConnectionHeap heap;
  private @Nullable Settings settings; // null before the first apply
  private @Nullable Retirement retirement; // null: it takes clients
  private long loginLoggedAt;
  private int loginsUnlogged;

  /**
   * Settings of a listener in one configuration: replaced as a whole.
   *
   * @param targets all pools of the configuration, which the route's rules index
   * @param ruleBackends of the route's rules; null for one that rejects
   * @param first the pool that answers commands without a key; null if every rule rejects
   * @param users who may log in; null if no login is needed
   * @param ruleMetrics the counters of the route's rules, in order
   * @param limiters of the rules that have one
   * @param nearCaches all of the process
   */
  record Settings(
      ListenerConfig config,
      Route route,
      Pool[] targets,
      RuleBackend[] ruleBackends,
      RuleMetrics[] ruleMetrics,
      @Nullable Pool first,
      @Nullable Users users,
      Limiter[] limiters,
      NearCaches nearCaches) {
    boolean countsRequests() {
      return limiters.length > 0;
    }

    /**
     * Takes the quota for all keys that limiters were told of, or for none: then returns a limiter
     * without enough.
     */
    @Nullable Limiter takeWanted() {
      Limiter over = null;
      int taken = 0;
      for (; taken < limiters.length && over == null; taken++) {
        Limiter next = limiters[taken];
        if (next.wanted() > 0 && !next.takes(next.wanted())) {
          over = next;
        }
      }
      for (int i = 0; i < limiters.length; i++) {
        Limiter each = limiters[i];
        if (over != null && i < taken - 1) {
          each.putBack(each.wanted());
        }
        each.wantNothing();
      }
      return over;
    }
  }

  /**
   * A listener without a route.
   *
   * @param connections open clients on all loops
   */
  public Listener(Loop loop, ListenerMetrics metrics, AtomicInteger connections) {
    this(loop, metrics, connections, new ConnectionHeap(Long.MAX_VALUE));
  }

  /**
   * The same, with a limit of the heap for connections.
   *
   * @param heap of the connections of all listeners
   */
  public Listener(
      Loop loop, ListenerMetrics metrics, AtomicInteger connections, ConnectionHeap heap) {
    this.loop = loop;
    this.metrics = metrics;
    this.connections = connections;
    this.heap = heap;
  }

  /** Applies a configuration whose near caches are in use. */
  public void apply(
      ListenerConfig config,
      Route route,
      Pool[] targets,
      List<NearCache> caches,
      NearCaches nearCaches) {
    apply(config, route, targets, caches, nearCaches, nearCaches.current());
  }

  /**
   * Applies a configuration to requests that clients begin from now on.
   *
   * @param targets all pools of the configuration, which the route's rules index
   * @param caches the near caches of the route's rules; null for one without
   * @param nearCaches all of the process
   * @param own those of the configuration; null if they are not in use yet
   */
  public void apply(
      ListenerConfig config,
      Route route,
      Pool[] targets,
      List<NearCache> caches,
      NearCaches nearCaches,
      NearCaches.@Nullable Current own) {
    Pool first =
        route.rules().stream()
            .filter(rule -> rule.pool() >= 0)
            .map(rule -> targets[rule.pool()])
            .findFirst()
            .orElse(null);
    Users users = config.auth().map(auth -> new Users(auth.users())).orElse(null);
    RuleBackend[] ruleBackends =
        route.rules().stream()
            .map(
                rule ->
                    rule.pool() < 0
                        ? null
                        : new RuleBackend(
                            route.name(),
                            rule,
                            targets,
                            loop,
                            config.limits().itemSizeBytes(),
                            caches.get(rule.index()),
                            nearCaches,
                            own))
            .toArray(RuleBackend[]::new);
    Limiter[] limiters =
        Arrays.stream(ruleBackends)
            .filter(Objects::nonNull)
            .map(RuleBackend::limiter)
            .filter(Objects::nonNull)
            .toArray(Limiter[]::new);
    RuleMetrics[] ruleMetrics =
        route.rules().stream()
            .map(rule -> loop.metrics().rule(route.name(), rule.index()))
            .toArray(RuleMetrics[]::new);
    settings =
        new Settings(
            config,
            route,
            targets.clone(),
            ruleBackends,
            ruleMetrics,
            first,
            users,
            limiters,
            nearCaches);
  }

  /**
   * Accepts no more clients; existing clients are closed when their requests are answered.
   *
   * @param drainMillis after that time, the clients that are left are cut off
   */
  public void retire(long drainMillis) {
    retirement =
        new Retirement(loop.now(), TimeUnit.MILLISECONDS.toNanos(drainMillis) * OVERTIME_SHARE);
  }

  boolean isRetired() {
    return retirement != null;
  }

  /** The elapsed share of the time in which clients may stay that are never quiet, 0 to 1. */
  double overtimeShare() {
    Retirement begun = retirement;
    if (begun == null) {
      return 0;
    }
    long passed = loop.now() - begun.since();
    return passed < begun.overtimeNanos() ? passed / begun.overtimeNanos() : 1;
  }

  LoopSamples samples() {
    return loop.samples();
  }

  Settings settings() {
    return Objects.requireNonNull(settings, "the listener has no configuration yet");
  }

  ListenerMetrics metrics() {
    return metrics;
  }

  /**
   * Counts a failed login. Returns the number of failures since the last log line, if it is time
   * for the next, otherwise -1.
   */
  int loginFailed(long now) {
    if (loginLoggedAt != 0 && now - loginLoggedAt < LOGIN_LINES_NANOS) {
      loginsUnlogged++;
      return -1;
    }
    int unlogged = loginsUnlogged;
    loginLoggedAt = now;
    loginsUnlogged = 0;
    return unlogged;
  }

  /** Counts a new client that takes so much heap; returns false if it must be refused. */
  boolean enter(int heapBytes) {
    boolean many = connections.incrementAndGet() > settings().config().limits().connections();
    if (many || !heap.takes(heapBytes)) {
      connections.decrementAndGet();
      metrics.connectionRefused(ConnectionOutcome.REFUSED);
      return false;
    }
    metrics.connectionOpened();
    return true;
  }

  /** A client wants to take more heap than before; returns false if there is none. */
  boolean takesMoreHeap(int more) {
    if (!heap.takes(more)) {
      metrics.connectionRefused(ConnectionOutcome.REFUSED);
      return false;
    }
    return true;
  }

  /** A client takes more heap than before; negative: less. */
  void heapChanges(int delta) {
    heap.changes(delta);
  }

  /** Counts the end of a client that took so much heap. */
  void leave(int heapBytes) {
    heap.changes(-heapBytes);
    connections.decrementAndGet();
    metrics.connectionClosed();
  }
}
