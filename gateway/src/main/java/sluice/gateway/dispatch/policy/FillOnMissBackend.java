package sluice.gateway.dispatch.policy;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.bridge.Operation;
import sluice.codecs.memcached.bridge.Request;
import sluice.codecs.memcached.bridge.RequestWriter;
import sluice.gateway.dispatch.Admission;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.dispatch.PoolBackend;
import sluice.gateway.dispatch.RequestContext;
import sluice.gateway.dispatch.RequestSender;
import sluice.gateway.exchange.Bridged;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.server.connection.ServerConnection;
import sluice.names.Dialect;

/**
 * The backend that fills the misses of a cold pool from a warm one ({@link Warming}). Deletes go to
 * both.
 */
final class FillOnMissBackend implements Backend {
  private final PoolBackend cold;
  private final PoolBackend warm;
  private final CopyBackend both;

  FillOnMissBackend(PoolBackend cold, PoolBackend warm) {
    this.cold = cold;
    this.warm = warm;
    both = new CopyBackend(Spread.warming(cold, warm));
  }

  @Override
  public Pool pool() {
    return cold.pool();
  }

  @Override
  public Pool plain(Dialect client) {
    return null;
  }

  @Override
  public Backend forOneOfManyKeys(Dialect client, boolean changes, ByteBuf key, int from, int to) {
    return cold;
  }

  /** The cold pool adapts what it is sent: the request is asked again as it was. */
  @Override
  public void adapt(RequestContext context) {}

  @Override
  public boolean gathers(RequestContext context) {
    return cold.gathers(context);
  }

  @Override
  public ByteBuf stream(RequestContext context, boolean lined) {
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
  public ByteBuf send(RequestContext context) {
    if (goesToBoth(context)) {
      return both.send(context);
    }
    Request request = context.request();
    if (!Warming.fills(request)) {
      cold.adapt(context);
      return cold.send(context);
    }
    byte[] key = new byte[request.keyLength()];
    request.key.getBytes(request.keyFrom, key);
    cold.adapt(context);
    RequestSender sender = context.sender();
    ServerConnection connection = context.connection();
    Bridged bridged = sender.worker().exchanges().takeBridged();
    RequestWriter writer = cold.pool().writer(connection, context.dialect());
    ByteBuf head = sender.head(context, bridged, writer, cold.work(), connection.nextOpaque());
    if (head == null) {
      return sender.refused(context, bridged);
    }
    Exchange whole = context.exchange();
    new Warming(context, whole, cold, warm, key).begin(connection, bridged, head);
    return null;
  }
}
