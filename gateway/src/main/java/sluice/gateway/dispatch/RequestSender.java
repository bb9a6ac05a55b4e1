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
import sluice.gateway.server.ServerConnection;
import sluice.gateway.session.Worker;
import sluice.gateway.values.Value;
import sluice.names.Dialect;

/**
 * Requests in canonical form on their way to one server connection: heads, values, and the answers
 * to those that are not sent. One an event loop; a client's reader fills {@link #request}, and
 * whatever follows is done before the next request is read.
 */
public final class RequestSender {
  /** Below this a value is copied behind its head: one piece instead of two or three. */
  private static final int COPY_BELOW = 1024;

  private static final String REFUSED = "CLIENT_ERROR no words for ";

  private final Worker worker;
  private final Loop loop;
  private final Request request = new Request();
  private final Reply reply = new Reply();
  private final Value value = new Value();
  private Flight flight; // what others may wait for, and the request becomes
  private Flight departing; // the same, of the head that is being made
  private String refusal; // why the last head was not written

  RequestSender(Worker worker) {
    this.worker = worker;
    loop = worker.loop();
  }

  Worker worker() {
    return worker;
  }

  /** The request that everything here is about. */
  Request request() {
    return request;
  }

  /** An empty value for the request: whatever is put into it is sent, or released. */
  Value value() {
    return value;
  }

  /** What the request brings may be kept, and others wait for it from now on. */
  void departs(Flight asked) {
    if (flight != null) {
      flight.notSent();
    }
    flight = asked;
  }

  /** The request is not sent, or not for others: those who wait for it ask themselves. */
  void staysHere() {
    departs(null);
  }

  /** What writes replies to a client of this dialect. */
  public static ReplyWriter replies(Dialect client) {
    return switch (client) {
      case TEXT -> TextReplyWriter.INSTANCE;
      case META -> MetaReplyWriter.INSTANCE;
      case BINARY -> BinaryReplyWriter.INSTANCE;
    };
  }

  /** Whether the request's value must be whole before anything is sent. */
  public boolean gathers(Target target) {
    if (target.spread() != null && !target.spread().warms()) {
      return true; // there are several to send it to
    }
    return target.work() != null && target.work().gathers(request);
  }

  /** The request may be sent again, if it only reads. */
  void mayRepeat(ServerConnection connection, Exchange exchange, ByteBuf head) {
    if (request.isRead()) {
      connection.mayRepeat(exchange, head, 0, head.writerIndex());
    }
  }

  /** The head of the request; null if there is none, and {@link #refusal} says why. */
  ByteBuf head(
      Bridged bridged, RequestWriter writer, ReplyWriter replies, Target target, int opaque) {
    return begin(bridged, writer, replies, target) ? written(bridged, writer, opaque) : null;
  }

  /**
   * The head of a request that the gateway makes itself, whose value, if any, goes as it is; null
   * if there is none.
   */
  ByteBuf plainHead(Bridged bridged, RequestWriter writer, ReplyWriter replies, int opaque) {
    bridged.awaited().remember(request);
    bridged.between(writer.replies(), replies, null);
    return written(bridged, writer, opaque);
  }

  /** Works on the request's value; false if it is not to be sent, as {@link #refusal} says. */
  boolean begin(Bridged bridged, RequestWriter writer, ReplyWriter replies, Target target) {
    departing = flight;
    flight = null;
    bridged.awaited().remember(request);
    bridged.between(writer.replies(), replies, departing == null ? target.work() : departing);
    refusal = request.keyLength() > StorageLine.MAX_KEY ? TextRequestReader.BAD_FORMAT : null;
    if (refusal == null && request.operation.isStorage() && gathers(target)) {
      refusal = target.work().outbound(request, value);
    }
    if (refusal != null) {
      doesNotDepart();
    }
    return refusal == null;
  }

  ByteBuf written(Bridged bridged, RequestWriter writer, int opaque) {
    int room = value.length() < COPY_BELOW ? value.length() + 2 : SplitHead.LENGTH + 2;
    ByteBuf head = loop.buffer(request.longestHead() + room);
    String reason = writer.write(request, opaque, bridged.awaited(), head);
    if (reason != null) {
      head.release();
      refusal = REFUSED + reason;
      doesNotDepart();
      return null;
    }
    departing = null; // the reply ends it
    return head;
  }

  private void doesNotDepart() {
    if (departing != null) {
      departing.dropped();
      departing = null;
    }
  }

  /** The answer to a request that is not sent, for a reason; the caller owns the result. */
  ByteBuf refuse(ReplyWriter replies, String reason) {
    Bridged bridged = worker.exchanges().takeBridged();
    bridged.awaited().remember(request);
    bridged.between(null, replies, null);
    refusal = REFUSED + reason;
    return refused(bridged);
  }

  /** The answer to a request that is not sent, with what {@link #refusal} says. */
  ByteBuf refused(Bridged bridged) {
    value.clear();
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
  void write(ServerConnection connection, ByteBuf head, boolean endsWithLine) {
    boolean ends = request.operation.isStorage() && endsWithLine;
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

  /** Why the last head was not written, or the last value not worked on. */
  String refusal() {
    return refusal;
  }
}
