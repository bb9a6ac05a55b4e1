package sluice.gateway.dispatch;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.Bytes;
import sluice.codecs.memcached.bridge.BinaryReplyWriter;
import sluice.codecs.memcached.bridge.MetaReplyWriter;
import sluice.codecs.memcached.bridge.Reply;
import sluice.codecs.memcached.bridge.ReplyWriter;
import sluice.codecs.memcached.bridge.Request;
import sluice.codecs.memcached.bridge.RequestWriter;
import sluice.codecs.memcached.bridge.Status;
import sluice.codecs.memcached.bridge.TextReplyWriter;
import sluice.codecs.memcached.bridge.TextRequestReader;
import sluice.codecs.memcached.text.StorageLine;
import sluice.codecs.split.SplitHead;
import sluice.gateway.exchange.Bridged;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.loop.Loop;
import sluice.gateway.near.Flight;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.session.Worker;
import sluice.gateway.values.Value;
import sluice.gateway.values.ValueWork;
import sluice.names.Dialect;

/**
 * Requests in canonical form on their way to one server connection: heads, values, and the answers
 * to those that are not sent. One for each event loop. Knows nothing of a request but what its
 * context says.
 */
public final class RequestSender {
  /** Below this a value is copied behind its head: one piece instead of two or three. */
  private static final int COPY_BELOW = 1024;

  private static final String REFUSED = "CLIENT_ERROR no words for ";

  private final Worker worker;
  private final Loop loop;
  private final RequestContexts contexts;
  private final Reply reply = new Reply();
  private int streamed;

  public RequestSender(Worker worker) {
    this.worker = worker;
    loop = worker.loop();
    contexts = new RequestContexts(this, loop.memory());
  }

  public Worker worker() {
    return worker;
  }

  public Loop loop() {
    return loop;
  }

  /** Where contexts come from. */
  public RequestContexts contexts() {
    return contexts;
  }

  /** What writes replies to a client of this dialect. */
  public static ReplyWriter replies(Dialect client) {
    return switch (client) {
      case TEXT -> TextReplyWriter.INSTANCE;
      case META -> MetaReplyWriter.INSTANCE;
      case BINARY -> BinaryReplyWriter.INSTANCE;
    };
  }

  /** An opaque for a request over a connection of its own. */
  public int streamedOpaque() {
    streamed = (streamed + 1) & 0x7FFFFFFF;
    return streamed;
  }

  /** The request may be sent again, if it only reads. */
  public void mayRepeat(
      RequestContext context, ServerConnection connection, Exchange exchange, ByteBuf head) {
    if (context.request().isRead()) {
      connection.mayRepeat(exchange, head, 0, head.writerIndex());
    }
  }

  /**
   * The head of the request; null if there is none, and {@link RequestContext#refusal} says why.
   *
   * @param work what is done with the request's value and its reply's; or null
   */
  public ByteBuf head(
      RequestContext context, Bridged bridged, RequestWriter writer, ValueWork work, int opaque) {
    return begin(context, bridged, writer, work) ? written(context, bridged, writer, opaque) : null;
  }

  /**
   * The head of a request that the gateway makes itself, whose value, if any, goes as it is; null
   * if there is none.
   */
  public ByteBuf plainHead(
      RequestContext context,
      Bridged bridged,
      RequestWriter writer,
      ReplyWriter replies,
      int opaque) {
    bridged.awaited().remember(context.request());
    bridged.between(writer.replies(), replies, null);
    return written(context, bridged, writer, opaque);
  }

  /**
   * Works on the request's value; false if it is not to be sent, as {@link RequestContext#refusal}
   * says.
   */
  public boolean begin(
      RequestContext context, Bridged bridged, RequestWriter writer, ValueWork work) {
    Request request = context.request();
    Flight flight = context.flight();
    bridged.awaited().remember(request);
    bridged.between(
        writer.replies(), context.replies(), flight == null ? work : flight.around(work));
    String refusal =
        request.keyLength() > StorageLine.MAX_KEY ? TextRequestReader.BAD_FORMAT : null;
    if (refusal == null && request.operation.isStorage() && work != null && work.gathers(request)) {
      refusal = work.outbound(request, context.value());
    }
    if (refusal != null) {
      context.refuse(refusal);
      context.doesNotDepart();
    }
    return refusal == null;
  }

  public ByteBuf written(
      RequestContext context, Bridged bridged, RequestWriter writer, int opaque) {
    Value value = context.value();
    Request request = context.request();
    int room = value.length() < COPY_BELOW ? value.length() + 2 : SplitHead.LENGTH + 2;
    ByteBuf head = loop.buffer(request.longestHead() + room);
    String reason = writer.write(request, opaque, bridged.awaited(), head);
    if (reason != null) {
      head.release();
      context.refuse(REFUSED + reason);
      context.doesNotDepart();
      return null;
    }
    context.departed();
    return head;
  }

  /** The answer to a request that is not sent, for a reason; the caller owns the result. */
  public ByteBuf refuse(RequestContext context, String reason) {
    Bridged bridged = worker.exchanges().takeBridged();
    bridged.awaited().remember(context.request());
    bridged.between(null, context.replies(), null);
    context.refuse(REFUSED + reason);
    return refused(context, bridged);
  }

  /**
   * The answer to a request that is not sent, with what its context says of that; the caller owns
   * the result. Consumes bridged.
   */
  public ByteBuf refused(RequestContext context, Bridged bridged) {
    String refusal = context.refusal();
    context.value().clear();
    ByteBuf text = loop.buffer(refusal.length());
    text.writeCharSequence(refusal, US_ASCII);
    boolean server = refusal.startsWith("SERVER_ERROR");
    reply.clear(server ? Status.SERVER_ERROR : Status.CLIENT_ERROR);
    reply.error(text, 0, text.writerIndex());
    ByteBuf out = loop.buffer(128 + refusal.length());
    bridged.writer().write(reply, bridged.awaited(), out);
    text.release();
    worker.exchanges().give(bridged);
    return out;
  }

  /** Writes head, value and line end; the value is empty afterwards. Consumes head. */
  public void write(
      RequestContext context, ServerConnection connection, ByteBuf head, boolean endsWithLine) {
    Value value = context.value();
    boolean ends = context.request().operation.isStorage() && endsWithLine;
    if (value.length() < COPY_BELOW) {
      for (int i = 0; i < value.count(); i++) {
        ByteBuf piece = value.piece(i);
        Bytes.append(piece, piece.readerIndex(), piece.readableBytes(), head);
      }
      if (ends) {
        head.writeShort('\r' << 8 | '\n');
      }
      connection.write(head);
    } else {
      connection.write(head);
      for (int i = 0; i < value.count(); i++) {
        connection.write(value.take(i));
      }
      if (ends) {
        connection.write(loop.buffer(2).writeShort('\r' << 8 | '\n'));
      }
    }
    value.clear();
  }
}
