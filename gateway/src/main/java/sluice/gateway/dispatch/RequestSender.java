package sluice.gateway.dispatch;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.memcached.bridge.BinaryReplyWriter;
import sluice.codecs.memcached.bridge.Exptime;
import sluice.codecs.memcached.bridge.Failure;
import sluice.codecs.memcached.bridge.MetaReplyWriter;
import sluice.codecs.memcached.bridge.Reply;
import sluice.codecs.memcached.bridge.ReplyWriter;
import sluice.codecs.memcached.bridge.Request;
import sluice.codecs.memcached.bridge.RequestWriter;
import sluice.codecs.memcached.bridge.Status;
import sluice.codecs.memcached.bridge.TextReplyWriter;
import sluice.codecs.memcached.bridge.TextRequestReader;
import sluice.codecs.memcached.bridge.TimeToLive;
import sluice.codecs.memcached.text.StorageLine;
import sluice.codecs.split.SplitHead;
import sluice.gateway.loop.Loop;
import sluice.gateway.near.SingleFlight;
import sluice.gateway.request.Bridged;
import sluice.gateway.request.PendingReply;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.session.LoopState;
import sluice.gateway.time.Clocks;
import sluice.gateway.values.ValueWork;
import sluice.names.Dialect;

/**
 * Sender of requests in canonical form to one server connection: heads, values, and the answers to
 * requests that are not sent. One for each event loop. It uses only a request's context.
 */
public final class RequestSender {
  private static final Failure BAD_KEY =
      new Failure(Status.CLIENT_ERROR, TextRequestReader.BAD_FORMAT);

  private final LoopState loopState;
  private final Loop loop;
  private final Reply reply = new Reply();
  private int streamed;

  public RequestSender(LoopState loopState) {
    this.loopState = loopState;
    loop = loopState.loop();
  }

  public LoopState loopState() {
    return loopState;
  }

  public Loop loop() {
    return loop;
  }

  /** The writer of replies to a client of this dialect. */
  public static ReplyWriter replies(Dialect client) {
    return switch (client) {
      case TEXT -> TextReplyWriter.INSTANCE;
      case META -> MetaReplyWriter.INSTANCE;
      case BINARY -> BinaryReplyWriter.INSTANCE;
    };
  }

  /** An opaque for a request over an exclusive connection. */
  public int streamedOpaque() {
    streamed = (streamed + 1) & 0x7FFFFFFF;
    return streamed;
  }

  /** Permits to send the request again, if it reads and does not expire the item. Borrows head. */
  public void mayRepeat(
      OutgoingRequest request, ServerConnection connection, PendingReply pending, ByteBuf head) {
    Request read = request.request();
    if (read.isRead() && !(read.timeToLive.isGiven && hasPassed(read.timeToLive))) {
      connection.mayRepeat(pending, head, 0, head.writerIndex());
    }
  }

  private static boolean hasPassed(TimeToLive timeToLive) {
    return Exptime.hasPassed(timeToLive.exptime, Clocks.seconds());
  }

  /**
   * The head of a request, which then {@linkplain OutgoingRequest#takeBridged knows} the reader of
   * its reply. Null if it cannot be expressed, for the reason in {@link OutgoingRequest#refusal}.
   * The caller owns the result.
   *
   * @param work processing of the request's value and its reply's, if any
   */
  public @Nullable ByteBuf head(
      OutgoingRequest request, RequestWriter writer, @Nullable ValueWork work, int opaque) {
    return begin(request, writer, work) ? written(request, writer, opaque) : null;
  }

  /**
   * The head of a request of the gateway's own, whose value, if any, is sent unchanged; as {@link
   * #head}.
   */
  public @Nullable ByteBuf plainHead(
      OutgoingRequest request, RequestWriter writer, ReplyWriter replies, int opaque) {
    bridged(request).between(writer.replies(), replies, null);
    return written(request, writer, opaque);
  }

  /**
   * Processes the request's value, before its head is {@link #written}; false if it must not be
   * sent, for the reason in {@link OutgoingRequest#refusal}.
   */
  public boolean begin(OutgoingRequest outgoing, RequestWriter writer, @Nullable ValueWork work) {
    Request request = outgoing.request();
    SingleFlight singleFlight = outgoing.singleFlight();
    bridged(outgoing)
        .between(
            writer.replies(),
            outgoing.replies(),
            singleFlight == null ? work : singleFlight.around(work));
    Failure refusal = request.key.length() > StorageLine.MAX_KEY ? BAD_KEY : null;
    if (refusal == null && request.operation.isStorage() && work != null && work.gathers(request)) {
      refusal = work.outbound(request, outgoing.value());
    }
    if (refusal != null) {
      cannotSend(outgoing, refusal);
    }
    return refusal == null;
  }

  /** The head of a request that has {@link #begin begun}; as {@link #head}. */
  public @Nullable ByteBuf written(OutgoingRequest outgoing, RequestWriter writer, int opaque) {
    SliceList value = outgoing.value();
    Request request = outgoing.request();
    int room = SliceList.isCopied(value.length()) ? value.length() + 2 : SplitHead.LENGTH + 2;
    ByteBuf head = loop.buffer(request.longestHead() + room);
    String reason = writer.write(request, opaque, outgoing.awaited(), head);
    if (reason != null) {
      head.release();
      cannotSend(outgoing, inexpressible(reason));
      return null;
    }
    outgoing.departed();
    return head;
  }

  /** The reader of the reply to request, which is remembered. */
  private Bridged bridged(OutgoingRequest request) {
    Bridged bridged = loopState.requestPool().takeBridged();
    bridged.awaited().remember(request.request());
    request.keep(bridged);
    return bridged;
  }

  private static Failure inexpressible(String reason) {
    return Failure.ofClient("unsupported: " + reason);
  }

  private void cannotSend(OutgoingRequest request, Failure why) {
    request.refuse(why);
    request.doesNotDepart();
    loopState.requestPool().give(request.takeBridged());
  }

  /** The answer to a request that is not sent, for a reason; the caller owns the result. */
  public ByteBuf refuse(OutgoingRequest request, String reason) {
    request.refuse(inexpressible(reason));
    return refused(request);
  }

  /**
   * The answer to a request that is not sent, for the reason in {@link OutgoingRequest#refusal};
   * the caller owns the result.
   */
  public ByteBuf refused(OutgoingRequest request) {
    Failure refusal = request.refusal();
    String line = refusal.line();
    request.value().clear();
    ByteBuf text = loop.buffer(line.length());
    text.writeCharSequence(line, US_ASCII);
    reply.clear(refusal.status());
    reply.error(text, 0, text.writerIndex());
    ByteBuf out = loop.buffer(128 + line.length());
    Bridged bridged = loopState.requestPool().takeBridged();
    bridged.awaited().remember(request.request());
    request.replies().write(reply, bridged.awaited(), out);
    text.release();
    loopState.requestPool().give(bridged);
    return out;
  }

  /**
   * Writes head, value and line end; the value is empty afterwards. Consumes head. The connection
   * that lacks some of them ends, because the next request would take their place.
   */
  public void write(
      OutgoingRequest request, ServerConnection connection, ByteBuf head, boolean endsWithLine) {
    SliceList value = request.value();
    boolean ends = request.request().operation.isStorage() && endsWithLine;
    try {
      if (SliceList.isCopied(value.length())) {
        value.appendTo(head);
        if (ends) {
          head.writeShort('\r' << 8 | '\n');
        }
        connection.write(head);
      } else {
        connection.write(head);
        while (!value.isEmpty()) {
          connection.write(value.removeFirst());
        }
        if (ends) {
          connection.write(loop.buffer(2).writeShort('\r' << 8 | '\n'));
        }
      }
    } catch (Throwable e) {
      connection.broken(e);
      throw e;
    }
    value.clear();
  }
}
