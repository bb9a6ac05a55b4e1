package sluice.gateway.server.protocol.text;

import static sluice.codecs.memcached.text.TextReply.is;
import static sluice.codecs.memcached.text.TextReply.isError;
import static sluice.codecs.memcached.text.TextReply.startsWith;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.ProtocolException;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.RingQueue;
import sluice.gateway.request.ServerRequest;
import sluice.gateway.request.Suppression;
import sluice.gateway.server.protocol.BridgedReply;
import sluice.gateway.server.protocol.Excerpt;
import sluice.gateway.server.protocol.RelayedReply;
import sluice.gateway.server.protocol.ReplyAssembler;
import sluice.gateway.server.protocol.ReplyDecoder;
import sluice.gateway.server.protocol.Reports;
import sluice.gateway.server.protocol.ServerContext;
import sluice.gateway.server.protocol.UnitReply;

/**
 * Decoder of the replies of a server that speaks text, classic and meta. The reply kind of the
 * request determines which of them a reply is, and how it ends.
 *
 * <pre>
 *   REPLY  a line ends the reply           REPLY
 *          a line announces more           LINE
 *          a line announces a value        VALUE, DISCARDED_VALUE
 *          OK of a stream                  STREAM
 *   LINE   the same lines, behind the first
 *   VALUE  its line end                    REPLY (meta), LINE (classic), either (bridged)
 * </pre>
 */
final class TextReplyDecoder implements ReplyDecoder {
  private enum State {
    /** The next line begins a reply. */
    REPLY,
    /** The next line continues the first reply. */
    LINE,
    /** A data block, with its line end, is passed on. */
    VALUE,
    /** A data block, with its line end, is discarded. */
    DISCARDED_VALUE,
    /** All bytes belong to the first reply, until the server closes. */
    STREAM
  }

  private static final byte LF = '\n';
  private static final int MAX_LINE = 16 * 1024;

  /**
   * memcached answers this to a get. Together with that get's values it drops all unsent replies to
   * earlier requests (process_get_command_err, conn_release_items).
   */
  private static final String DROPS_OTHERS = "SERVER_ERROR out of memory writing get response";

  private final ReplyAssembler replies;
  private final RingQueue<ServerRequest> queue;
  private final ServerContext context;
  private final Reports reports;
  private final Loop loop;
  private final SharedReply sharedReply;
  private final ClassicValues classic;
  private final MetaReplies meta;
  private final RelayedReply relayed = new RelayedReply();
  private @Nullable BridgedReply bridged; // null until the first bridged request

  private State state = State.REPLY;

  /** The part of a line from earlier reads; null if there is none. */
  private @Nullable ByteBuf carry;

  private int remaining; // bytes of the data block, its line end included

  /** A decoder of replies to the requests in queue, which it passes to replies. */
  TextReplyDecoder(ReplyAssembler replies, RingQueue<ServerRequest> queue, ServerContext context) {
    this.replies = replies;
    this.queue = queue;
    this.context = context;
    this.reports = context.reports();
    this.loop = context.loop();
    sharedReply = new SharedReply(replies, queue, context);
    classic = new ClassicValues(replies, context);
    meta = new MetaReplies(replies, context);
  }

  @Override
  public boolean isInsideReply() {
    return state != State.REPLY || carry != null;
  }

  @Override
  public boolean isInsideValue() {
    return remaining > 0 || carry != null || state == State.VALUE; // without its line end
  }

  @Override
  public int decode(ByteBuf in, int position, int end, ServerRequest request) {
    return switch (state) {
      case REPLY, LINE -> readLine(in, position, end, request);
      case VALUE, DISCARDED_VALUE -> readValue(in, position, end, request);
      case STREAM -> {
        replies.take(position, end);
        yield end;
      }
    };
  }

  // --- framing ------------------------------------------------------------------------------

  private int readLine(ByteBuf in, int position, int end, ServerRequest request) {
    int lf = in.indexOf(position, end, LF);
    if (lf < 0) {
      carry(in, position, end);
      return end;
    }
    if (carry == null) {
      checkLength(lf + 1 - position);
      line(in, position, lf + 1, request);
    } else {
      carry(in, position, lf + 1);
      ByteBuf line = carry;
      carry = null;
      try {
        line(line, 0, line.writerIndex(), request);
      } finally {
        line.release();
      }
    }
    return lf + 1;
  }

  private void carry(ByteBuf in, int from, int to) {
    if (carry == null) {
      carry = loop.buffer(Math.max(256, to - from));
    }
    checkLength(carry.writerIndex() + to - from);
    carry.writeBytes(in, from, to - from);
  }

  /** Refuses a line, or a part of one, that is too long, wherever it is cut. */
  private static void checkLength(int bytes) {
    if (bytes > MAX_LINE) {
      throw new ProtocolException("found a line of more than " + MAX_LINE + " bytes");
    }
  }

  private int readValue(ByteBuf in, int position, int end, ServerRequest request) {
    int next = position + Math.min(end - position, remaining);
    remaining -= next - position;
    if (state == State.VALUE) {
      // In a bridged reply only the value is passed on: its ending depends on the client's dialect.
      boolean cut = request.kind() == ReplyKind.BRIDGED && !bridged(request).isVerbatim();
      int ending = cut ? Math.max(0, 2 - remaining) : 0;
      if (next - ending > position) {
        replies.take(position, next - ending);
      }
    }
    // The last two bytes must end the line; each is checked in the read that brings it.
    if (remaining < 2 && next - position > 1 - remaining) {
      expectByte(in, next - 2 + remaining, '\r');
    }
    if (remaining == 0) {
      expectByte(in, next - 1, '\n');
      valueComplete(request);
    }
    return next;
  }

  /** The line announces a value of this length, which is passed on or discarded. */
  private void beginValue(int bytes, boolean handedOn) {
    state = handedOn ? State.VALUE : State.DISCARDED_VALUE;
    remaining = bytes + 2;
  }

  /** The reply to request, the first, is complete. */
  private void finish(ServerRequest request) {
    state = State.REPLY;
    replies.finish(request);
  }

  /** The reader of the reply to request, which is bridged. */
  private UnitReply bridged(ServerRequest request) {
    if (request.isRelayed()) {
      return relayed;
    }
    if (bridged == null) {
      bridged = new BridgedReply(replies);
    }
    return bridged;
  }

  private static void expectByte(ByteBuf in, int index, char expected) {
    if (in.getByte(index) != expected) {
      throw new ProtocolException(
          "found " + Excerpt.of(in, index, index + 1) + " where the line end of a value belongs");
    }
  }

  private void valueComplete(ServerRequest request) {
    if (request.kind() == ReplyKind.META) {
      finish(request);
      return;
    }
    state = State.LINE;
    if (request.kind() == ReplyKind.BRIDGED) {
      bridged(request).valueEnds(request);
      endUnit(request);
    } else {
      classic.valueComplete(request);
    }
  }

  private void line(ByteBuf in, int from, int next, ServerRequest request) {
    int to = next - 1;
    to -= to > from && in.getByte(to - 1) == '\r' ? 1 : 0;
    if (queue.size() > 1 && startsWith(in, from, to, DROPS_OTHERS)) {
      throw context.unexpected(in, from, next, request);
    }
    switch (request.kind()) {
      case VALUES -> values(in, from, to, next, request);
      case META -> meta(in, from, to, next, request);
      case STATS -> lines(in, from, to, next, request, "STAT ", "PREFIX ", "ITEM ");
      case LISTING -> listing(in, from, to, next, request);
      case DUMP -> lines(in, from, to, next, request, "key=", "mg ", "OK");
      case STREAM -> {
        replies.take(request, in, from, next);
        if (is(in, from, to, "OK")) {
          state = State.STREAM;
        } else {
          finish(request);
        }
      }
      case BRIDGED -> unit(in, from, to, next, request);
      default -> whole(in, from, next, request, OneLineReply.answers(request, in, from, to));
    }
  }

  private void whole(ByteBuf in, int from, int next, ServerRequest request, boolean expected) {
    if (!expected) {
      throw context.unexpected(in, from, next, request);
    }
    if (isError(in, from, next)) {
      request.outcome(Outcome.ERROR);
    } else if (in.getByte(from) == 'N') {
      request.outcome(Outcome.MISS); // NOT_FOUND, NOT_STORED
    }
    if (request.suppression() != Suppression.ALL) {
      replies.take(request, in, from, next);
    }
    finish(request);
  }

  private void lines(
      ByteBuf in, int from, int to, int next, ServerRequest request, String... more) {
    boolean goesOn = false;
    for (String start : more) {
      goesOn |= startsWith(in, from, to, start);
    }
    boolean alone = is(in, from, to, "OK") && request.kind() != ReplyKind.DUMP;
    replies.take(request, in, from, next);
    if (goesOn && !alone) {
      state = State.LINE;
    } else {
      finish(request);
    }
  }

  private void listing(ByteBuf in, int from, int to, int next, ServerRequest request) {
    boolean alone =
        state == State.REPLY
            && (is(in, from, to, "OK") || is(in, from, to, "RESET") || isError(in, from, to));
    replies.take(request, in, from, next);
    if (alone || is(in, from, to, "END")) {
      finish(request);
    } else {
      state = State.LINE;
    }
  }

  // --- classic values -----------------------------------------------------------------------

  private void values(ByteBuf in, int from, int to, int next, ServerRequest first) {
    ServerRequest request = first;
    if (request.sent().isSharingReply()) {
      boolean begun = sharedReply.pass(in, from, to, next, state == State.LINE);
      state = begun ? State.LINE : State.REPLY;
      request = queue.get(0);
    }
    int size = classic.read(in, from, to, next, request, state == State.LINE);
    if (size >= 0) {
      beginValue(size, request.isAwaited());
      return;
    }
    finish(request);
    if (size == ClassicValues.NO_END) {
      throw context.noEnd(in, from, next);
    }
  }

  // --- bridged ------------------------------------------------------------------------------

  private void unit(ByteBuf in, int from, int to, int next, ServerRequest request) {
    UnitReply bridgedReply = bridged(request);
    int length = bridgedReply.unit(in, from, to, request);
    if (length == UnitReply.NO_REPLY) {
      throw context.unexpected(in, from, next, request);
    }
    if (bridgedReply.isVerbatim()) {
      replies.take(request, in, from, next);
    }
    if (length == UnitReply.NO_VALUE) {
      endUnit(request);
    } else {
      reports.valueRead(request, length);
      beginValue(length, !bridgedReply.dropsValue());
    }
  }

  private void endUnit(ServerRequest request) {
    if (bridged(request).isWhole()) {
      finish(request);
    } else {
      state = State.LINE;
    }
  }

  // --- meta ---------------------------------------------------------------------------------

  private void meta(ByteBuf in, int from, int to, int next, ServerRequest request) {
    if (isError(in, from, to)) {
      whole(in, from, next, request, true);
      return;
    }
    int size = meta.read(in, from, to, next, request);
    if (size == MetaReplies.NO_VALUE) {
      finish(request);
    } else {
      beginValue(size, !meta.dropsValue());
    }
  }

  @Override
  public @Nullable ByteBuf partialHead() {
    return carry;
  }

  @Override
  public void release() {
    if (carry != null) {
      carry.release();
      carry = null;
    }
    meta.release();
  }
}
