package sluice.gateway.client.store;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.binary.Opcode;
import sluice.codecs.memcached.text.TextReply;
import sluice.gateway.metrics.Outcome;

/** Outcome of a reply from the embedded store, for the metrics. Borrows the replies. */
public final class EmbeddedOutcome {
  private EmbeddedOutcome() {}

  public static Outcome ofText(ByteBuf reply) {
    int from = reply.readerIndex();
    int to = reply.writerIndex();
    if (TextReply.isError(reply, from, to)) {
      return Outcome.ERROR;
    }
    boolean miss =
        to > from
            && (reply.getByte(from) == 'N'
                || TextReply.startsWith(reply, from, to, "END")
                || TextReply.startsWith(reply, from, to, "EN"));
    return miss ? Outcome.MISS : Outcome.OK;
  }

  public static Outcome ofBinary(ByteBuf reply) {
    if (reply.readableBytes() < BinaryHeader.LENGTH) {
      return Outcome.OK;
    }
    return switch (BinaryHeader.status(reply, reply.readerIndex())) {
      case Opcode.STATUS_OK -> Outcome.OK;
      case Opcode.STATUS_NOT_FOUND -> Outcome.MISS;
      default -> Outcome.ERROR;
    };
  }
}
