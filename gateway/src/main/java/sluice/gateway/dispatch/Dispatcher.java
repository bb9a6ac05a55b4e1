package sluice.gateway.dispatch;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.bridge.IgniteReplyWriter;
import sluice.codecs.memcached.bridge.Operation;
import sluice.codecs.memcached.bridge.ReplyWriter;
import sluice.codecs.memcached.bridge.Request;
import sluice.codecs.memcached.bridge.RequestWriter;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.server.Server;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.session.Worker;
import sluice.names.Command;
import sluice.names.Dialect;

/**
 * What the clients of one event loop send requests in canonical form with: their contexts, and what
 * goes to a server past the backends, because it has no key.
 */
public final class Dispatcher {
  private final RequestSender sender;
  private final RequestContexts contexts;
  private final IgniteReplyWriter ignite = new IgniteReplyWriter();

  public Dispatcher(Worker worker) {
    sender = new RequestSender(worker);
    contexts = new RequestContexts(sender, worker.loop().memory());
  }

  /** What writes replies to a client of this dialect of memcached. */
  public static ReplyWriter replies(Dialect client) {
    return RequestSender.replies(client);
  }

  /** What writes replies to clients that speak Ignite's dialect. */
  public IgniteReplyWriter ignite() {
    return ignite;
  }

  /** A context for a request, which the caller {@linkplain #give gives back}. */
  public RequestContext take(ClientSession client, Command command, Dialect dialect) {
    return take(client, command, dialect, replies(dialect));
  }

  /** As the other, of a client with a dialect of its own. */
  public RequestContext take(
      ClientSession client, Command command, Dialect dialect, ReplyWriter replies) {
    return contexts.take(client, command, dialect, replies, Exchange.HIDE_NOTHING);
  }

  /** What was taken is not used any more. A request that was not sent is nobody's. */
  public void give(RequestContext context) {
    contexts.give(context);
  }

  /**
   * Deletes what the request, which is adapted, would have replaced, because its value is too
   * large, and answers nothing.
   *
   * @return false if the request has to be tried again
   */
  public boolean delete(RequestContext context, Backend backend) {
    Request request = context.request();
    boolean base64 = request.isBase64;
    ByteBuf key = request.key;
    int from = request.keyFrom;
    int to = request.keyTo;
    RequestContext delete =
        contexts.take(
            context.client(),
            Command.DELETE,
            context.dialect(),
            replies(context.dialect()),
            Exchange.HIDE_ALL);
    delete.request().clear(Operation.DELETE).key(key, from, to);
    delete.request().isBase64 = base64;
    Admission admission = backend.prepare(delete); // before sending: other pools may have it
    ByteBuf refused = admission == Admission.READY ? backend.send(delete) : null;
    contexts.give(delete);
    if (refused != null) {
      refused.release(); // then there is nothing of that name to be deleted
    }
    return admission != Admission.WAITS;
  }

  // --- requests without a key -------------------------------------------------------------------

  /**
   * Sends the request, which has no key, over connection to a server of pool.
   *
   * @return null, or the answer for the client if nothing was sent; the caller owns the result
   */
  public ByteBuf send(RequestContext context, Pool pool, ServerConnection connection) {
    return new PoolBackend(pool).send(context, connection);
  }

  /** As {@link #send}, in an exchange that is one of those for all servers. */
  public ByteBuf sendPart(
      RequestContext context, Exchange part, Pool pool, ServerConnection connection) {
    RequestWriter writer = pool.writer(connection, context.dialect());
    ByteBuf head = sender.head(context, writer, pool.work(), connection.nextOpaque());
    if (head == null) {
      return sender.refused(context);
    }
    part.bridge(context.takeBridged());
    connection.expect(part);
    connection.write(head);
    return null;
  }

  /**
   * As {@link #send}, over a connection of its own that is closed behind it: its reply may hold
   * what clients have written. The client has no other request.
   */
  public ByteBuf sendAlone(RequestContext context, Pool pool, Server server) {
    RequestWriter writer = pool.writer(server, context.dialect());
    ByteBuf head = sender.head(context, writer, pool.work(), 0);
    if (head == null) {
      return sender.refused(context);
    }
    Exchange exchange = context.exchange();
    exchange.bridge(context.takeBridged());
    ClientSession.LineEnd end = ClientSession.LineEnd.KEPT;
    context.client().sendAlone(server, exchange, head, 0, true, end);
    return null;
  }

  /** Releases what contexts keep. */
  public void close() {
    contexts.close();
  }
}
