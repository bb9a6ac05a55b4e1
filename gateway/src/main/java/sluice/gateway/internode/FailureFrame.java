package sluice.gateway.internode;

import io.netty.buffer.ByteBuf;
import sluice.codecs.internode.Frame;
import sluice.codecs.internode.FrameCrc32;
import sluice.codecs.internode.Framing;
import sluice.codecs.internode.MessageHeader;
import sluice.codecs.internode.MessageHeaderWriter;
import sluice.codecs.internode.Verb;
import sluice.gateway.loop.Loop;

/**
 * A FAILURE_RSP in a self-contained frame of its own: the request's id, what is left of its time,
 * and the reason UNKNOWN ({@code RequestFailureReason}), a vint, which is all of its payload in
 * versions 12 and 13.
 */
final class FailureFrame {
  private static final int UNKNOWN = 0;
  private static final int MAX_LENGTH = 64;

  /** Clocks of nodes that are further apart say nothing ({@code Message.Serializer}). */
  private static final int MAX_ELAPSED_MILLIS = 15 * 60 * 1000;

  private FailureFrame() {}

  /** Whether such an answer is known of a version. */
  static boolean isKnown(int version) {
    return version < MessageHeader.FIRST_WITH_EPOCH;
  }

  /** What is left of a request's time now; 0 if nothing is. */
  static long remainingMillis(MessageHeader request) {
    int elapsed = (int) System.currentTimeMillis() - request.createdAt();
    boolean sane = elapsed >= 0 && elapsed <= MAX_ELAPSED_MILLIS;
    return sane
        ? Math.max(0, request.expiresAfterMillis() - elapsed)
        : request.expiresAfterMillis();
  }

  /** The frame; the caller owns the result. */
  static ByteBuf of(Rejected rejected, Framing framing, int version, Loop loop) {
    ByteBuf out = loop.buffer(MAX_LENGTH);
    int start = framing.headerLength();
    out.writerIndex(start);
    new MessageHeaderWriter(version)
        .id(rejected.id())
        .createdAt((int) System.currentTimeMillis())
        .expiresAfterMillis(rejected.expiresAfterMillis())
        .verb(Verb.FAILURE_RSP.id())
        .write(out, 1);
    out.writeByte(UNKNOWN);
    int length = out.writerIndex() - start;
    Frame.setHeader(out, 0, framing, length, 0, true);
    if (framing.trailerLength() > 0) {
      out.writeIntLE(new FrameCrc32().of(out, start, length));
    }
    return out;
  }
}
