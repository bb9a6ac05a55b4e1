package sluice.gateway.dispatch.policy;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.bridge.Operation;
import sluice.codecs.memcached.bridge.Request;
import sluice.gateway.dispatch.Admission;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.DelegatingBackend;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.dispatch.PoolBackend;
import sluice.gateway.dispatch.RequestContext;
import sluice.names.Dialect;

/**
 * Backend that fills the misses of a cold pool from a warm one ({@link FillOnMiss}). Deletes go to
 * both.
 */
final class FillOnMissBackend extends DelegatingBackend {
  private final PoolBackend cold;
  private final PoolBackend warm;
  private final CopyBackend both;

  FillOnMissBackend(PoolBackend cold, PoolBackend warm) {
    super(cold);
    this.cold = cold;
    this.warm = warm;
    both = new CopyBackend(CopyPolicy.fillOnMiss(cold, warm));
  }

  @Override
  public @Nullable Pool plain(Dialect client) {
    return null;
  }

  @Override
  public Backend forOneOfManyKeys(Dialect client, boolean changes, ByteBuf key, int from, int to) {
    return cold;
  }

  /** Adapts only the request to the cold pool; the original is sent again later. */
  @Override
  public void adapt(RequestContext context) {}

  @Override
  public @Nullable ByteBuf stream(RequestContext context, boolean lined) {
    cold.adapt(context);
    return cold.stream(context, lined);
  }

  private static boolean goesToBoth(RequestContext context) {
    return context.request().operation == Operation.DELETE;
  }

  @Override
  public Admission prepare(RequestContext context) {
    return goesToBoth(context) ? both.prepare(context) : cold.prepare(context);
  }

  @Override
  public @Nullable ByteBuf send(RequestContext context) {
    if (goesToBoth(context)) {
      return both.send(context);
    }
    Request request = context.request();
    if (!FillOnMiss.fills(request)) {
      cold.adapt(context);
      return cold.send(context);
    }
    byte[] key = request.key.bytes();
    cold.adapt(context);
    ByteBuf head = cold.head(context, context.connection());
    if (head == null) {
      return context.sender().refused(context);
    }
    new FillOnMiss(context, context.pending(), cold, warm, key).begin(context, head);
    return null;
  }
}
