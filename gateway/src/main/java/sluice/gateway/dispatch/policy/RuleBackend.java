package sluice.gateway.dispatch.policy;

import static java.util.stream.Collectors.toSet;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.Limiter;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.loop.Loop;
import sluice.gateway.near.Changes;
import sluice.gateway.near.NearCache;
import sluice.gateway.near.NearCaches;
import sluice.gateway.route.Rule;
import sluice.names.Dialect;

/**
 * Backend of one rule's requests on one event loop, with the limits and counters of these requests.
 */
public final class RuleBackend {
  private final Backend backend;
  private final @Nullable Limiter limiter;
  private final boolean draws;
  private final NearCaches nearCaches;
  private final NearCaches.@Nullable Current own; // those of the rule's configuration, if in use
  private final Set<String> written; // names of the pools
  private NearCaches.@Nullable Current nearSeen;
  private @Nullable Changes changes; // as of that configuration

  /**
   * The backend of a rule that does not reject; its action indexes pools.
   *
   * @param itemSize of the largest values that clients may have, in bytes
   * @param cache the rule's, if it has one
   * @param nearCaches all of the process
   * @param own those of the rule's configuration; null if they are not in use yet
   */
  public RuleBackend(
      String route,
      Rule rule,
      Pool[] pools,
      Loop loop,
      long itemSize,
      @Nullable NearCache cache,
      NearCaches nearCaches,
      NearCaches.@Nullable Current own) {
    backend = new Backends(rule, pools, loop, itemSize).chain(cache);
    limiter =
        rule.action().limit() == null
            ? null
            : new Limiter(loop, rule.action().limit(), loop.metrics().limit(route, rule.index()));
    draws = rule.action().shadow() != null && rule.action().shadow().share() < 1;
    this.nearCaches = nearCaches;
    this.own = own;
    written =
        Arrays.stream(rule.action().written())
            .mapToObj(index -> pools[index].name())
            .collect(toSet());
  }

  /**
   * Near caches of any rule that may read from these pools; null if there are none. The pools may
   * have other names or servers in another configuration: then these are all of its caches.
   */
  public @Nullable Changes changes() {
    NearCaches.Current now = nearCaches.current();
    if (now != nearSeen) {
      nearSeen = now;
      changes = now == own ? now.of(written) : now.all();
    }
    return changes;
  }

  /** The rate limit of the rule's requests, if there is one. */
  public @Nullable Limiter limiter() {
    return limiter;
  }

  /** Whether chance decides where a request goes. */
  public boolean draws() {
    return draws;
  }

  /**
   * The backend for a request whose key as the client wrote it is [from, to). Borrows key.
   *
   * @param renamed a buffer for the rewritten key; borrowed
   * @param draw a number from 0 to 1, 1 excluded, by chance if {@link #draws}
   */
  public Backend of(Dialect client, ByteBuf key, int from, int to, ByteBuf renamed, double draw) {
    return backend.select(client, key, from, to, renamed, draw);
  }
}
