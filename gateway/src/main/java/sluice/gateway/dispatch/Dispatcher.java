package sluice.gateway.dispatch;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.bridge.IgniteReplyWriter;
import sluice.codecs.memcached.bridge.Operation;
import sluice.codecs.memcached.bridge.ReplyWriter;
import sluice.codecs.memcached.bridge.Request;
import sluice.codecs.memcached.bridge.RequestWriter;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.Suppression;
import sluice.gateway.server.Server;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.session.LoopState;
import sluice.names.Command;
import sluice.names.Dialect;

/**
 * Dispatcher of the requests in canonical form of one event loop's clients. It provides their
 * contexts, and sends requests without a key, which bypass the backends.
 */
public final class Dispatcher {
  private final RequestSender sender;
  private final RequestContexts contexts;
  private final IgniteReplyWriter ignite = new IgniteReplyWriter();

  public Dispatcher(LoopState loopState) {
    sender = new RequestSender(loopState);
    contexts = new RequestContexts(sender, loopState.loop().memory());
  }

  /** The writer of replies to a client of this dialect of memcached. */
  public static ReplyWriter replies(Dialect client) {
    return RequestSender.replies(client);
  }

  /** The writer of replies to clients that speak Ignite's dialect. */
  public IgniteReplyWriter ignite() {
    return ignite;
  }

  /** A context for a request, which the caller must {@linkplain #give return}. */
  public RequestContext take(ClientSession client, Command command, Dialect dialect) {
    return take(client, command, dialect, replies(dialect));
  }

  /** The same for a client with a dialect of its own. */
  public RequestContext take(
      ClientSession client, Command command, Dialect dialect, ReplyWriter replies) {
    return contexts.take(client, command, dialect, replies, Suppression.NOTHING);
  }

  /** Takes back a context. If its request was not sent, no reply will come. */
  public void give(RequestContext context) {
    contexts.give(context);
  }

  /**
   * Deletes the item that the request, which is adapted, would have replaced, because its value is
   * too large; writes no reply.
   *
   * @return false if the request must be tried again
   */
  public boolean delete(RequestContext context, Backend backend) {
    Request request = context.request();
    boolean base64 = request.isBase64;
    ByteBuf key = request.key.buffer;
    int from = request.key.from;
    int to = request.key.to;
    RequestContext delete =
        contexts.take(
            context.client(),
            Command.DELETE,
            context.dialect(),
            replies(context.dialect()),
            Suppression.ALL);
    delete.request().clear(Operation.DELETE).key.set(key, from, to);
    delete.request().isBase64 = base64;
    Admission admission = backend.prepare(delete); // before sending: other pools may have it
    ByteBuf refused = admission == Admission.READY ? backend.send(delete) : null;
    contexts.give(delete);
    if (refused != null) {
      refused.release(); // then there is no such item, or it cannot be deleted there
    }
    return admission != Admission.WAITS;
  }

  // --- requests without a key -------------------------------------------------------------------

  /**
   * Sends the request, which has no key, over connection to a server of pool.
   *
   * @return null, or the answer for the client if nothing was sent; the caller owns the result
   */
  public @Nullable ByteBuf send(RequestContext context, Pool pool, ServerConnection connection) {
    return new PoolBackend(pool).send(context, connection);
  }

  /** The same as subrequest of a broadcast. */
  public @Nullable ByteBuf sendSubrequest(
      RequestContext context, PendingReply subrequest, Pool pool, ServerConnection connection) {
    RequestWriter writer = pool.writer(connection, context.dialect());
    ByteBuf head = sender.head(context, writer, pool.work(), connection.nextOpaque(writer));
    if (head == null) {
      return sender.refused(context);
    }
    subrequest.bridge(context.takeBridged());
    connection.expect(subrequest);
    connection.write(head);
    return null;
  }

  /**
   * Sends the request over an exclusive connection that is closed afterwards, because its reply may
   * contain bytes that clients have written. The client has no other request.
   */
  public @Nullable ByteBuf sendAlone(RequestContext context, Pool pool, Server server) {
    RequestWriter writer = pool.writer(server, context.dialect());
    ByteBuf head = sender.head(context, writer, pool.work(), 0);
    if (head == null) {
      return sender.refused(context);
    }
    PendingReply pending = context.pending();
    pending.bridge(context.takeBridged());
    ClientSession.LineEnd end = ClientSession.LineEnd.KEPT;
    context.client().sendAlone(server, pending, head, 0, true, end);
    return null;
  }

  /** Releases everything that contexts keep. */
  public void close() {
    contexts.close();
  }
}
