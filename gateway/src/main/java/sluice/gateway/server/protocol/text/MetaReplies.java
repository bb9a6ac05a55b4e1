package sluice.gateway.server.protocol.text;

import static sluice.codecs.memcached.text.TextReply.startsWith;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.Bytes;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.memcached.text.TextReply;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ServerRequest;
import sluice.gateway.server.protocol.ReplyAssembler;
import sluice.gateway.server.protocol.Reports;
import sluice.gateway.server.protocol.ServerContext;

/**
 * Reader of meta reply lines that are not errors: a return code with flags, or a {@code VA} line,
 * after which the caller reads a data block.
 */
final class MetaReplies {
  /** The line is the whole reply. */
  static final int NO_VALUE = -1;

  private static final int LINE_END = '\r' << 8 | '\n';

  private final ReplyAssembler replies;
  private final ServerContext context;
  private final Reports reports;
  private final Loop loop;
  private boolean dropsValue;
  private @Nullable ByteBuf scratch; // null before the first reply that is rewritten as a whole

  /** Replies of a server that are passed on to replies. */
  MetaReplies(ReplyAssembler replies, ServerContext context) {
    this.replies = replies;
    this.context = context;
    this.reports = context.reports();
    this.loop = context.loop();
  }

  /**
   * Reads the line [from, to) of in, which is the reply to request, the oldest one. Borrows in.
   *
   * @param next index after the line end
   * @return bytes of the data block that follows, without its line end; or {@link #NO_VALUE}
   */
  int read(ByteBuf in, int from, int to, int next, ServerRequest request) {
    boolean value = startsWith(in, from, to, "VA ");
    boolean code = to - from == 2 || (to - from > 2 && in.getByte(from + 2) == ' ');
    if (!code || !MetaReply.isCode(in.getShort(from))) {
      throw context.unexpected(in, from, next, request);
    }
    int flags = from + 2;
    int size = NO_VALUE;
    if (value) {
      flags = TextReply.tokenEnd(in, from + 3, to);
      size = TextReply.size(in, from + 3, flags);
      if (size < 0) {
        throw context.unexpected(in, from, next, request);
      }
    }
    boolean hidden = MetaReply.isHidden(request, in, from, to);
    if (in.getByte(from) == 'N' || startsWith(in, from, to, "EN")) {
      request.outcome(Outcome.MISS);
    }
    PendingReply rewritten = MetaReply.rewritten(request); // which checks the opaque
    if (rewritten == null && !MetaReply.isAnswerTo(request, in, flags, to)) {
      throw context.unexpected(in, from, next, request);
    }
    boolean joined = rewritten != null && value && isSmallAndHere(in, next, size);
    if (rewritten != null) {
      boolean isWhole = joined || !value;
      int most = MetaReply.mostRewritten(request, rewritten, to - from) + (joined ? size + 2 : 0);
      ByteBuf line = isWhole ? scratch(most) : loop.buffer(most);
      if (!MetaReply.rewrite(in, from, flags, to, request, rewritten, line)) {
        drop(line);
        throw context.unexpected(in, from, next, request);
      }
      if (hidden) {
        drop(line);
      } else if (isWhole) {
        if (joined) {
          Bytes.append(in, next, size + 2, line);
        }
        replies.takeEnding(request, line, 0, line.writerIndex());
      } else {
        replies.take(request, line);
      }
    } else if (!hidden && request.isAwaited()) {
      replies.take(request, in, from, next);
    }
    if (value) {
      reports.valueRead(request, size);
      dropsValue = joined || hidden || !request.isAwaited();
    }
    return size;
  }

  /** The empty scratch buffer, with room for that many bytes. */
  private ByteBuf scratch(int most) {
    scratch = scratch == null ? loop.buffer(most) : scratch.clear();
    return scratch.ensureWritable(most);
  }

  private void drop(ByteBuf line) {
    if (line != scratch) {
      line.release();
    }
  }

  /** Releases the scratch buffer. */
  void release() {
    if (scratch != null) {
      scratch.release();
      scratch = null;
    }
  }

  /**
   * Whether the data block that follows is dropped, because it has no receiver or is only passed
   * on.
   */
  boolean dropsValue() {
    return dropsValue;
  }

  /**
   * Whether it is better to copy a value behind its line than to send it as a slice. False if the
   * line came in two reads, because then the value is not in this buffer; and if the value's line
   * end is wrong, because then the reply must not be written.
   */
  private static boolean isSmallAndHere(ByteBuf in, int from, int size) {
    return SliceList.isCopied(size)
        && from + size + 2 <= in.writerIndex()
        && in.getShort(from + size) == LINE_END;
  }
}
