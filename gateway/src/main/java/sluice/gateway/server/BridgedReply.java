package sluice.gateway.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.bridge.Awaited;
import sluice.codecs.memcached.bridge.Operation;
import sluice.codecs.memcached.bridge.Reply;
import sluice.codecs.memcached.bridge.ReplyWriter;
import sluice.codecs.memcached.bridge.Status;
import sluice.gateway.exchange.Bridged;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.Gathering;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.values.Value;

/**
 * The reply to a bridged exchange, as far as a server connection has read it: the head is written
 * anew in the client's dialect, the value follows as the slices that it arrived as, and behind it
 * what the client's dialect ends it with. A value that is worked on is held until it is whole.
 *
 * <p>The connection finds where units (lines, or heads of packets) and values end.
 */
final class BridgedReply {
  /** No value follows a unit. */
  static final int NO_VALUE = Reply.NO_VALUE;

  /** This is no reply to the request. */
  static final int NO_REPLY = -2;

  private static final int HEAD = 64;
  private static final int LONGEST_END = 8;

  private final ReplyStream stream;
  private final Reply reply = new Reply();
  private final Value value = new Value();
  private boolean awaitsNumber;
  private boolean gathers;
  private boolean drops;
  private Gathering continued; // what goes on when the reply is whole, or null

  BridgedReply(ReplyStream stream) {
    this.stream = stream;
  }

  /**
   * Reads one unit, [from, to) of in, of the reply to exchange, the first. Borrows in.
   *
   * @return bytes of the value that follows, {@link #NO_VALUE} or {@link #NO_REPLY}
   */
  int unit(ByteBuf in, int from, int to, Exchange exchange) {
    Bridged bridged = exchange.bridged();
    Awaited awaited = bridged.awaited();
    if (awaitsNumber) {
      awaitsNumber = false;
      if (!bridged.reader().readNumber(in, from, to, reply)) {
        return NO_REPLY;
      }
      deliver(exchange);
      return NO_VALUE;
    }
    boolean begun = reply.goesOn && reply.valueLength >= 0;
    if (!bridged.reader().read(in, from, to, awaited, reply)) {
      return NO_REPLY;
    }
    if (reply.valueLength >= 0) {
      if (awaited.operation().isArithmetic()) {
        awaitsNumber = true;
        return NO_VALUE;
      }
      beginValue(exchange);
      return reply.valueLength;
    }
    if (begun) {
      ends(exchange);
    } else {
      deliver(exchange);
    }
    return NO_VALUE;
  }

  /** What goes behind the value, and is no part of it, is as it should be. */
  private static void ends(Exchange exchange) {
    if (exchange.requester() != null
        && !exchange.isForeign()
        && exchange.bridged().work() != null) {
      exchange.bridged().work().whole();
    }
  }

  /** Whether the reply is whole, now that a unit or a value has ended. */
  boolean isWhole() {
    return !awaitsNumber && !reply.goesOn;
  }

  /** What brings the reply in the place of the one that is whole now, or null; it is taken. */
  Gathering takeContinued() {
    Gathering taken = continued;
    continued = null;
    return taken;
  }

  /** Whether the value that is being read belongs to nobody. */
  boolean dropsValue() {
    return drops;
  }

  static boolean isHidden(Exchange exchange, Reply reply) {
    return switch (exchange.hides()) {
      case Exchange.HIDE_MISS -> reply.status == Status.NOT_FOUND;
      case Exchange.HIDE_SUCCESS -> reply.status == Status.OK;
      case Exchange.HIDE_ALL -> true;
      default -> false;
    };
  }

  static void outcome(Exchange exchange, Reply reply) {
    if (reply.status.isError()) {
      exchange.outcome(Outcome.ERROR);
    } else if (reply.status == Status.NOT_FOUND || reply.status == Status.NOT_STORED) {
      exchange.outcome(Outcome.MISS);
    }
  }

  /** A unit of the reply that has no value. */
  private void deliver(Exchange exchange) {
    outcome(exchange, reply);
    if (exchange.requester() == null || exchange.isForeign()) {
      return;
    }
    if (exchange.bridged().work() != null) {
      exchange.bridged().work().answered(reply, exchange.bridged().awaited());
    }
    if (isHidden(exchange, reply)) {
      return;
    }
    ByteBuf out = head(exchange, 0);
    if (reply.status.isError() && isValuePart(exchange)) {
      String line = out.toString(ISO_8859_1).stripTrailing();
      out.release();
      exchange.gathering().errorLine(exchange, line);
    } else if (out.isReadable()) {
      stream.take(exchange, out);
    } else {
      out.release(); // the end of a get of many keys is somebody else's
    }
  }

  static boolean isValuePart(Exchange exchange) {
    return exchange.gathering() != null
        && exchange.gathering().isToldOfValues()
        && exchange.bridged().awaited().operation() == Operation.GET;
  }

  /**
   * The reply, or what goes before its value, in the client's words; the caller owns the result.
   */
  private ByteBuf head(Exchange exchange, int room) {
    Awaited awaited = exchange.bridged().awaited();
    ByteBuf out = stream.buffer(Math.max(HEAD, ReplyWriter.longest(reply, awaited) + room));
    exchange.bridged().writer().write(reply, awaited, out);
    return out;
  }

  private void beginValue(Exchange exchange) {
    if (exchange.isForeign()) {
      gathers = false;
      drops = exchange.requester() == null;
      return;
    }
    Bridged bridged = exchange.bridged();
    boolean gone = exchange.requester() == null || isHidden(exchange, reply);
    boolean wanted = bridged.awaited().wantsValue();
    gathers = !gone && bridged.work() != null && bridged.work().gathers(reply, bridged.awaited());
    drops = gone || (!wanted && !gathers);
    exchange.holdsUnworked(gathers);
    outcome(exchange, reply);
    if (gone || gathers) {
      return;
    }
    stream.spill();
    ByteBuf head = head(exchange, 0);
    if (head.isReadable()) {
      stream.take(exchange, head);
    } else {
      head.release();
    }
  }

  /** The value of the reply to exchange has been read to its end. */
  void valueEnds(Exchange exchange) {
    if (exchange.requester() == null || drops || exchange.isForeign()) {
      gathers = false; // its client is gone, or was answered
      return;
    }
    if (gathers) {
      gathers = false;
      stream.spill();
      if (!work(exchange)) {
        return;
      }
    } else {
      ByteBuf end = stream.buffer(LONGEST_END);
      exchange.bridged().writer().endValue(exchange.bridged().awaited(), end);
      if (end.isReadable()) {
        stream.take(exchange, end);
      } else {
        end.release();
      }
    }
    if (isValuePart(exchange)) {
      stream.valueRead(exchange);
    }
  }

  /** The gathered value is worked on, and then written; returns whether that was possible. */
  private boolean work(Exchange exchange) {
    Bridged bridged = exchange.bridged();
    for (int i = 0; i < exchange.pieceCount(); i++) {
      value.add(exchange.takePiece(i));
    }
    exchange.releasePieces();
    exchange.holdsUnworked(false);
    if (exchange.continuation() != null) {
      continued = exchange.continuation().of(exchange, reply, value);
      if (continued != null) {
        return false;
      }
    }
    boolean goesOn = reply.goesOn;
    String error = bridged.work().inbound(reply, bridged.awaited(), value);
    if (error == null) {
      exchange.hold(head(exchange, LONGEST_END));
      if (bridged.awaited().wantsValue()) {
        for (int i = 0; i < value.count(); i++) {
          exchange.hold(value.take(i));
        }
        ByteBuf end = stream.buffer(LONGEST_END);
        bridged.writer().endValue(bridged.awaited(), end);
        exchange.hold(end);
      }
    } else {
      fail(exchange, error);
    }
    value.clear();
    // The server's reply may have its last line yet to come, which is not the client's.
    reply.goesOn = goesOn;
    reply.valueLength = Math.max(reply.valueLength, 0);
    return error == null;
  }

  private void fail(Exchange exchange, String error) {
    ByteBuf text = stream.buffer(error.length());
    text.writeCharSequence(error, US_ASCII);
    reply.clear(Status.SERVER_ERROR);
    reply.error(text, 0, text.writerIndex());
    deliver(exchange);
    text.release();
  }
}
