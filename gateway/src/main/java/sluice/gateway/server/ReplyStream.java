package sluice.gateway.server;

import io.netty.buffer.ByteBuf;
import sluice.codecs.ProtocolException;
import sluice.codecs.buffer.Bytes;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.ExchangeQueue;
import sluice.gateway.exchange.Gathering;
import sluice.gateway.exchange.Grammar;
import sluice.gateway.exchange.Requester;
import sluice.gateway.loop.Connection;
import sluice.gateway.loop.Loop;

/**
 * What a server sends, taken apart into the replies to the exchanges that wait for them, in their
 * order.
 *
 * <p>Replies are handed on as ranges of the buffer they arrived in. Neighbouring whole replies of
 * one client whose turn it is leave as one slice (the <em>run</em>); what is not its client's turn,
 * or not whole yet, is held by its exchange. A reply longer than {@link #STREAM_FROM} is written as
 * it comes.
 *
 * <p>A reply that is another event loop's goes there as it comes, unchanged.
 */
abstract class ReplyStream extends Connection implements Requester.Resumable {
  /**
   * Bytes of a reply that are held until the rest has come, so that a dying server costs no client.
   */
  public static final int STREAM_FROM = 32 * 1024;

  /** Of more than half of that that waits for a server, whoever sends it has to wait. */
  private static final int MOST_PENDING = 128 * 1024;

  /** Waits in the order of requests. */
  protected final ExchangeQueue queue = new ExchangeQueue();

  protected final ServerContext context;
  protected final Reports reports;
  private ByteBuf in;
  private Requester runFor;
  private int runStart;
  private int runEnd;
  private int from;
  private int to;
  private boolean unlooked; // bytes of a part are held, and what gathers it does not know

  ReplyStream(ServerContext context) {
    super(context.loop(), MOST_PENDING);
    this.context = context;
    this.reports = context.reports();
  }

  /** Hands on the replies in bytes. Borrows bytes. */
  protected final void read(ByteBuf bytes) {
    in = bytes;
    from = bytes.readerIndex();
    to = from;
    int position = from;
    int end = bytes.writerIndex();
    boolean right = false;
    try {
      while (position < end) {
        Exchange exchange = queue.peek();
        if (exchange == null && isDetached()) {
          break; // it is closed behind its only reply, whatever follows that
        }
        if (exchange == null) {
          throw new ProtocolException(
              "found " + Excerpt.of(bytes, position, end) + ", expected nothing: no request waits");
        }
        position = consume(bytes, position, end, exchange);
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

  /** Whether a borrower has kept the connection, so that it is closed when that has its reply. */
  protected abstract boolean isDetached();

  /** What comes next is no reply: values of a part that were whole before it are good. */
  private void keepValues() {
    Exchange exchange = queue.peek();
    if (exchange != null && exchange.gathering() != null) {
      spill();
    }
  }

  /**
   * Reads on in the reply to exchange, the first in the queue, and calls {@link #take} for what
   * belongs to it, {@link #finish} where it ends. Borrows bytes.
   *
   * @return where it stopped, behind at least one byte
   */
  protected abstract int consume(ByteBuf bytes, int position, int end, Exchange exchange);

  /** The bytes [start, end) of the buffer being read belong to the reply of the first exchange. */
  protected final void take(int start, int end) {
    if (start != to) {
      spill();
      from = start;
    }
    to = end;
  }

  /**
   * Bytes that did not arrive like this belong to the reply of exchange, the first. Consumes bytes.
   */
  protected final void take(Exchange exchange, ByteBuf bytes) {
    spill();
    if (exchange.isForeign() && exchange.requester() != null) {
      flushRun();
      exchange.requester().reply(bytes);
    } else {
      exchange.hold(bytes);
    }
  }

  /**
   * What was taken is all of the reply to exchange, the first, but for its last bytes, [start, end)
   * of ending, which did not arrive like this. Borrows ending.
   */
  protected final void takeEnding(Exchange exchange, ByteBuf ending, int start, int end) {
    Requester requester = exchange.requester();
    if (requester == null) {
      return;
    }
    int taken = to - from;
    if (taken > COPY_BELOW) {
      spill();
      taken = 0;
    }
    // One small buffer is sent for less than a slice and another buffer.
    ByteBuf bytes = loop.buffer(taken + end - start);
    Bytes.append(in, from, taken, bytes);
    Bytes.append(ending, start, end - start, bytes);
    from = to;
    exchange.hold(bytes);
    checkCongestion(requester, exchange);
  }

  /** Holds what was taken until now, so that the next piece is one of its own. */
  protected final void spill() {
    if (from < to) {
      Exchange exchange = queue.peek();
      if (exchange.requester() != null && exchange.isForeign()) {
        flushRun();
        exchange.requester().reply(in, from, to - from);
        checkCongestion(exchange.requester(), exchange);
      } else if (exchange.requester() != null) {
        exchange.hold(piece(exchange));
        if (exchange.gathering() == null) {
          checkCongestion(exchange.requester(), exchange);
        } else {
          unlooked = true; // a get of a thousand keys has as many
        }
      }
      from = to;
    }
  }

  /**
   * What was taken of the reply to exchange. Many replies of a client may wait for their turn. Of
   * those a small part of a buffer is copied, because a slice would keep the whole buffer.
   */
  private ByteBuf piece(Exchange exchange) {
    int length = to - from;
    boolean waits = exchange.gathering() != null || !exchange.requester().isTurnOf(exchange);
    if (!waits || !Loop.isSmallPartOf(in, length)) {
      return loop.slice(in, from, length);
    }
    ByteBuf copy = loop.buffer(length);
    Bytes.append(in, from, length, copy);
    return copy;
  }

  private void lookAtPart(Exchange exchange) {
    if (unlooked) {
      unlooked = false; // of a value that was cut into pieces nothing may be left by now
      if (exchange.gathering() != null) {
        flushRun(); // what is gathered may be written at once, but not before earlier replies
        exchange.gathering().arrived(exchange);
      }
      if (exchange.requester() != null) {
        checkCongestion(exchange.requester(), exchange);
      }
    }
  }

  /** The reply to exchange, the first, is whole. */
  protected final void finish(Exchange exchange) {
    Requester requester = exchange.requester();
    reports.answered(exchange);
    Gathering continued = takeContinued();
    if (continued != null && requester != null) {
      spill();
      queue.poll();
      flushRun();
      exchange.splitInto(continued);
      continued.begin();
    } else if (requester == null) {
      if (continued != null) {
        continued.cancel();
      }
      queue.poll();
      from = to;
      context.exchanges().give(exchange);
    } else if (exchange.gathering() != null) {
      spill();
      lookAtPart(exchange);
      queue.poll();
      if (exchange.requester() == null) {
        context.exchanges().give(exchange); // what it brought has ended it all
        return;
      }
      exchange.complete();
      flushRun();
      exchange.gathering().partCompleted(exchange, null);
    } else if (requester.isTurnOf(exchange)) {
      queue.poll();
      if (exchange.pieceCount() > 0) {
        flushRun();
        exchange.writePieces();
      }
      if (from < to) {
        if (runFor != requester || runEnd != from) {
          flushRun();
          runFor = requester;
          runStart = from;
        }
        runEnd = to;
        from = to;
      }
      exchange.complete();
      if (requester.completed(exchange)) {
        flushRun();
        requester.advance();
      }
    } else {
      spill();
      queue.poll();
      exchange.complete();
    }
  }

  /** At the end of a buffer: what is not whole is held, or written if it is long. */
  private void leave() {
    spill();
    Exchange exchange = queue.peek();
    if (exchange != null) {
      lookAtPart(exchange);
    }
    if (exchange != null
        && exchange.gathering() == null
        && exchange.isLong(streamFrom(exchange))
        && exchange.requester().isTurnOf(exchange)) {
      flushRun();
      exchange.writePieces();
      checkCongestion(exchange.requester(), exchange);
    }
  }

  /** What brings the reply in the place of the one that is whole now, or null; it is taken. */
  protected abstract Gathering takeContinued();

  /** A buffer for what is written anew; the caller owns the result. */
  final ByteBuf buffer(int capacity) {
    return loop.buffer(capacity);
  }

  /** The only value of a part, which is all there is of its reply, has been read to its end. */
  final void valueRead(Exchange part) {
    spill();
    part.gathering().value(part, 0, part.heldBytes());
  }

  private static int streamFrom(Exchange exchange) {
    return exchange.grammar() == Grammar.STREAM ? 1 : STREAM_FROM;
  }

  /** Writes the run: before anything that may write to its requester on another way. */
  protected final void flushRun() {
    if (runFor != null) {
      Requester requester = runFor;
      runFor = null;
      requester.reply(in, runStart, runEnd - runStart);
      checkCongestion(requester, null);
    }
  }

  /**
   * Stops reading if requester, which was just given something, has too much to take.
   *
   * @param exchange whose reply is being read, or null
   */
  protected abstract void checkCongestion(Requester requester, Exchange exchange);
}
