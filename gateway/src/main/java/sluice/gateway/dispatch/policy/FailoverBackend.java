package sluice.gateway.dispatch.policy;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.DelegatingBackend;
import sluice.gateway.request.KeyRewrite;
import sluice.names.Dialect;

/**
 * Backend that sends the keys of a server that is down to other pools, the first that can take
 * them.
 */
final class FailoverBackend extends DelegatingBackend {
  private final Backend[] others;
  private final @Nullable KeyRewrite rewrite;

  /**
   * Failover from one backend to others.
   *
   * @param others in the order in which they are tried
   * @param rewrite the rule's rewriting of keys, if any
   */
  FailoverBackend(Backend next, Backend[] others, @Nullable KeyRewrite rewrite) {
    super(next);
    this.others = others;
    this.rewrite = rewrite;
  }

  @Override
  public Backend select(
      Dialect client, ByteBuf key, int from, int to, ByteBuf renamed, double draw) {
    Backend chosen = next.select(client, key, from, to, renamed, draw);
    if (!chosen.pool().mayBeDown(client)) {
      return chosen;
    }
    if (rewrite == null || !rewrite.fits(key, from, to)) {
      return upOf(chosen, client, key, from, to);
    }
    renamed.clear();
    rewrite.toServer(key, from, to, renamed);
    return upOf(chosen, client, renamed, 0, renamed.writerIndex());
  }

  private Backend upOf(Backend chosen, Dialect client, ByteBuf key, int from, int to) {
    if (!chosen.pool().isDown(client, key, from, to)) {
      return chosen;
    }
    for (Backend other : others) {
      if (!other.pool().isDown(client, key, from, to)) {
        return other;
      }
    }
    return chosen;
  }
}
