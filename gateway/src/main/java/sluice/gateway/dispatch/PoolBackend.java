package sluice.gateway.dispatch;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.bridge.Request;
import sluice.codecs.memcached.bridge.RequestWriter;
import sluice.gateway.request.PendingReply;
import sluice.gateway.server.Server;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.values.ValueWork;
import sluice.names.Dialect;

/** Backend that is one pool: the end of every chain of policies. */
public final class PoolBackend implements Backend {
  private final Pool pool;
  private final @Nullable ValueWork work;

  /** The backend of a pool, with the pool's own processing of values. */
  public PoolBackend(Pool pool) {
    this(pool, pool.work());
  }

  /** The backend of a pool, with other processing of values or none. */
  public PoolBackend(Pool pool, @Nullable ValueWork work) {
    this.pool = pool;
    this.work = work;
  }

  @Override
  public Pool pool() {
    return pool;
  }

  /** The processing of values, if any. */
  public @Nullable ValueWork work() {
    return work;
  }

  @Override
  public @Nullable Pool plain(Dialect client) {
    return work != null || pool.isForeign(client) ? null : pool;
  }

  /** The server for the request's key, on the side to which requests of the dialect go. */
  public Server server(Request request, Dialect dialect) {
    return pool.server(
        pool.serverOf(request.key.buffer, request.key.from, request.key.to), dialect);
  }

  @Override
  public void adapt(RequestContext context) {
    adapt(context.request());
  }

  public void adapt(Request request) {
    if (work != null) {
      work.prepare(request);
    }
  }

  @Override
  public boolean gathers(RequestContext context) {
    return work != null && work.gathers(context.request());
  }

  @Override
  public Admission prepare(RequestContext context) {
    return context.connect(server(context.request(), context.dialect()));
  }

  @Override
  public @Nullable ByteBuf send(RequestContext context) {
    return send(context, context.connection());
  }

  /** Sends the request over connection, as the pending reply of its context. */
  public @Nullable ByteBuf send(RequestContext context, ServerConnection connection) {
    ByteBuf head = head(context, connection);
    if (head == null) {
      return context.sender().refused(context);
    }
    sendAs(context.pending(), context, connection, head);
    return null;
  }

  /**
   * The head of the request for connection, which {@link #sendAs} sends. A caller thus makes an
   * pending reply only for a request that has a head. Null if it cannot be expressed, for the
   * reason in {@link RequestContext#refusal}. The caller owns the result.
   */
  public @Nullable ByteBuf head(RequestContext context, ServerConnection connection) {
    RequestWriter writer = pool.writer(connection, context.dialect());
    return context.sender().head(context, writer, work, connection.nextOpaque(writer));
  }

  /** Sends head and value, which are ready for connection, as pending reply. Consumes head. */
  public void sendAs(
      PendingReply pending, RequestContext context, ServerConnection connection, ByteBuf head) {
    RequestSender sender = context.sender();
    if (context.isOneOfMany()) {
      context.awaited().asSubrequest();
    }
    if (!context.isOneOfMany()) {
      context.client().flushRun();
    }
    pending.bridge(context.takeBridged());
    connection.expect(pending);
    sender.mayRepeat(context, connection, pending, head);
    RequestWriter writer = pool.writer(connection, context.dialect());
    sender.write(context, connection, head, writer.endsValueWithLine());
  }

  @Override
  public @Nullable ByteBuf stream(RequestContext context, boolean lined) {
    RequestSender sender = context.sender();
    Request request = context.request();
    Server server = server(request, context.dialect());
    RequestWriter writer = pool.writer(server, context.dialect());
    ByteBuf head = sender.head(context, writer, work, sender.streamedOpaque());
    if (head == null) {
      return sender.refused(context);
    }
    PendingReply pending = context.pending();
    pending.bridge(context.takeBridged());
    int body = request.valueLength + (lined ? 2 : 0);
    ClientSession.LineEnd end = ClientSession.LineEnd.of(lined, writer.endsValueWithLine());
    context.client().sendAlone(server, pending, head, body, false, end);
    return null;
  }
}
