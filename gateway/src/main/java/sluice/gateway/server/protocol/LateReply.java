package sluice.gateway.server.protocol;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.memcached.bridge.Awaited;
import sluice.codecs.memcached.bridge.Reply;
import sluice.codecs.memcached.bridge.ReplyWriter;
import sluice.codecs.memcached.bridge.Status;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.loop.Loop;

/**
 * Writer of a bridged exchange's reply that results from several server replies, or from none. The
 * exchange buffers it in its client's dialect, and the caller completes the exchange.
 */
public final class LateReply {
  private static final int LONGEST_END = 8;

  private LateReply() {}

  /**
   * Writes a reply with a value, if the client wants it. Consumes value, which is empty afterwards.
   */
  public static void value(Exchange exchange, Reply reply, SliceList value, Loop loop) {
    BridgedReply.outcome(exchange, reply);
    if (!BridgedReply.isHidden(exchange, reply)) {
      Awaited awaited = exchange.bridged().awaited();
      ReplyWriter writer = exchange.bridged().writer();
      exchange.hold(head(exchange, reply, loop));
      if (awaited.wantsValue()) {
        while (!value.isEmpty()) {
          exchange.hold(value.removeFirst());
        }
        ByteBuf end = loop.buffer(LONGEST_END);
        writer.endValue(awaited, end);
        exchange.hold(end);
      }
    }
    value.clear();
  }

  /** Writes a reply without a value. */
  public static void bare(Exchange exchange, Reply reply, Loop loop) {
    BridgedReply.outcome(exchange, reply);
    if (BridgedReply.isHidden(exchange, reply)) {
      return;
    }
    ByteBuf out = head(exchange, reply, loop);
    if (reply.status.isError() && BridgedReply.isValuePart(exchange)) {
      String line = out.toString(ISO_8859_1).stripTrailing();
      out.release();
      exchange.gathering().errorLine(exchange, line);
    } else if (out.isReadable()) {
      exchange.hold(out);
    } else {
      out.release(); // the end of a get of many keys is written elsewhere
    }
  }

  /** Writes an error, with its line if there is one. */
  public static void error(Exchange exchange, Status status, String line, Reply reply, Loop loop) {
    reply.clear(status);
    ByteBuf text = loop.buffer(line == null ? 1 : line.length());
    if (line != null) {
      text.writeCharSequence(line, ISO_8859_1);
      reply.error(text, 0, text.writerIndex());
    }
    bare(exchange, reply, loop);
    text.release();
  }

  private static ByteBuf head(Exchange exchange, Reply reply, Loop loop) {
    Awaited awaited = exchange.bridged().awaited();
    ByteBuf out = loop.buffer(ReplyWriter.longest(reply, awaited));
    exchange.bridged().writer().write(reply, awaited, out);
    return out;
  }
}
