package sluice.gateway.server.protocol.text;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static sluice.codecs.memcached.text.TextReply.is;
import static sluice.codecs.memcached.text.TextReply.isError;
import static sluice.codecs.memcached.text.TextReply.isValue;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.KeyHash;
import sluice.codecs.memcached.text.TextReply;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.request.KeyRewrite;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.SentRequest;
import sluice.gateway.request.ServerRequest;
import sluice.gateway.server.protocol.ReplyAssembler;
import sluice.gateway.server.protocol.Reports;
import sluice.gateway.server.protocol.ServerContext;

/**
 * Reader of the lines of a reply of classic values: {@code VALUE} lines, each with a data block
 * that the caller reads, and {@code END}; or an error line.
 */
final class ClassicValues {
  /** The line ends the reply. */
  static final int END = -1;

  /**
   * The line ends the reply, but more may follow; the caller throws {@link ServerContext#noEnd}.
   */
  static final int NO_END = -2;

  private final ReplyAssembler replies;
  private final ServerContext context;
  private final Reports reports;
  private final Loop loop;
  private int key; // of the last value, as an index among the request's keys
  private int bytes; // length of the last value in the client's form, with its line

  /** Replies of a server that are passed on to replies. */
  ClassicValues(ReplyAssembler replies, ServerContext context) {
    this.replies = replies;
    this.context = context;
    this.reports = context.reports();
    this.loop = context.loop();
  }

  /**
   * Reads the line [from, to) of in, which belongs to the reply to request, the first. Borrows in.
   *
   * @param next index behind the line's end
   * @param begun whether it is not the reply's first line
   * @return length of the data block that follows, without its line end; or {@link #END} or {@link
   *     #NO_END}
   */
  int read(ByteBuf in, int from, int to, int next, ServerRequest request, boolean begun) {
    if (is(in, from, to, "END")) {
      if (!begun) {
        request.outcome(Outcome.MISS);
      }
      if (request.aggregator() == null) {
        replies.take(request, in, from, next);
      }
      return END;
    }
    if (isValue(in, from, to)) {
      return value(in, from, to, next, request);
    }
    if (isError(in, from, to)) {
      return error(in, from, to, next, request);
    }
    throw context.unexpected(in, from, next, request);
  }

  private int value(ByteBuf in, int from, int to, int next, ServerRequest request) {
    int keyStart = from + 6;
    int keyEnd = TextReply.tokenEnd(in, keyStart, to);
    int size = TextReply.valueSize(in, keyEnd, to);
    key = SharedReply.keyOf(request, in, keyStart, keyEnd);
    if (size < 0) {
      throw context.unexpected(in, from, next, request);
    }
    if (key < 0 && !isInAnotherOrder(request, in, keyStart, keyEnd)) {
      if (isInWrongOrder(request, in, keyStart, keyEnd)) {
        context.status().askApart();
      }
      throw context.unexpected(in, from, next, request);
    }
    bytes = next - from + size + 2;
    KeyRewrite rewrite = request.rewrite();
    if (rewrite == null) {
      replies.take(request, in, from, next);
    } else if (request.isAwaited()) {
      ByteBuf line = loop.buffer(next - from + rewrite.mostAdded());
      line.writeBytes(in, from, 6);
      rewrite.toClient(in, keyStart, keyEnd, line);
      line.writeBytes(in, keyEnd, next - keyEnd);
      bytes = line.readableBytes() + size + 2;
      replies.take(request, line);
    }
    reports.valueRead(request, size);
    return size;
  }

  /**
   * Whether the key [from, to) of in was requested, although values behind it have come. Proxies do
   * that: twemproxy, say, after a miss. It matters only where replies are told apart by it: a
   * client that gets all values of the reply may have them in the server's order.
   */
  private static boolean isInAnotherOrder(ServerRequest request, ByteBuf in, int from, int to) {
    return request.aggregator() == null
        && request.sent().keys() > 1
        && request.sent().hasKey(KeyHash.of(in, from, to));
  }

  /** Whether the value of a line with several keys may be one of them, and has come too early. */
  private static boolean isInWrongOrder(ServerRequest request, ByteBuf in, int from, int to) {
    SentRequest sent = request.sent();
    return sent.isFollowingShared() || (sent.keys() > 1 && sent.hasKey(KeyHash.of(in, from, to)));
  }

  /** Whether the reply is that of a line with several keys, of one request or of several. */
  private static boolean isToManyKeys(ServerRequest request) {
    return request.sent().isFollowingShared() || request.sent().keys() > 1;
  }

  /** The data block of the last value, in the reply to request, was read. */
  void valueComplete(ServerRequest request) {
    PendingReply subrequest = request.reply();
    if (subrequest != null && subrequest.aggregator() != null) {
      subrequest.aggregator().value(subrequest, key, bytes);
    }
  }

  /**
   * Handles an error line. It ends the reply to a get of one key. In a reply to several keys there
   * may be several errors. For example, memcached's own proxy, whose version is memcached's, sends
   * one for each key that fails, among the other values and before {@code END}. The rest must not
   * be attributed to any request.
   */
  private int error(ByteBuf in, int from, int to, int next, ServerRequest request) {
    boolean shared = request.sent().isFollowingShared();
    boolean many = isToManyKeys(request);
    if (many) {
      context.status().askApart();
    }
    if (shared) {
      throw context.noEnd(in, from, next);
    }
    request.outcome(Outcome.ERROR);
    PendingReply subrequest = request.reply();
    if (subrequest != null && subrequest.aggregator() != null) {
      subrequest.aggregator().errorLine(subrequest, in.toString(from, to - from, ISO_8859_1));
    } else {
      replies.take(request, in, from, next);
    }
    return many ? NO_END : END;
  }
}
