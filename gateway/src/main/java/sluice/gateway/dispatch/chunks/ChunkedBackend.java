package sluice.gateway.dispatch.chunks;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.memcached.bridge.Operation;
import sluice.codecs.memcached.bridge.Reply;
import sluice.codecs.memcached.bridge.Request;
import sluice.codecs.memcached.bridge.RequestWriter;
import sluice.codecs.split.SplitHead;
import sluice.gateway.dispatch.DelegatingBackend;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.dispatch.PoolBackend;
import sluice.gateway.dispatch.RequestContext;
import sluice.gateway.dispatch.RequestSender;
import sluice.gateway.request.Aggregator;
import sluice.gateway.request.PendingReply;
import sluice.gateway.server.connection.ServerConnection;
import sluice.names.Dialect;

/** Backend that stores large values of a pool in chunks ({@link Split}). */
public final class ChunkedBackend extends DelegatingBackend {
  private final Split split;
  private final PoolBackend heads; // with all processing of values
  private final Split.ChunkReader reader = this::chunksOf;
  private RequestSender sender; // the event loop's, as the next, once there was a request
  private RequestContext.Recycler contexts;

  /** The backend of one pool, whose chunks split stores. */
  public ChunkedBackend(Split split) {
    this(split, new PoolBackend(split.home(), split));
  }

  @SuppressWarnings("NullAway.Init") // send sets the sender and the contexts, which replies need
  private ChunkedBackend(Split split, PoolBackend heads) {
    super(heads);
    this.split = split;
    this.heads = heads;
  }

  @Override
  public @Nullable Pool plain(Dialect client) {
    return null;
  }

  @Override
  public @Nullable ByteBuf send(RequestContext context) {
    sender = context.sender();
    contexts = context.contexts();
    Request request = context.request();
    ServerConnection connection = context.connection();
    RequestWriter writer = pool().writer(connection, context.dialect());
    if (!sender.begin(context, writer, split)) {
      return sender.refused(context);
    }
    if (request.operation == Operation.TOUCH) {
      touch(context);
      return null;
    }
    if (split.splits(request, context.value())) {
      return sendInChunks(context, writer);
    }
    ByteBuf head = sender.written(context, writer, connection.nextOpaque(writer));
    if (head == null) {
      return sender.refused(context);
    }
    PendingReply pending = context.pending();
    if (request.operation == Operation.GET) {
      context.remember();
      pending.continueBy(split.reader(context.dialect(), reader));
    }
    heads.sendAs(pending, context, connection, head);
    return null;
  }

  private Aggregator chunksOf(
      Split of,
      Dialect dialect,
      PendingReply whole,
      Reply head,
      SliceList before,
      SliceList behind) {
    return new SplitRead(
        sender, contexts, of, dialect, whole, head, before, behind, of.isHeadTooLong());
  }

  private void touch(RequestContext context) {
    SplitTouch touch = new SplitTouch(context, context.pending(), split, context.takeBridged());
    if (!touch.ask(context)) {
      touch.cannotAsk(context.refusal());
    }
  }

  /** Stores the value in chunks, and sends the request with the head as its value. */
  private @Nullable ByteBuf sendInChunks(RequestContext context, RequestWriter writer) {
    Request request = context.request();
    ServerConnection connection = context.connection();
    boolean clientsBit = (request.flags & split.flag()) != 0;
    long stamp = split.stamp();
    request.flags |= split.flag();
    request.valueLength = SplitHead.LENGTH;
    ByteBuf head = sender.written(context, writer, connection.nextOpaque(writer));
    if (head == null) {
      return sender.refused(context);
    }
    int length = context.value().length();
    split.head().write(head, clientsBit, length, split.chunkLength(), stamp);
    if (writer.endsValueWithLine()) {
      head.writeShort('\r' << 8 | '\n');
    }
    new SplitWrite(context, context.pending(), split, stamp, context.takeBridged(), head).begin();
    return null;
  }
}
