package sluice.gateway.dispatch.chunks;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.bridge.Operation;
import sluice.codecs.memcached.bridge.Reply;
import sluice.codecs.memcached.bridge.Request;
import sluice.codecs.memcached.bridge.RequestWriter;
import sluice.codecs.split.SplitHead;
import sluice.gateway.dispatch.Admission;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.dispatch.PoolBackend;
import sluice.gateway.dispatch.RequestContext;
import sluice.gateway.dispatch.RequestSender;
import sluice.gateway.exchange.Bridged;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.Gathering;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.values.Value;
import sluice.names.Dialect;

/** The backend that stores large values of a pool in chunks ({@link Split}). */
public final class ChunkedBackend implements Backend {
  private final Split split;
  private final PoolBackend heads; // all is done with values that is
  private final Split.ChunkReader reader = this::piecesOf;
  private RequestSender sender; // the event loop's, once there was a request

  /** The backend of one pool, which split stores chunks in. */
  public ChunkedBackend(Split split) {
    this.split = split;
    heads = new PoolBackend(split.home(), split);
  }

  @Override
  public Pool pool() {
    return heads.pool();
  }

  @Override
  public Pool plain(Dialect client) {
    return null;
  }

  @Override
  public void adapt(RequestContext context) {
    heads.adapt(context);
  }

  @Override
  public boolean gathers(RequestContext context) {
    return heads.gathers(context);
  }

  @Override
  public Admission prepare(RequestContext context) {
    return heads.prepare(context);
  }

  @Override
  public ByteBuf stream(RequestContext context, boolean lined) {
    return heads.stream(context, lined);
  }

  @Override
  public ByteBuf send(RequestContext context) {
    sender = context.sender();
    Request request = context.request();
    ServerConnection connection = context.connection();
    Bridged bridged = sender.worker().exchanges().takeBridged();
    RequestWriter writer = pool().writer(connection, context.dialect());
    if (!sender.begin(context, bridged, writer, split)) {
      return sender.refused(context, bridged);
    }
    if (request.operation == Operation.TOUCH) {
      touch(context, bridged);
      return null;
    }
    if (split.splits(request, context.value())) {
      return sendInChunks(context, writer, bridged);
    }
    ByteBuf head = sender.written(context, bridged, writer, connection.nextOpaque());
    if (head == null) {
      return sender.refused(context, bridged);
    }
    Exchange exchange = context.exchange();
    if (request.operation == Operation.GET) {
      bridged.remember(request);
      exchange.continueBy(split.reader(context.dialect(), reader));
    }
    PoolBackend.send(context, exchange, bridged, connection, head, writer);
    return null;
  }

  private Gathering piecesOf(
      Split of, Dialect dialect, Exchange whole, Reply head, Value before, Value behind) {
    return new SplitRead(sender, of, dialect, whole, head, before, behind, of.isHeadTooLong());
  }

  private void touch(RequestContext context, Bridged bridged) {
    SplitTouch touch = new SplitTouch(context, context.exchange(), split, bridged);
    if (!touch.ask(context)) {
      touch.cannotAsk(context.refusal());
    }
  }

  /** The value is stored in chunks, and a head by the request. */
  private ByteBuf sendInChunks(RequestContext context, RequestWriter writer, Bridged bridged) {
    Request request = context.request();
    ServerConnection connection = context.connection();
    boolean clientsBit = (request.flags & split.flag()) != 0;
    long stamp = split.stamp();
    request.flags |= split.flag();
    request.valueLength = SplitHead.LENGTH;
    ByteBuf head = sender.written(context, bridged, writer, connection.nextOpaque());
    if (head == null) {
      return sender.refused(context, bridged);
    }
    int length = context.value().length();
    split.head().write(head, clientsBit, length, split.pieceLength(), stamp);
    if (writer.endsValueWithLine()) {
      head.writeShort('\r' << 8 | '\n');
    }
    new SplitWrite(context, context.exchange(), split, stamp, bridged, head).begin();
    return null;
  }
}
