package sluice.gateway.client.text.request;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.AsciiNumber;
import sluice.codecs.memcached.bridge.Exptime;
import sluice.codecs.memcached.text.TextLine;
import sluice.gateway.time.Clocks;

/**
 * Reads of text clients that may be sent again after their connection was lost. A read that sets an
 * expired time to live is not one of them: it removes the item that it returns, so the second reply
 * would be a miss.
 */
public final class RepeatableReads {
  private RepeatableReads() {}

  /** Whether request is one of them. Its line must be parsed as its command requires. */
  public static boolean include(TextRequest request) {
    return switch (request.command()) {
      case GET, GETS -> true;
      case GAT, GATS -> !hasPassed(request.keyed.number());
      case MG -> request.meta.isRead() && !removes(request.line, request.meta.timeToLive());
      default -> false;
    };
  }

  /** Whether a token is a time that has passed, or may be one: servers read odd forms. */
  private static boolean removes(TextLine line, int timeToLive) {
    if (timeToLive < 0) {
      return false;
    }
    ByteBuf in = line.buffer();
    int from = line.start(timeToLive) + 1;
    int to = line.end(timeToLive);
    return !AsciiNumber.isCanonicalInt(in, from, to) || hasPassed(AsciiNumber.signed(in, from, to));
  }

  private static boolean hasPassed(long exptime) {
    return Exptime.hasPassed(exptime, Clocks.seconds());
  }
}
