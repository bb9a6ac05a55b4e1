package sluice.gateway.internode;

import io.netty.buffer.ByteBuf;
import sluice.codecs.internode.Frame;
import sluice.codecs.internode.FrameCrc32;
import sluice.codecs.internode.Framing;
import sluice.codecs.internode.MessageHeader;
import sluice.codecs.internode.MessageHeaderWriter;
import sluice.gateway.loop.Loop;
import sluice.gateway.time.Clocks;
import sluice.names.Verb;

/**
 * Encoder of a FAILURE_RSP in a self-contained frame of its own. It contains the request's id, the
 * rest of its time, and the reason UNKNOWN ({@code RequestFailureReason}). The reason is a vint,
 * which is all of the payload in versions 12 and 13. From 14 on ({@code RequestFailure}) a byte
 * follows which states that there is no exception.
 */
final class FailureFrame {
  private static final int UNKNOWN = 0;
  private static final int NO_EXCEPTION = 0;
  private static final int MAX_LENGTH = 128;

  /**
   * A larger difference between the clocks of two nodes is ignored ({@code Message.Serializer}).
   */
  private static final int MAX_ELAPSED_MILLIS = 15 * 60 * 1000;

  private FailureFrame() {}

  /** The rest of a request's time; 0 if it is over. */
  static long remainingMillis(MessageHeader request) {
    int elapsed = (int) Clocks.millis() - request.createdAt();
    boolean sane = elapsed >= 0 && elapsed <= MAX_ELAPSED_MILLIS;
    return sane
        ? Math.max(0, request.expiresAfterMillis() - elapsed)
        : request.expiresAfterMillis();
  }

  /** The frame; the caller owns the result. */
  static ByteBuf of(Rejected rejected, Framing framing, int version, Loop loop) {
    boolean withException = version >= MessageHeader.FIRST_WITH_EPOCH;
    ByteBuf out = loop.buffer(MAX_LENGTH);
    int start = framing.headerLength();
    out.writerIndex(start);
    new MessageHeaderWriter(version)
        .id(rejected.id())
        .epoch(rejected.epoch())
        .createdAt((int) Clocks.millis())
        .expiresAfterMillis(rejected.expiresAfterMillis())
        .verb(Verb.FAILURE_RSP.id())
        .write(out, withException ? 2 : 1);
    out.writeByte(UNKNOWN);
    if (withException) {
      out.writeByte(NO_EXCEPTION);
    }
    int length = out.writerIndex() - start;
    Frame.setHeader(out, 0, framing, length, 0, true);
    if (framing.trailerLength() > 0) {
      out.writeIntLE(new FrameCrc32().of(out, start, length));
    }
    return out;
  }
}
