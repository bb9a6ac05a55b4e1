package sluice.gateway.server.protocol;

import io.netty.buffer.ByteBuf;
import sluice.codecs.ProtocolException;
import sluice.codecs.buffer.Bytes;
import sluice.codecs.buffer.SliceList;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.Exchange.Requester;
import sluice.gateway.exchange.Gathering;
import sluice.gateway.exchange.Grammar;
import sluice.gateway.exchange.ReplyReceiver;
import sluice.gateway.exchange.RingQueue;
import sluice.gateway.exchange.ServerRequest;
import sluice.gateway.loop.Loop;

/**
 * Assembler of the replies that come on one server connection: a {@link ReplyDecoder} says which
 * bytes belong to the first request that waits, and where its reply ends; this hands them on.
 *
 * <p>Replies are handed on as ranges of the buffer they arrived in. Neighbouring whole replies of
 * one client whose turn it is leave as one slice (the <em>run</em>). A reply that is not whole, or
 * whose turn has not come, is held by its request. A reply longer than {@link #STREAM_FROM} is
 * written as it comes.
 *
 * <p>A reply that is another event loop's goes there as it comes, unchanged.
 */
public final class ReplyAssembler {
  /** The connection. */
  public interface Owner {
    /** Whether a borrower has kept it, so that it is closed when that has its reply. */
    boolean isDetached();

    /**
     * Stops reading if receiver, which was just given something, has too much to take.
     *
     * @param reply that is being read, or null
     */
    void checkCongestion(ReplyReceiver receiver, Exchange reply);
  }

  /**
   * Bytes of a reply that are held until the rest has come, so that a dying server costs no client.
   */
  public static final int STREAM_FROM = 32 * 1024;

  private final Owner connection;
  private final RingQueue<ServerRequest> queue;
  private final ServerContext context;
  private final Reports reports;
  private final Loop loop;
  private ByteBuf in;
  private ReplyReceiver runFor;
  private int runStart;
  private int runEnd;
  private int from;
  private int to;
  private boolean unlooked; // bytes of a part are held, and what gathers it does not know
  private Gathering continued; // what brings the reply in the place of the first one, or null

  /** Of the replies to the exchanges in queue, which wait on connection. */
  public ReplyAssembler(Owner connection, RingQueue<ServerRequest> queue, ServerContext context) {
    this.connection = connection;
    this.queue = queue;
    this.context = context;
    this.reports = context.reports();
    this.loop = context.loop();
  }

  /** Hands on the replies in bytes, as decoder finds them. Borrows bytes. */
  public void read(ByteBuf bytes, ReplyDecoder decoder) {
    in = bytes;
    from = bytes.readerIndex();
    to = from;
    int position = from;
    int end = bytes.writerIndex();
    boolean right = false;
    try {
      while (position < end) {
        ServerRequest request = queue.peek();
        if (request == null && connection.isDetached()) {
          break; // it is closed behind its only reply, whatever follows that
        }
        if (request == null) {
          throw new ProtocolException(
              "found " + Excerpt.of(bytes, position, end) + ", expected nothing: no request waits");
        }
        position = decoder.decode(bytes, position, end, request);
      }
      leave();
      right = true;
    } finally {
      if (!right) {
        keepValues();
      }
      flushRun();
      in = null;
    }
  }

  /** What comes next is no reply: values of a part that were whole before it are good. */
  private void keepValues() {
    ServerRequest request = queue.peek();
    if (request != null && request.gathering() != null) {
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
   * The bytes [start, end) of source belong to the reply of request, the first, if anybody waits
   * for it. Source is the buffer being read, or holds what earlier reads brought of a line or
   * header. Borrows source.
   */
  public void take(ServerRequest request, ByteBuf source, int start, int end) {
    if (!request.isAwaited()) {
      return;
    }
    if (source == in) {
      take(start, end);
    } else {
      take(request, loop.slice(source, start, end - start));
    }
  }

  /**
   * Bytes that did not arrive like this belong to the reply of request, the first. Consumes bytes.
   */
  public void take(ServerRequest request, ByteBuf bytes) {
    spill();
    if (request.relay() != null) {
      flushRun();
      request.relay().reply(bytes);
    } else if (request.reply() != null) {
      request.reply().hold(bytes);
    } else {
      bytes.release();
    }
  }

  /**
   * What was taken is all of the reply to request, the first, but for its last bytes, [start, end)
   * of ending, which did not arrive like this. Borrows ending.
   */
  public void takeEnding(ServerRequest request, ByteBuf ending, int start, int end) {
    Exchange reply = request.reply();
    if (reply == null) {
      return;
    }
    int taken = to - from;
    if (!SliceList.isCopied(taken)) {
      spill();
      taken = 0;
    }
    // One small buffer is sent for less than a slice and another buffer.
    ByteBuf bytes = loop.buffer(taken + end - start);
    Bytes.append(in, from, taken, bytes);
    Bytes.append(ending, start, end - start, bytes);
    from = to;
    reply.hold(bytes);
    connection.checkCongestion(reply.requester(), reply);
  }

  /** Holds what was taken until now, so that the next piece is one of its own. */
  void spill() {
    if (from < to) {
      ServerRequest request = queue.peek();
      Exchange reply = request.reply();
      if (request.relay() != null) {
        flushRun();
        request.relay().reply(in, from, to - from);
        connection.checkCongestion(request.relay(), null);
      } else if (reply != null) {
        reply.hold(piece(reply));
        if (reply.gathering() == null) {
          connection.checkCongestion(reply.requester(), reply);
        } else {
          unlooked = true; // a get of a thousand keys has as many
        }
      }
      from = to;
    }
  }

  /**
   * What was taken of reply. Many replies of a client may wait for their turn. Of those a small
   * part of a buffer is copied, because a slice would keep the whole buffer.
   */
  private ByteBuf piece(Exchange reply) {
    int length = to - from;
    boolean waits = reply.gathering() != null || !reply.requester().isTurnOf(reply);
    if (!waits || !Loop.isSmallPartOf(in, length)) {
      return loop.slice(in, from, length);
    }
    ByteBuf copy = loop.buffer(length);
    Bytes.append(in, from, length, copy);
    return copy;
  }

  private void lookAtPart(ServerRequest request) {
    if (unlooked) {
      unlooked = false; // of a value that was cut into pieces nothing may be left by now
      if (request.gathering() != null) {
        flushRun(); // what is gathered may be written at once, but not before earlier replies
        request.gathering().arrived(request.reply());
      }
      Exchange reply = request.reply();
      if (reply != null) {
        connection.checkCongestion(reply.requester(), reply);
      }
    }
  }

  /** The reply to request, the first, is whole. */
  public void finish(ServerRequest request) {
    reports.answered(request);
    Gathering next = takeContinued();
    if (request.relay() != null) {
      queue.poll();
      extendRun(request.relay());
      request.relay().completed(request);
    } else if (request.reply() == null) {
      if (next != null) {
        next.cancel();
      }
      from = to;
      leaveQueue(request);
    } else if (next != null) {
      continueReply(request, next);
    } else if (request.gathering() != null) {
      finishPart(request);
    } else {
      finishReply(request);
    }
  }

  /** Takes the first request, which is request, away; its reply goes on without it. */
  private void leaveQueue(ServerRequest request) {
    queue.poll();
    context.exchanges().give(request);
  }

  private void continueReply(ServerRequest request, Gathering next) {
    Exchange reply = request.reply();
    spill();
    leaveQueue(request);
    flushRun();
    reply.splitInto(next);
    next.begin();
  }

  private void finishPart(ServerRequest request) {
    spill();
    lookAtPart(request);
    Exchange part = request.reply();
    leaveQueue(request);
    if (part == null) {
      return; // what it brought has ended it all
    }
    part.complete();
    flushRun();
    part.gathering().partCompleted(part, null);
  }

  private void finishReply(ServerRequest request) {
    Exchange reply = request.reply();
    Requester requester = reply.requester();
    if (requester.isTurnOf(reply)) {
      leaveQueue(request);
      if (reply.pieceCount() > 0) {
        flushRun();
        reply.writePieces();
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

  /** What was taken goes to receiver, with what it gets already if that lies before it. */
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

  /** At the end of a buffer: what is not whole is held, or written if it is long. */
  private void leave() {
    spill();
    ServerRequest request = queue.peek();
    if (request != null) {
      lookAtPart(request);
    }
    Exchange reply = request == null ? null : request.reply();
    if (reply != null
        && reply.gathering() == null
        && reply.isLong(streamFrom(request))
        && reply.requester().isTurnOf(reply)) {
      flushRun();
      reply.writePieces();
      connection.checkCongestion(reply.requester(), reply);
    }
  }

  /** The reply to the first request is brought by continued instead, once this one is whole. */
  void continueBy(Gathering continued) {
    this.continued = continued;
  }

  /** No reply goes on: the connection is closed. */
  public void cancelContinued() {
    Gathering cancelled = takeContinued();
    if (cancelled != null) {
      cancelled.cancel();
    }
  }

  private Gathering takeContinued() {
    Gathering taken = continued;
    continued = null;
    return taken;
  }

  /** A buffer for what is written anew; the caller owns the result. */
  ByteBuf buffer(int capacity) {
    return loop.buffer(capacity);
  }

  /** The only value of a part, which is all there is of its reply, has been read to its end. */
  void valueRead(Exchange part) {
    spill();
    part.gathering().value(part, 0, part.heldBytes());
  }

  private static int streamFrom(ServerRequest request) {
    return request.grammar() == Grammar.STREAM ? 1 : STREAM_FROM;
  }

  /** Writes the run: before anything that may write to its requester on another way. */
  public void flushRun() {
    if (runFor != null) {
      ReplyReceiver receiver = runFor;
      runFor = null;
      receiver.reply(in, runStart, runEnd - runStart);
      connection.checkCongestion(receiver, null);
    }
  }
}
