package sluice.gateway.server.protocol;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.memcached.bridge.Awaited;
import sluice.codecs.memcached.bridge.Failure;
import sluice.codecs.memcached.bridge.Reply;
import sluice.codecs.memcached.bridge.ReplyWriter;
import sluice.codecs.memcached.bridge.Status;
import sluice.gateway.loop.Loop;
import sluice.gateway.request.Bridged;
import sluice.gateway.request.PendingReply;

/**
 * Writer of a bridged reply that results from several server replies, or from none. The pending
 * reply buffers it in its client's dialect, and the caller completes the pending reply.
 */
public final class CombinedReply {
  private static final int LONGEST_END = 8;

  private CombinedReply() {}

  /**
   * Writes a reply with a value, if the client wants it. Consumes value, which is empty afterwards.
   */
  public static void value(PendingReply pending, Reply reply, SliceList value, Loop loop) {
    BridgedReply.outcome(pending, reply);
    if (!BridgedReply.isHidden(pending, reply)) {
      Bridged bridged = BridgedReply.bridgeOf(pending);
      Awaited awaited = bridged.awaited();
      pending.hold(head(pending, reply, loop));
      if (awaited.wantsValue()) {
        while (!value.isEmpty()) {
          pending.hold(value.removeFirst());
        }
        ByteBuf end = loop.buffer(LONGEST_END);
        BridgedReply.writerOf(bridged).endValue(awaited, end);
        pending.hold(end);
      }
    }
    value.clear();
  }

  /** Writes a reply without a value. */
  public static void bare(PendingReply pending, Reply reply, Loop loop) {
    BridgedReply.outcome(pending, reply);
    if (BridgedReply.isHidden(pending, reply)) {
      return;
    }
    ByteBuf out = head(pending, reply, loop);
    if (reply.status.isError() && BridgedReply.isValueSubrequest(pending)) {
      String line = out.toString(ISO_8859_1).stripTrailing();
      out.release();
      BridgedReply.aggregatorOf(pending).errorLine(pending, line);
    } else if (out.isReadable()) {
      pending.hold(out);
    } else {
      out.release(); // the end of a get of many keys is written elsewhere
    }
  }

  /** Writes a failure. */
  public static void error(PendingReply pending, Failure failure, Reply reply, Loop loop) {
    error(pending, failure.status(), failure.line(), reply, loop);
  }

  /** Writes an error, with its line if there is one. */
  public static void error(
      PendingReply pending, Status status, @Nullable String line, Reply reply, Loop loop) {
    reply.clear(status);
    ByteBuf text = loop.buffer(line == null ? 1 : line.length());
    if (line != null) {
      text.writeCharSequence(line, ISO_8859_1);
      reply.error(text, 0, text.writerIndex());
    }
    bare(pending, reply, loop);
    text.release();
  }

  private static ByteBuf head(PendingReply pending, Reply reply, Loop loop) {
    Bridged bridged = BridgedReply.bridgeOf(pending);
    Awaited awaited = bridged.awaited();
    ByteBuf out = loop.buffer(ReplyWriter.longest(reply, awaited));
    BridgedReply.writerOf(bridged).write(reply, awaited, out);
    return out;
  }
}
