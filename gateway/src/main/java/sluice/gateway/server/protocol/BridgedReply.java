package sluice.gateway.server.protocol;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.memcached.bridge.Awaited;
import sluice.codecs.memcached.bridge.Failure;
import sluice.codecs.memcached.bridge.Operation;
import sluice.codecs.memcached.bridge.Reply;
import sluice.codecs.memcached.bridge.ReplyReader;
import sluice.codecs.memcached.bridge.ReplyWriter;
import sluice.codecs.memcached.bridge.Status;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.request.Aggregator;
import sluice.gateway.request.Bridged;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ServerRequest;
import sluice.gateway.values.ValueWork;

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
    Bridged bridged = bridgeOf(request);
    Awaited awaited = bridged.awaited();
    if (state == State.NUMBER) {
      state = State.UNIT;
      if (!readerOf(bridged).readNumber(in, from, to, reply)) {
        return NO_REPLY;
      }
      deliver(request);
      return NO_VALUE;
    }
    boolean begun = reply.goesOn && reply.valueLength >= 0;
    if (!readerOf(bridged).read(in, from, to, awaited, reply)) {
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
    PendingReply pending = request.reply();
    if (pending != null) {
      ValueWork work = bridgeOf(pending).work();
      if (work != null) {
        work.whole();
      }
    }
  }

  /** The bridge of a request whose reply is bridged. */
  @SuppressWarnings("NullAway") // it has one until it is released
  static Bridged bridgeOf(ServerRequest request) {
    return request.bridged();
  }

  /** The bridge of a reply that is bridged. */
  @SuppressWarnings("NullAway") // it has one until it is answered otherwise, or released
  static Bridged bridgeOf(PendingReply pending) {
    return pending.bridged();
  }

  /** The reader of the server's dialect. */
  @SuppressWarnings("NullAway") // a bridge that is in use has one
  static ReplyReader readerOf(Bridged bridged) {
    return bridged.reader();
  }

  /** The writer of the client's dialect. */
  @SuppressWarnings("NullAway") // a bridge of a client's reply has one
  static ReplyWriter writerOf(Bridged bridged) {
    return bridged.writer();
  }

  /** The aggregator of a subrequest. */
  @SuppressWarnings("NullAway") // it has one until it is released
  static Aggregator aggregatorOf(PendingReply subrequest) {
    return subrequest.aggregator();
  }

  @SuppressWarnings("NullAway") // a value is gathered because there is one
  private static ValueWork workOf(Bridged bridged) {
    return bridged.work();
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
    Bridged bridged = bridgeOf(pending);
    ValueWork work = bridged.work();
    if (work != null) {
      work.answered(reply, bridged.awaited());
    }
    if (isHidden(pending, reply)) {
      return;
    }
    ByteBuf out = head(pending, 0);
    if (reply.status.isError() && isValueSubrequest(pending)) {
      String line = out.toString(ISO_8859_1).stripTrailing();
      out.release();
      aggregatorOf(pending).errorLine(pending, line);
    } else if (out.isReadable() && reply.goesOn) {
      replies.takeCopy(pending, out); // a statistic
    } else if (out.isReadable()) {
      replies.take(request, out);
    } else {
      out.release(); // the end of a get of many keys is written elsewhere
    }
  }

  static boolean isValueSubrequest(PendingReply pending) {
    return pending.aggregator() != null
        && pending.aggregator().isToldOfValues()
        && bridgeOf(pending).awaited().operation() == Operation.GET;
  }

  /**
   * The reply, or its part before the value, in the client's dialect; the caller owns the result.
   */
  private ByteBuf head(PendingReply pending, int room) {
    Bridged bridged = bridgeOf(pending);
    Awaited awaited = bridged.awaited();
    ByteBuf out = replies.buffer(Math.max(HEAD, ReplyWriter.longest(reply, awaited) + room));
    writerOf(bridged).write(reply, awaited, out);
    return out;
  }

  private void beginValue(ServerRequest request) {
    Bridged bridged = bridgeOf(request);
    PendingReply pending = request.reply();
    boolean gone = pending == null || isHidden(pending, reply);
    boolean wanted = bridged.awaited().wantsValue();
    boolean gathers =
        !gone && bridged.work() != null && bridged.work().gathers(reply, bridged.awaited());
    state =
        gathers ? State.GATHERED_VALUE : gone || !wanted ? State.DROPPED_VALUE : State.PASSED_VALUE;
    if (pending == null) {
      return;
    }
    pending.holdsUnworked(gathers);
    outcome(pending, reply);
    if (state != State.PASSED_VALUE) {
      pending.costs(reply.valueLength);
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
      Bridged bridged = bridgeOf(pending);
      writerOf(bridged).endValue(bridged.awaited(), end);
      if (end.isReadable()) {
        replies.take(request, end);
      } else {
        end.release();
      }
    }
    if (isValueSubrequest(pending)) {
      replies.spill(); // it is all of the subrequest's reply
      aggregatorOf(pending).value(pending, 0, pending.heldBytes());
    }
  }

  /** Processes and writes the gathered value; returns whether that was possible. */
  private boolean work(ServerRequest request, PendingReply pending) {
    Bridged bridged = bridgeOf(pending);
    pending.moveSlices(value);
    pending.holdsUnworked(false);
    if (pending.continuation() != null) {
      Aggregator continued = pending.continuation().of(pending, reply, value);
      if (continued != null) {
        replies.continueBy(continued);
        return false;
      }
    }
    boolean goesOn = reply.goesOn;
    Failure error;
    try {
      error = deliver(request, pending, bridged);
    } finally {
      value.clear();
    }
    // The server's last line may still follow, which is not part of the client's reply.
    reply.goesOn = goesOn;
    reply.valueLength = Math.max(reply.valueLength, 0);
    return error == null;
  }

  /** Writes the gathered value as the client gets it; returns why that is not possible, or null. */
  private @Nullable Failure deliver(ServerRequest request, PendingReply pending, Bridged bridged) {
    int arrived = value.length();
    ValueWork work = workOf(bridged);
    Failure error =
        bridged.awaited().wantsValue()
            ? work.inbound(reply, bridged.awaited(), value)
            : work.describe(reply, bridged.awaited(), value);
    boolean grew = value.length() > arrived;
    pending.costs(replies.made(arrived, value.length()));
    if (error == null) {
      pending.hold(head(pending, LONGEST_END));
      if (bridged.awaited().wantsValue()) {
        while (!value.isEmpty()) {
          pending.hold(value.removeFirst());
        }
        ByteBuf end = replies.buffer(LONGEST_END);
        writerOf(bridged).endValue(bridged.awaited(), end);
        pending.hold(end);
      }
      if (grew) {
        replies.grew(pending);
      }
    } else {
      fail(request, error);
    }
    return error;
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
