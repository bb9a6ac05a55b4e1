package sluice.codecs.memcached.bridge;

import io.netty.buffer.ByteBuf;
import sluice.codecs.ignite.IgniteResponse;
import sluice.codecs.ignite.ResponseEncoder;
import sluice.codecs.memcached.binary.Opcode;

/**
 * Writer of reply packets in Apache Ignite's dialect ({@code GridTcpRestParser}): flags are types,
 * there is no cas, and all failures have the same status. One instance for each event loop.
 */
public final class IgniteReplyWriter implements ReplyWriter {
  private final ResponseEncoder encoder = new ResponseEncoder();

  @Override
  public void write(Reply reply, Awaited awaited, ByteBuf out) {
    if (reply.status != Status.OK) {
      boolean miss = reply.status == Status.NOT_FOUND && awaited.operation == Operation.GET;
      int status = miss ? IgniteResponse.STATUS_MISS : IgniteResponse.STATUS_FAILURE;
      head(awaited, status, 0, miss ? awaited.echoed.keyLength : 0, 0, out);
      if (miss) {
        awaited.echoed.writeKey(out);
      }
      return;
    }
    switch (awaited.operation) {
      case GET -> {
        head(
            awaited, 0, reply.flags, awaited.echoed.keyLength, Math.max(0, reply.valueLength), out);
        awaited.echoed.writeKey(out);
      }
      case INCREMENT, DECREMENT -> {
        boolean told = Opcode.loud(awaited.echoed.opcode) == awaited.echoed.opcode;
        head(awaited, 0, 0, 0, told ? Long.BYTES : 0, out);
        if (told) {
          out.writeLong(reply.number);
        }
      }
      case VERSION -> {
        int text = reply.text.length();
        head(awaited, 0, 0, 0, text, out);
        reply.text.appendTo(out);
      }
      case STATS -> {
        int name = reply.name.length();
        // the last statistic, which ends the list, is empty
        int text = name > 0 ? reply.text.length() : 0;
        head(awaited, 0, 0, name, text, out);
        if (name > 0) {
          reply.name.appendTo(out);
          reply.text.appendTo(out);
        }
      }
      default -> head(awaited, 0, 0, 0, 0, out);
    }
  }

  /** Appends the failure reply to a request that was not forwarded. Borrows out. */
  public void failure(int opcode, int opaque, ByteBuf out) {
    encoder.head(out, opcode, IgniteResponse.STATUS_FAILURE, opaque, 0, 0, 0);
  }

  /** Appends the reply to a request that only confirms it. Borrows out. */
  public void success(int opcode, int opaque, ByteBuf out) {
    encoder.head(out, opcode, IgniteResponse.STATUS_OK, opaque, 0, 0, 0);
  }

  private void head(
      Awaited awaited, int status, int flags, int keyLength, int valueLength, ByteBuf out) {
    encoder.head(
        out, awaited.echoed.opcode, status, awaited.echoed.opaque, flags, keyLength, valueLength);
  }

  @Override
  public void endValue(Awaited awaited, ByteBuf out) {
    // the header has stated the value's length
  }
}
