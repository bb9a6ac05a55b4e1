package sluice.gateway.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.bridge.IgniteRequestWriter;
import sluice.config.model.Counters;
import sluice.config.model.IgniteConfig;
import sluice.config.model.OnFailure;
import sluice.config.model.PoolConfig;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.route.hash.Ring;
import sluice.gateway.server.Server;
import sluice.gateway.server.health.PoolHealth;
import sluice.gateway.time.Clocks;
import sluice.gateway.values.IgniteTypes;

/** Settings and pools of Ignite nodes. */
final class IgniteNodes {
  /**
   * Silence after which a connection sends a keep-alive. By default, Ignite's connector closes a
   * connection that was silent for 7 s ({@code ConnectorConfiguration.idleTimeout}).
   */
  static final long PING_AFTER_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** The connector's cache for requests that name none. */
  private static final String DEFAULT_CACHE = "default";

  private IgniteNodes() {}

  /** A pool of nodes on one event loop; ring may be null for one node, health without ejections. */
  static Pool target(
      PoolConfig pool, @Nullable Ring ring, List<Server> nodes, @Nullable PoolHealth health) {
    IgniteConfig ignite = pool.ignite().orElseThrow();
    String cache = ignite.cacheName().equals(DEFAULT_CACHE) ? "" : ignite.cacheName();
    IgniteRequestWriter writer =
        new IgniteRequestWriter(
            cache.getBytes(UTF_8), ignite.counters() == Counters.ATOMIC, Clocks::seconds);
    boolean missOnFailure = pool.onFailure() == OnFailure.MISS;
    return Pool.ignite(
        pool.name(), ring, nodes, missOnFailure, writer, new IgniteTypes(writer), health);
  }
}
