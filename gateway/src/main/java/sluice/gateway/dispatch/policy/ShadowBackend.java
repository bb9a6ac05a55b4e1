package sluice.gateway.dispatch.policy;

import io.netty.buffer.ByteBuf;
import java.util.IdentityHashMap;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.DelegatingBackend;
import sluice.gateway.dispatch.PoolBackend;
import sluice.gateway.loop.Loop;
import sluice.names.Dialect;

/** Backend that also sends a share of the requests to a shadow. */
final class ShadowBackend extends DelegatingBackend {
  /** One pool together with the shadow. */
  private record Both(CopyBackend backend, Shadows shadows) {}

  private final PoolBackend shadow;
  private final double share;
  private final Loop loop;
  private final IdentityHashMap<PoolBackend, Both> both = new IdentityHashMap<>();

  /**
   * A shadow.
   *
   * @param next chooses among pools
   * @param share of the requests, 0 to 1
   */
  ShadowBackend(Backend next, PoolBackend shadow, double share, Loop loop) {
    super(next);
    this.shadow = shadow;
    this.share = share;
    this.loop = loop;
  }

  @Override
  public Backend select(
      Dialect client, ByteBuf key, int from, int to, ByteBuf renamed, double draw) {
    Backend answering = next.select(client, key, from, to, renamed, draw);
    if (!(answering instanceof PoolBackend pool)
        || pool.pool().embedded() != null
        || pool.pool().name().equals(shadow.pool().name()) // keys that moved there
        || draw >= share) {
      return answering;
    }
    Both copied = both.computeIfAbsent(pool, this::both);
    if (!copied.shadows().hasRoom()) {
      copied.shadows().skipped();
      return answering;
    }
    return copied.backend();
  }

  private Both both(PoolBackend answering) {
    Shadows shadows = new Shadows(loop, answering.pool().name(), shadow.pool().name());
    return new Both(new CopyBackend(CopyPolicy.shadow(answering, shadow, shadows)), shadows);
  }
}
