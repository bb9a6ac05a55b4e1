package sluice.gateway.server.health;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.config.model.HealthConfig;
import sluice.config.model.LimitsConfig;
import sluice.gateway.route.hash.Ring;
import sluice.gateway.time.Clocks;

/**
 * Health of a pool's servers: which are ejected, and which servers have their keys in the meantime.
 * A ring of the other servers chooses those, unless the pool's {@code rehash} is off. All other
 * keys stay. Thread-safe; while no server is ejected, a key costs the reading of one field.
 */
public final class PoolHealth {
  private static final Logger LOG = LoggerFactory.getLogger(PoolHealth.class);

  /**
   * Assignment of keys while servers are ejected: the members of the ring, by their index in all
   * servers.
   */
  private record Detour(boolean[] ejected, Ring ring, int[] members) {}

  /** View of the pool for each server's health. */
  private final class Deciding implements Health.Rotation {
    @Override
    public HealthConfig config() {
      return config;
    }

    @Override
    public long slowNanos() {
      return config.slowMillis() == LimitsConfig.NEVER
          ? Long.MAX_VALUE
          : config.slowMillis() * 1_000_000L;
    }

    @Override
    public void eject(Health health, String why, long now) {
      PoolHealth.this.eject(health, why, now);
    }

    @Override
    public void restore(Health health, long now) {
      if (!health.isHeld()) { // a probe that was sent before it was ejected by hand
        PoolHealth.this.restore(health, now);
      }
    }

    @Override
    public void changedBy(Object by) {
      if (by != PoolHealth.this) {
        divert();
      }
    }
  }

  private final String pool;
  private final HealthConfig config;
  private final List<ServerStatus> servers;
  private final Function<List<Integer>, Ring> rings;
  private volatile @Nullable Detour detour; // null: no keys move

  /**
   * The health of a pool. Servers that are already ejected stay so, as far as the limit permits.
   *
   * @param servers in the order of its ring
   * @param rings makes a ring of the servers with these indices, at least one
   */
  public PoolHealth(
      String pool,
      HealthConfig config,
      List<ServerStatus> servers,
      Function<List<Integer>, Ring> rings) {
    this.pool = pool;
    this.config = config;
    this.servers = List.copyOf(servers);
    this.rings = rings;
  }

  /** From now on this object decides for its servers. */
  public synchronized void begin() {
    Deciding deciding = new Deciding();
    servers.forEach(server -> server.health().belongsTo(deciding));
    while (ejected() > Math.max(mostEjected(), held())) {
      servers.stream()
          .map(ServerStatus::health)
          .filter(health -> health.isEjected() && !health.isHeld())
          .findFirst()
          .ifPresent(health -> health.comeBack(Clocks.nanos()));
    }
    divert();
  }

  private long ejected() {
    return servers.stream().filter(server -> server.health().isEjected()).count();
  }

  private long held() {
    return servers.stream().filter(server -> server.health().isHeld()).count();
  }

  private long mostEjected() {
    return (long) servers.size() * config.maxEjectedPercent() / 100;
  }

  /** Whether a server of the pool can be ejected, if only by hand. */
  public boolean canEject() {
    return servers.size() > 1 || mostEjected() > 0;
  }

  private synchronized void eject(Health health, String why, long now) {
    ServerStatus server = of(health);
    if (server == null || health.isEjected() || ejected() >= mostEjected()) {
      return;
    }
    health.eject(why, now, config);
    divert(health);
    LOG.warn("pool {}: server {} is ejected: {}", pool, server.name(), why);
  }

  private synchronized void restore(Health health, long now) {
    ServerStatus server = of(health);
    if (server != null && health.isEjected()) {
      health.comeBack(now);
      divert(health);
      LOG.info("pool {}: server {} is restored", pool, server.name());
    }
  }

  /**
   * Ejects a server until {@link #restore(ServerStatus)}, regardless of how many are ejected.
   *
   * @return the reason against it; null if the server is ejected now
   */
  public synchronized @Nullable String eject(ServerStatus server) {
    if (of(server.health()) == null) {
      return "the server is no longer in the pool";
    }
    boolean otherLeft =
        servers.stream().anyMatch(other -> other != server && !other.health().isEjected());
    if (!otherLeft) {
      return "no other server of the pool is left";
    }
    server.health().hold("ejected by an administrator", Clocks.now());
    divert(server.health());
    LOG.warn("pool {}: server {} is ejected by an administrator", pool, server.name());
    return null;
  }

  /** Restores a server that was ejected for any reason. */
  public void restore(ServerStatus server) {
    restore(server.health(), Clocks.nanos());
  }

  private @Nullable ServerStatus of(Health health) {
    return servers.stream().filter(s -> s.health() == health).findFirst().orElse(null);
  }

  /** The server with this health was ejected or restored. */
  private void divert(Health changed) {
    divert();
    changed.changedBy(this);
  }

  private synchronized void divert() {
    boolean[] out = new boolean[servers.size()];
    List<Integer> left = new ArrayList<>();
    for (int i = 0; i < out.length; i++) {
      out[i] = servers.get(i).health().isEjected();
      if (!out[i]) {
        left.add(i);
      }
    }
    detour =
        left.size() == out.length || left.isEmpty() || !config.rehash()
            ? null
            : new Detour(out, rings.apply(left), left.stream().mapToInt(i -> i).toArray());
  }

  /**
   * The index of the server that has the key [from, to) now. It is server, unless servers are
   * ejected and keys move. Borrows key.
   */
  public int instead(int server, ByteBuf key, int from, int to) {
    Detour now = detour;
    return now == null || !now.ejected[server]
        ? server
        : now.members[now.ring.serverOf(key, from, to - from)];
  }
}
