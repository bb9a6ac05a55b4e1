package sluice.gateway.server.protocol;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.memcached.bridge.Awaited;
import sluice.codecs.memcached.bridge.Failure;
import sluice.codecs.memcached.bridge.Operation;
import sluice.codecs.memcached.bridge.Reply;
import sluice.codecs.memcached.bridge.ReplyWriter;
import sluice.codecs.memcached.bridge.Status;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.request.Aggregator;
import sluice.gateway.request.Bridged;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ServerRequest;

/**
 * Reply to a bridged request, as it arrives. The head is rewritten in the client's dialect, the
 * value follows as the slices in which it arrived, and then the ending of the client's dialect. A
 * value that must be processed is held until it is complete.
 *
 * <p>The connection finds where units (lines, or heads of packets) and values end.
 */
public final class BridgedReply implements UnitReply {
  private enum State {
    /** The next unit begins a reply, or continues it. */
    UNIT,
    /** The next unit is the number that the value's head has announced. */
    NUMBER,
    /** The value is passed on as it arrives. */
    PASSED_VALUE,
    /** The value is held until it is complete, to be processed. */
    GATHERED_VALUE,
    /** The value is discarded. */
    DROPPED_VALUE
  }

  private static final int HEAD = 64;
  private static final int LONGEST_END = 8;

  private final ReplyAssembler replies;
  private final Reply reply = new Reply();
  private final SliceList value = new SliceList();
  private State state = State.UNIT;

  /** Replies of a connection, one after the other, passed on to replies. */
  public BridgedReply(ReplyAssembler replies) {
    this.replies = replies;
  }

  @Override
  public int unit(ByteBuf in, int from, int to, ServerRequest request) {
    Bridged bridged = request.bridged();
    Awaited awaited = bridged.awaited();
    if (state == State.NUMBER) {
      state = State.UNIT;
      if (!bridged.reader().readNumber(in, from, to, reply)) {
        return NO_REPLY;
      }
      deliver(request);
      return NO_VALUE;
    }
    boolean begun = reply.goesOn && reply.valueLength >= 0;
    if (!bridged.reader().read(in, from, to, awaited, reply)) {
      return NO_REPLY;
    }
    if (reply.valueLength >= 0) {
      if (awaited.operation().isArithmetic()) {
        state = State.NUMBER;
        return NO_VALUE;
      }
      beginValue(request);
      return reply.valueLength;
    }
    if (begun) {
      ends(request);
    } else {
      deliver(request);
    }
    return NO_VALUE;
  }

  /** The ending behind the value was valid. */
  private static void ends(ServerRequest request) {
    if (request.reply() != null && request.bridged().work() != null) {
      request.bridged().work().whole();
    }
  }

  @Override
  public boolean isWhole() {
    return state != State.NUMBER && !reply.goesOn;
  }

  @Override
  public boolean isVerbatim() {
    return false;
  }

  @Override
  public boolean dropsValue() {
    return state == State.DROPPED_VALUE;
  }

  static boolean isHidden(PendingReply pending, Reply reply) {
    return switch (pending.suppression()) {
      case MISS -> reply.status == Status.NOT_FOUND;
      case SUCCESS -> reply.status == Status.OK;
      case ALL -> true;
      default -> false;
    };
  }

  static void outcome(PendingReply pending, Reply reply) {
    if (reply.status.isError()) {
      pending.outcome(Outcome.ERROR);
    } else if (reply.status == Status.NOT_FOUND || reply.status == Status.NOT_STORED) {
      pending.outcome(Outcome.MISS);
    }
  }

  /** Delivers a unit of the reply that has no value. */
  private void deliver(ServerRequest request) {
    PendingReply pending = request.reply();
    if (pending == null) {
      return;
    }
    outcome(pending, reply);
    if (pending.bridged().work() != null) {
      pending.bridged().work().answered(reply, pending.bridged().awaited());
    }
    if (isHidden(pending, reply)) {
      return;
    }
    ByteBuf out = head(pending, 0);
    if (reply.status.isError() && isValuePart(pending)) {
      String line = out.toString(ISO_8859_1).stripTrailing();
      out.release();
      pending.aggregator().errorLine(pending, line);
    } else if (out.isReadable()) {
      replies.take(request, out);
    } else {
      out.release(); // the end of a get of many keys is written elsewhere
    }
  }

  static boolean isValuePart(PendingReply pending) {
    return pending.aggregator() != null
        && pending.aggregator().isToldOfValues()
        && pending.bridged().awaited().operation() == Operation.GET;
  }

  /**
   * The reply, or its part before the value, in the client's dialect; the caller owns the result.
   */
  private ByteBuf head(PendingReply pending, int room) {
    Awaited awaited = pending.bridged().awaited();
    ByteBuf out = replies.buffer(Math.max(HEAD, ReplyWriter.longest(reply, awaited) + room));
    pending.bridged().writer().write(reply, awaited, out);
    return out;
  }

  private void beginValue(ServerRequest request) {
    Bridged bridged = request.bridged();
    PendingReply pending = request.reply();
    boolean gone = pending == null || isHidden(pending, reply);
    boolean wanted = bridged.awaited().wantsValue();
    boolean gathers =
        !gone && bridged.work() != null && bridged.work().gathers(reply, bridged.awaited());
    state =
        gathers ? State.GATHERED_VALUE : gone || !wanted ? State.DROPPED_VALUE : State.PASSED_VALUE;
    if (pending != null) {
      pending.holdsUnworked(gathers);
      outcome(pending, reply);
    }
    if (gone || gathers) {
      return;
    }
    replies.spill();
    ByteBuf head = head(pending, 0);
    if (head.isReadable()) {
      replies.take(request, head);
    } else {
      head.release();
    }
  }

  @Override
  public void valueEnds(ServerRequest request) {
    State read = state;
    state = State.UNIT;
    PendingReply pending = request.reply();
    if (pending == null || read == State.DROPPED_VALUE) {
      return; // its client is gone, or was answered
    }
    if (read == State.GATHERED_VALUE) {
      replies.spill();
      if (!work(request, pending)) {
        return;
      }
    } else {
      ByteBuf end = replies.buffer(LONGEST_END);
      pending.bridged().writer().endValue(pending.bridged().awaited(), end);
      if (end.isReadable()) {
        replies.take(request, end);
      } else {
        end.release();
      }
    }
    if (isValuePart(pending)) {
      replies.valueRead(pending);
    }
  }

  /** Processes and writes the gathered value; returns whether that was possible. */
  private boolean work(ServerRequest request, PendingReply pending) {
    Bridged bridged = pending.bridged();
    pending.movePieces(value);
    pending.holdsUnworked(false);
    if (pending.continuation() != null) {
      Aggregator continued = pending.continuation().of(pending, reply, value);
      if (continued != null) {
        replies.continueBy(continued);
        return false;
      }
    }
    boolean goesOn = reply.goesOn;
    Failure error = bridged.work().inbound(reply, bridged.awaited(), value);
    if (error == null) {
      pending.hold(head(pending, LONGEST_END));
      if (bridged.awaited().wantsValue()) {
        while (!value.isEmpty()) {
          pending.hold(value.removeFirst());
        }
        ByteBuf end = replies.buffer(LONGEST_END);
        bridged.writer().endValue(bridged.awaited(), end);
        pending.hold(end);
      }
    } else {
      fail(request, error);
    }
    value.clear();
    // The server's last line may still follow, which is not part of the client's reply.
    reply.goesOn = goesOn;
    reply.valueLength = Math.max(reply.valueLength, 0);
    return error == null;
  }

  private void fail(ServerRequest request, Failure error) {
    ByteBuf text = replies.buffer(error.line().length());
    text.writeCharSequence(error.line(), US_ASCII);
    reply.clear(error.status());
    reply.error(text, 0, text.writerIndex());
    deliver(request);
    text.release();
  }
}
