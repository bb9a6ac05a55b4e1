package sluice.gateway.server.protocol;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.ProtocolException;
import sluice.codecs.buffer.Bytes;
import sluice.codecs.buffer.SliceList;
import sluice.gateway.loop.Loop;
import sluice.gateway.request.Aggregator;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.PendingReply.Requester;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.ReplyReceiver;
import sluice.gateway.request.RingQueue;
import sluice.gateway.request.ServerRequest;

/**
 * Assembler of the replies on one server connection. A {@link ReplyDecoder} determines which bytes
 * belong to the first request in flight, and where its reply ends; the assembler passes them on.
 *
 * <p>Replies are passed on as ranges of the buffer they arrived in. Adjacent complete replies to
 * one client are written as one slice (the <em>batch</em>), if the first is next in the client's
 * order. A reply that is incomplete, or not next in order, is buffered by its request. A reply
 * longer than {@link #STREAM_FROM} is written as it arrives.
 *
 * <p>A reply that belongs to another event loop is passed on as it arrives, unchanged.
 *
 * <p>Longer than 400 lines because each method moves the same few positions in the buffer: classes
 * of parts of it would share all of its fields.
 */
public final class ReplyAssembler {
  /** Owner of the assembler: the connection. */
  public interface Owner {
    /** Whether an acquirer has kept it, so that it is closed after the acquirer's reply. */
    boolean isDetached();

    /**
     * Pauses reading if receiver, which just got bytes, has too many to take.
     *
     * @param reply that is being read, or null
     */
    void checkPressure(ReplyReceiver receiver, @Nullable PendingReply reply);

    /** Whether reading is paused. */
    boolean isPaused();

    /** Whether the rest of a read can be read later. */
    boolean mayReadLater();

    /** Total time of the pauses until now, in nanoseconds. */
    long pausedNanos();
  }

  /**
   * Replies up to this length are buffered as a whole, so that a server that dies costs no client
   * its connection.
   */
  public static final int STREAM_FROM = 32 * 1024;

  /**
   * Bytes that the work on values makes before other sockets have their turn. A read of 64 KiB may
   * hold 900 values that each become a MiB, which takes a second.
   */
  private static final long MOST_MADE = 4 << 20;

  private final Owner connection;
  private final RingQueue<ServerRequest> queue;
  private final ServerContext context;
  private final Reports reports;
  private final Loop loop;
  private @Nullable ByteBuf in; // the buffer that is being read
  private @Nullable ReplyReceiver runFor;
  private int runStart;
  private int runEnd;
  private int from;
  private int to;
  private int answerable; // requests, the first in the queue, that may be answered by this read
  private boolean grew; // a value became longer than it was in the buffer that is being read
  private long made; // bytes by the work on values, since other sockets had their turn
  private long madeFrom; // time of the loop iteration in which that began
  private boolean unlooked; // bytes of a subrequest are buffered that its aggregator has not seen
  private @Nullable Aggregator continued; // provider of the rest of the first reply

  /** Replies to the requests in queue on connection. */
  public ReplyAssembler(Owner connection, RingQueue<ServerRequest> queue, ServerContext context) {
    this.connection = connection;
    this.queue = queue;
    this.context = context;
    this.reports = context.reports();
    this.loop = context.loop();
  }

  /**
   * Passes on the replies in bytes, as decoder finds them. Borrows bytes, and advances them.
   *
   * <p>A read may hold hundreds of values that each become much longer. So it stops behind one that
   * did if reading is paused, or if {@linkplain #hasMadeMuch much was made} in this loop iteration,
   * perhaps by earlier reads: each TLS record is one. Then it may read nothing. The caller passes
   * the rest to {@link #readOn} later.
   *
   * @param sent number of requests that the server may have seen, the first in the queue. Others,
   *     also those that follow a reply in bytes, cannot be answered yet
   */
  public void read(ByteBuf bytes, ReplyDecoder decoder, int sent) {
    answerable = sent;
    if (madeFrom != loop.now()) {
      beginTurn();
    }
    pass(bytes, decoder);
  }

  /** There are other requests that the server may have seen. */
  public void answerable(int sent) {
    answerable = sent;
  }

  /**
   * As {@link #read}, for the rest of what it was given, once other sockets were handled. Borrows
   * bytes, and advances them.
   */
  public void readOn(ByteBuf bytes, ReplyDecoder decoder) {
    beginTurn();
    pass(bytes, decoder);
  }

  private void beginTurn() {
    madeFrom = loop.now();
    made = 0;
  }

  private void pass(ByteBuf bytes, ReplyDecoder decoder) {
    in = bytes;
    grew = false;
    from = bytes.readerIndex();
    to = from;
    int position = from;
    int end = bytes.writerIndex();
    boolean right = false;
    try {
      while (position < end && !stops()) {
        ServerRequest request = answerable > 0 ? queue.peek() : null;
        if (request == null && connection.isDetached()) {
          position = end; // it is closed after its only reply; the rest is ignored
          break;
        }
        if (request == null) {
          throw new ProtocolException(
              "found " + Excerpt.of(bytes, position, end) + ", expected nothing: no request waits");
        }
        position = decoder.decode(bytes, position, end, request);
      }
      bytes.readerIndex(position);
      leave();
      right = true;
    } finally {
      try {
        if (!right) {
          keepBegunReply(decoder);
        }
      } finally { // the buffer is not there any more when the connection closes
        flushRun();
        in = null;
      }
    }
  }

  private boolean stops() {
    return (grew && connection.isPaused()) || (hasMadeMuch() && connection.mayReadLater());
  }

  /** Whether values have taken much work since other sockets had their turn. */
  public boolean hasMadeMuch() {
    return made > MOST_MADE;
  }

  /**
   * The next bytes are no reply. Those before them are valid: complete values of a subrequest, or
   * the rest of a value whose beginning the client has already.
   */
  private void keepBegunReply(ReplyDecoder decoder) {
    ServerRequest request = queue.peek();
    if (request == null) {
      return;
    }
    boolean begun = decoder.isInsideReply() && !decoder.isInsideValue();
    if (begun || request.aggregator() != null) {
      spill();
    }
  }

  /** The bytes [start, end) of the buffer being read belong to the reply of the first request. */
  public void take(int start, int end) {
    if (start != to) {
      spill();
      from = start;
    }
    to = end;
  }

  /**
   * The bytes [start, end) of source belong to the reply of request, the first, if its client still
   * waits. Source is the buffer being read, or holds a line or header that began in earlier reads.
   * Borrows source.
   */
  public void take(ServerRequest request, ByteBuf source, int start, int end) {
    if (!request.isAwaited()) {
      return;
    }
    PendingReply reply = request.reply();
    if (source == in) {
      take(start, end);
    } else if (reply != null && SliceList.isCopied(end - start)) {
      spill(); // a slice would retain the buffer, which is larger than most lines
      reply.holdCopy(source, start, end - start, loop.workspace().allocator());
      unlooked |= reply.aggregator() != null;
    } else {
      take(request, loop.slice(source, start, end - start));
    }
  }

  /**
   * Bytes that did not arrive in this form belong to the reply of request, the first. Consumes
   * bytes.
   */
  public void take(ServerRequest request, ByteBuf bytes) {
    spill();
    PendingReply reply = request.reply();
    if (request.relay() != null) {
      flushRun();
      request.relay().reply(bytes);
    } else if (reply != null) {
      reply.hold(bytes);
      unlooked |= reply.aggregator() != null;
    } else {
      bytes.release();
    }
  }

  /**
   * The same, for one of many short parts of reply, which is the request's: they are copied behind
   * each other, because a buffer takes many times the bytes of a line. Consumes bytes.
   */
  void takeCopy(PendingReply reply, ByteBuf bytes) {
    try {
      spill();
      int length = bytes.readableBytes();
      reply.holdCopy(bytes, bytes.readerIndex(), length, loop.workspace().allocator());
      unlooked |= reply.aggregator() != null;
    } finally {
      bytes.release();
    }
  }

  /**
   * Completes the reply to request, the first. Its last bytes, or all, are [start, end) of ending,
   * and did not arrive in this form. Borrows ending, which may be reused at once.
   */
  public void takeEnding(ServerRequest request, ByteBuf ending, int start, int end) {
    PendingReply reply = request.reply();
    if (reply == null) {
      return;
    }
    int taken = to - from;
    if (!SliceList.isCopied(taken)) {
      spill();
      taken = 0;
    }
    if (isNextInOrder(reply)) {
      writeEnding(reply, taken, ending, start, end);
    } else {
      // One small buffer is cheaper to send than a slice and another buffer.
      ByteBuf bytes = loop.buffer(taken + end - start);
      Bytes.append(in(), from, taken, bytes);
      Bytes.append(ending, start, end - start, bytes);
      from = to;
      reply.hold(bytes);
    }
    connection.checkPressure(reply.requester(), reply);
  }

  /** Whether bytes may be written for reply at once. */
  private static boolean isNextInOrder(PendingReply reply) {
    return reply.aggregator() == null
        && reply.sliceCount() == 0
        && reply.requester().isTurnOf(reply);
  }

  /** The reply is complete, and next in order: a few bytes are copied to where they leave from. */
  private void writeEnding(PendingReply reply, int taken, ByteBuf ending, int start, int end) {
    flushRun();
    if (taken > 0) {
      reply.writeCopy(in(), from, taken);
      from = to;
    }
    reply.writeCopy(ending, start, end - start);
  }

  /** The value of reply became longer than what has arrived, and is held. */
  void grew(PendingReply reply) {
    grew = true;
    connection.checkPressure(reply.requester(), reply);
  }

  /**
   * Counts what the work on a value has made, of which the receiver may get nothing.
   *
   * @param arrived length of the value before
   * @param length the same afterwards
   * @return bytes beyond those that have arrived
   */
  long made(int arrived, int length) {
    long bytes = Math.max(0, Math.max(length, loop.takeDecompressed()) - arrived);
    made += bytes;
    return bytes;
  }

  /** Buffers the bytes taken so far, so that the next ones become a slice of their own. */
  void spill() {
    spill(false);
  }

  /**
   * The same.
   *
   * @param leaves whether the buffer ends with these bytes, in the middle of the reply
   */
  private void spill(boolean leaves) {
    if (from < to) {
      ServerRequest request = queue.get(0); // the bytes are of its reply
      PendingReply reply = request.reply();
      if (request.relay() != null) {
        flushRun();
        request.relay().reply(in(), from, to - from);
        connection.checkPressure(request.relay(), null);
      } else if (reply != null) {
        hold(reply, leaves);
        if (reply.aggregator() == null) {
          connection.checkPressure(reply.requester(), reply);
        } else {
          unlooked = true; // a get of a thousand keys has as many
        }
      }
      from = to;
    }
  }

  /**
   * Buffers the bytes taken for reply. A slice retains the whole buffer, and a server may send its
   * reply byte by byte, perhaps in TLS records, each of which is a buffer. So bytes that are few,
   * or a small part of the buffer, are copied behind each other if they stay for longer than this
   * read. Of a reply that is next in order only a few bytes are: it leaves soon, as the memory that
   * was read.
   */
  private void hold(PendingReply reply, boolean leaves) {
    int length = to - from;
    boolean waits =
        reply.aggregator() != null
            || !reply.requester().isTurnOf(reply)
            || (leaves && reply.holdsUnworked());
    boolean few = SliceList.isCopied(length);
    boolean copies = few || (waits && Loop.isSmallPartOf(in(), length));
    if (copies && (waits || (leaves && !reply.isCommitted()))) {
      reply.holdCopy(in(), from, length, loop.workspace().allocator());
    } else {
      reply.hold(loop.slice(in(), from, length));
    }
  }

  private void lookAtSubrequest(ServerRequest request) {
    if (unlooked) {
      unlooked = false; // nothing may be left of a value that was cut into slices
      PendingReply subrequest = request.reply();
      if (subrequest != null && subrequest.aggregator() != null) {
        flushRun(); // gathered bytes may be written at once, but not before earlier replies
        subrequest.aggregator().arrived(subrequest);
      }
      PendingReply reply = request.reply();
      if (reply != null) {
        connection.checkPressure(reply.requester(), reply);
      }
    }
  }

  /** The reply to request, the first, is complete. */
  public void finish(ServerRequest request) {
    reports.answered(request, connection.pausedNanos());
    Aggregator next = takeContinued();
    PendingReply reply = request.reply();
    if (request.relay() != null) {
      poll();
      extendRun(request.relay());
      request.relay().completed(request);
    } else if (reply == null) {
      if (next != null) {
        next.cancel();
      }
      from = to;
      leaveQueue(request);
    } else if (next != null) {
      continueReply(request, reply, next);
    } else if (reply.aggregator() != null) {
      finishSubrequest(request);
    } else {
      finishReply(request, reply);
    }
  }

  /**
   * Removes the first request, which is request, from the queue; its reply continues without it.
   */
  private void leaveQueue(ServerRequest request) {
    poll();
    context.requestPool().give(request);
  }

  private void poll() {
    queue.poll();
    answerable--;
  }

  private void continueReply(ServerRequest request, PendingReply reply, Aggregator next) {
    spill();
    leaveQueue(request);
    flushRun();
    reply.splitInto(next);
    next.begin();
  }

  @SuppressWarnings("NullAway") // a subrequest has an aggregator, and this one no failure
  private void finishSubrequest(ServerRequest request) {
    spill();
    lookAtSubrequest(request);
    PendingReply subrequest = request.reply();
    leaveQueue(request);
    if (subrequest == null) {
      return; // the connection was ended by what it delivered
    }
    subrequest.complete();
    flushRun();
    subrequest.aggregator().subrequestCompleted(subrequest, null);
  }

  private void finishReply(ServerRequest request, PendingReply reply) {
    Requester requester = reply.requester();
    if (requester.isTurnOf(reply)) {
      leaveQueue(request);
      if (reply.sliceCount() > 0) {
        flushRun();
        reply.writeSlices();
      }
      extendRun(requester);
      reply.complete();
      if (requester.completed(reply)) {
        flushRun();
        requester.advance();
      }
    } else {
      spill();
      leaveQueue(request);
      reply.complete();
    }
  }

  /** Adds the bytes taken to the batch for receiver, if they adjoin it. */
  private void extendRun(ReplyReceiver receiver) {
    if (from < to) {
      if (runFor != receiver || runEnd != from) {
        flushRun();
        runFor = receiver;
        runStart = from;
      }
      runEnd = to;
      from = to;
    }
  }

  /** At the end of a buffer: incomplete replies are buffered, or written if they are long. */
  private void leave() {
    spill(true);
    ServerRequest request = queue.peek();
    if (request == null) {
      return;
    }
    lookAtSubrequest(request);
    PendingReply reply = request.reply();
    if (reply != null
        && reply.aggregator() == null
        && reply.isLong(streamFrom(request))
        && reply.requester().isTurnOf(reply)) {
      flushRun();
      reply.writeSlices();
      connection.checkPressure(reply.requester(), reply);
    }
  }

  /** The rest of the first reply will come from continued, once this subrequest is complete. */
  void continueBy(Aggregator continued) {
    this.continued = continued;
  }

  /** Cancels continued replies, because the connection has closed. */
  public void cancelContinued() {
    Aggregator cancelled = takeContinued();
    if (cancelled != null) {
      cancelled.cancel();
    }
  }

  private @Nullable Aggregator takeContinued() {
    Aggregator taken = continued;
    continued = null;
    return taken;
  }

  @SuppressWarnings("NullAway") // it is there as long as bytes of it are to be passed on
  private ByteBuf in() {
    return in;
  }

  /** A buffer for rewritten bytes; the caller owns the result. */
  ByteBuf buffer(int capacity) {
    return loop.buffer(capacity);
  }

  private static int streamFrom(ServerRequest request) {
    return request.kind() == ReplyKind.STREAM ? 1 : STREAM_FROM;
  }

  /** Writes the batch, before anything else may be written to its requester. */
  public void flushRun() {
    if (runFor != null) {
      ReplyReceiver receiver = runFor;
      runFor = null;
      receiver.reply(in(), runStart, runEnd - runStart);
      connection.checkPressure(receiver, null);
    }
  }
}
