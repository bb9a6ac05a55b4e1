package sluice.gateway.dispatch.policy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.bridge.Request;
import sluice.codecs.memcached.bridge.RequestWriter;
import sluice.gateway.dispatch.Admission;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.DelegatingBackend;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.dispatch.PoolBackend;
import sluice.gateway.dispatch.RequestContext;
import sluice.gateway.dispatch.RequestSender;
import sluice.gateway.request.PendingReply;
import sluice.gateway.server.connection.ServerConnection;
import sluice.names.Dialect;

/**
 * Backend that fills the misses of a cold pool from a warm one ({@link FillOnMiss}). Deletes go to
 * both, and so do touches that end an item's time to live.
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

  /** Whether the request takes its item away, which the warm pool must not bring back. */
  private static boolean goesToBoth(RequestContext context) {
    Request request = context.request();
    return switch (request.operation) {
      case DELETE -> true;
      case GET, TOUCH -> expires(request);
      default -> false;
    };
  }

  /** Whether a miss of such a request may be filled, because it has changed nothing. */
  private static boolean fills(Request request) {
    return switch (request.operation) {
      case GET, TOUCH, INCREMENT, DECREMENT -> true;
      default -> false;
    };
  }

  private static boolean expires(Request request) {
    return request.timeToLive.isGiven
        && request.timeToLive.exptime < 0
        && !request.seeksWinner()
        && !request.knowsValue();
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
    if (!fills(request)) {
      cold.adapt(context);
      return cold.send(context);
    }
    byte[] key = request.key.bytes();
    cold.adapt(context);
    RequestSender sender = context.sender();
    ServerConnection connection = context.connection();
    RequestWriter writer = cold.pool().writer(connection, context.dialect());
    int opaque = connection.nextOpaque(writer);
    ByteBuf head = sender.head(context, writer, cold.work(), opaque);
    if (head == null) {
      return sender.refused(context);
    }
    byte[] asked = ByteBufUtil.getBytes(head);
    boolean creates = request.arithmetic.created.isGiven;
    if (creates) {
      // The warm pool may have the counter, so the first request must not create it.
      head.release();
      request.arithmetic.created.isGiven = false;
      head = sender.written(context, writer, opaque);
      if (head == null) {
        return sender.refused(context);
      }
    }
    PendingReply whole = context.pending();
    new FillOnMiss(context, whole, cold, warm, key, asked, creates).begin(context, head);
    return null;
  }
}
