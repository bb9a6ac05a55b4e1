package sluice.gateway.server.protocol;

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
 * Assembler of the replies that come on one server connection: a {@link ReplyDecoder} says which
 * bytes belong to the first exchange that waits, and where its reply ends; this hands them on.
 *
 * <p>Replies are handed on as ranges of the buffer they arrived in. Neighbouring whole replies of
 * one client whose turn it is leave as one slice (the <em>run</em>). A reply that is not whole, or
 * whose turn has not come, is held by its exchange. A reply longer than {@link #STREAM_FROM} is
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
     * Stops reading if requester, which was just given something, has too much to take.
     *
     * @param exchange whose reply is being read, or null
     */
    void checkCongestion(Requester requester, Exchange exchange);
  }

  /**
   * Bytes of a reply that are held until the rest has come, so that a dying server costs no client.
   */
  public static final int STREAM_FROM = 32 * 1024;

  private final Owner connection;
  private final ExchangeQueue queue;
  private final ServerContext context;
  private final Reports reports;
  private final Loop loop;
  private ByteBuf in;
  private Requester runFor;
  private int runStart;
  private int runEnd;
  private int from;
  private int to;
  private boolean unlooked; // bytes of a part are held, and what gathers it does not know
  private Gathering continued; // what brings the reply in the place of the first one, or null

  /** Of the replies to the exchanges in queue, which wait on connection. */
  public ReplyAssembler(Owner connection, ExchangeQueue queue, ServerContext context) {
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
        Exchange exchange = queue.peek();
        if (exchange == null && connection.isDetached()) {
          break; // it is closed behind its only reply, whatever follows that
        }
        if (exchange == null) {
          throw new ProtocolException(
              "found " + Excerpt.of(bytes, position, end) + ", expected nothing: no request waits");
        }
        position = decoder.decode(bytes, position, end, exchange);
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
    Exchange exchange = queue.peek();
    if (exchange != null && exchange.gathering() != null) {
      spill();
    }
  }

  /** The bytes [start, end) of the buffer being read belong to the reply of the first exchange. */
  public void take(int start, int end) {
    if (start != to) {
      spill();
      from = start;
    }
    to = end;
  }

  /**
   * The bytes [start, end) of source belong to the reply of exchange, the first, if anybody waits
   * for it. Source is the buffer being read, or holds what earlier reads brought of a line or
   * header. Borrows source.
   */
  public void take(Exchange exchange, ByteBuf source, int start, int end) {
    if (exchange.requester() == null) {
      return;
    }
    if (source == in) {
      take(start, end);
    } else {
      take(exchange, loop.slice(source, start, end - start));
    }
  }

  /**
   * Bytes that did not arrive like this belong to the reply of exchange, the first. Consumes bytes.
   */
  public void take(Exchange exchange, ByteBuf bytes) {
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
  public void takeEnding(Exchange exchange, ByteBuf ending, int start, int end) {
    Requester requester = exchange.requester();
    if (requester == null) {
      return;
    }
    int taken = to - from;
    if (taken > Connection.COPY_BELOW) {
      spill();
      taken = 0;
    }
    // One small buffer is sent for less than a slice and another buffer.
    ByteBuf bytes = loop.buffer(taken + end - start);
    Bytes.append(in, from, taken, bytes);
    Bytes.append(ending, start, end - start, bytes);
    from = to;
    exchange.hold(bytes);
    connection.checkCongestion(requester, exchange);
  }

  /** Holds what was taken until now, so that the next piece is one of its own. */
  void spill() {
    if (from < to) {
      Exchange exchange = queue.peek();
      if (exchange.requester() != null && exchange.isForeign()) {
        flushRun();
        exchange.requester().reply(in, from, to - from);
        connection.checkCongestion(exchange.requester(), exchange);
      } else if (exchange.requester() != null) {
        exchange.hold(piece(exchange));
        if (exchange.gathering() == null) {
          connection.checkCongestion(exchange.requester(), exchange);
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
        connection.checkCongestion(exchange.requester(), exchange);
      }
    }
  }

  /** The reply to exchange, the first, is whole. */
  public void finish(Exchange exchange) {
    Requester requester = exchange.requester();
    reports.answered(exchange);
    Gathering next = takeContinued();
    if (next != null && requester != null) {
      spill();
      queue.poll();
      flushRun();
      exchange.splitInto(next);
      next.begin();
    } else if (requester == null) {
      if (next != null) {
        next.cancel();
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
      connection.checkCongestion(exchange.requester(), exchange);
    }
  }

  /** The reply to the first exchange is brought by continued instead, once this one is whole. */
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

  private static int streamFrom(Exchange exchange) {
    return exchange.grammar() == Grammar.STREAM ? 1 : STREAM_FROM;
  }

  /** Writes the run: before anything that may write to its requester on another way. */
  public void flushRun() {
    if (runFor != null) {
      Requester requester = runFor;
      runFor = null;
      requester.reply(in, runStart, runEnd - runStart);
      connection.checkCongestion(requester, null);
    }
  }
}
