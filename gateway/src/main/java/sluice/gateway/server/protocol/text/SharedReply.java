package sluice.gateway.server.protocol.text;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static sluice.codecs.memcached.text.TextReply.is;
import static sluice.codecs.memcached.text.TextReply.isError;
import static sluice.codecs.memcached.text.TextReply.isValue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import sluice.codecs.buffer.KeyHash;
import sluice.codecs.memcached.text.TextReply;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.request.RingQueue;
import sluice.gateway.request.SentRequest;
import sluice.gateway.request.ServerRequest;
import sluice.gateway.server.protocol.ReplyAssembler;
import sluice.gateway.server.protocol.ServerContext;

/**
 * Reply to several requests for one value each that were sent in one line. Each value's key tells
 * the request that it answers. A request is a miss if the key of a later request arrives first.
 *
 * <pre>
 *   get a            VALUE a 0 1   to the first, with an END of our own
 *   get b    get a b c   ...       b is not named: END to the second
 *   get c            VALUE c 0 1   to the third, with the server's END
 *                    END
 * </pre>
 */
public final class SharedReply {
  private static final ByteBuf END =
      Unpooled.unreleasableBuffer(
          Unpooled.directBuffer(5).writeBytes("END\r\n".getBytes(US_ASCII)).asReadOnly());

  private final ReplyAssembler replies;
  private final RingQueue<ServerRequest> queue;
  private final ServerContext server;

  /** A reply that answers requests in queue. */
  SharedReply(ReplyAssembler replies, RingQueue<ServerRequest> queue, ServerContext server) {
    this.replies = replies;
    this.queue = queue;
    this.server = server;
  }

  /**
   * Ends the replies that are complete now that a line, [from, to) of in, has come: the line is for
   * the first in the queue afterwards. Borrows in.
   *
   * @param next index where the next line begins
   * @param inside whether the first reply has its value; it requested no more
   * @return whether the reply that is now the first has begun
   */
  boolean pass(ByteBuf in, int from, int to, int next, boolean inside) {
    if (isValue(in, from, to)) {
      int named = named(in, from, to, next, inside ? 1 : 0);
      end(named, inside);
      return false;
    }
    int others = 0; // all but the last, whose reply the line ends
    while (queue.get(others).sent().isSharingReply()) {
      others++;
    }
    if (is(in, from, to, "END")) {
      end(others, inside);
      return false;
    }
    server.status().askApart();
    throw isError(in, from, to)
        ? server.noEnd(in, from, next)
        : server.unexpected(in, from, next, queue.get(0));
  }

  /**
   * The number of the request whose value a line announces, from first on. Nothing is passed on
   * before it is known.
   */
  private int named(ByteBuf in, int from, int to, int next, int first) {
    int keyFrom = from + "VALUE ".length();
    int keyTo = TextReply.tokenEnd(in, keyFrom, to);
    if (TextReply.valueSize(in, keyTo, to) < 0) {
      throw server.unexpected(in, from, next, queue.get(0));
    }
    int named = first;
    while (!queue.get(named).sent().isNamed(in, keyFrom, keyTo)) {
      if (!queue.get(named++).sent().isSharingReply()) {
        server.status().askApart(); // it may answer in another order
        throw server.unexpected(in, from, next, queue.get(0));
      }
    }
    return named;
  }

  /** Ends a number of replies by an END of the gateway's own. */
  private void end(int count, boolean firstHasValue) {
    for (int i = 0; i < count; i++) {
      ServerRequest request = queue.get(0);
      if (i > 0 || !firstHasValue) {
        request.outcome(Outcome.MISS);
      }
      replies.takeEnding(request, END, 0, END.readableBytes());
      replies.finish(request);
    }
  }

  /**
   * The index of the bytes [from, to) of in among the keys of request; -1 if it is none of them.
   * Borrows in.
   */
  static int keyOf(ServerRequest request, ByteBuf in, int from, int to) {
    SentRequest asked = request.sent();
    boolean other = asked.knowsItsKey() && !asked.isNamed(in, from, to);
    return other ? -1 : asked.findKey(KeyHash.of(in, from, to));
  }
}
