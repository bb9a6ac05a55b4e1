package sluice.gateway.client.text;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.bridge.Request;
import sluice.codecs.memcached.bridge.TextRequestReader;
import sluice.codecs.memcached.text.TextLine;
import sluice.gateway.client.text.request.TextRequest;
import sluice.gateway.loop.Loop;
import sluice.gateway.request.Suppression;
import sluice.names.Command;

/** Writer of commands without a key in their form for servers. */
final class KeylessWriter {
  private final Loop loop;

  KeylessWriter(Loop loop) {
    this.loop = loop;
  }

  /** Whether the line is interpreted here, and rewritten. */
  static boolean isRead(Command command) {
    return switch (command) {
      case FLUSH_ALL, VERBOSITY, CACHE_MEMLIMIT, VERSION -> true;
      default -> false;
    };
  }

  /** The reply suppression. A line that is interpreted here must have been parsed. */
  static Suppression suppression(TextRequest request) {
    return isRead(request.command()) && request.keyless.noreply()
        ? Suppression.ALL
        : Suppression.NOTHING;
  }

  /**
   * Whether a server answers nothing, not even an error: a refusal would be taken for the reply to
   * the client's next request.
   */
  static boolean isSilent(TextRequest request) {
    ServerVersion version = request.listenerView().version();
    return switch (request.command()) {
      case FLUSH_ALL, VERBOSITY, CACHE_MEMLIMIT, VERSION ->
          request.keyless.read(request.line, request.command(), version).noreply();
      case STATS -> false; // where noreply would be a name
      case SHUTDOWN, DEBUG, REFRESH_CERTS, LRU_CRAWLER ->
          version.readsLinesAsProxy() && isLastNoreply(request.line);
      case SLABS ->
          isLastNoreply(request.line)
              && (version.readsLinesAsProxy() || request.line.is(1, "automove"));
      case WATCH -> !version.readsLinesAsProxy() && isLastNoreply(request.line);
      default -> isLastNoreply(request.line);
    };
  }

  /**
   * The error of a command whose noreply counts as one token too many; null for any other. Without
   * that token, a server would carry out what it refuses.
   */
  static @Nullable String errorOfNoreply(TextRequest request) {
    TextLine line = request.line;
    if (!isLastNoreply(line)) {
      return null;
    }
    return switch (request.command()) {
      case SHUTDOWN -> "CLIENT_ERROR invalid shutdown mode";
      case LRU_CRAWLER, WATCH -> "ERROR";
      case SLABS -> line.count() == 4 && line.is(1, "automove") ? null : "ERROR";
      default -> null;
    };
  }

  /** Whether the line's last token is noreply. */
  private static boolean isLastNoreply(TextLine line) {
    return isNoreply(line, line.count() - 1);
  }

  private static boolean isNoreply(TextLine line, int token) {
    return token > 0 && line.is(token, "noreply");
  }

  /** The line in its form for a server; the caller owns the result. */
  ByteBuf line(TextRequest request) {
    if (!isRead(request.command())) {
      return tokens(request);
    }
    ByteBuf out = loop.buffer(64);
    request.keyless.write(out);
    return out;
  }

  /** The line's tokens except noreply at its end; the caller owns the result. */
  private ByteBuf tokens(TextRequest request) {
    TextLine line = request.line;
    int count = line.count();
    boolean isStatistics = line.is(0, Command.STATS.label()); // where noreply would be a name
    while (!isStatistics && isNoreply(line, count - 1)) {
      count--;
    }
    ByteBuf out = loop.buffer(request.length() + 2);
    for (int token = 0; token < count; token++) {
      if (token > 0) {
        out.writeByte(' ');
      }
      out.writeBytes(line.buffer(), line.start(token), line.length(token));
    }
    return out.writeShort('\r' << 8 | '\n');
  }

  /** The gateway answers this itself: the level of a binary server stays as it is. */
  private static String verbosity(TextRequest request) {
    ServerVersion version = request.listenerView().version();
    String error = request.keyless.read(request.line, Command.VERBOSITY, version).error();
    return error == null ? "OK" : error;
  }

  /** The answer to a line that goes to no binary server; null: canonical was read from it. */
  static @Nullable String read(TextRequest request, Request canonical) {
    boolean proxy = request.listenerView().version().readsLinesAsProxy();
    return switch (request.command()) {
      case VERSION, STATS, FLUSH_ALL ->
          TextRequestReader.readKeyless(request.line, request.command(), proxy, canonical);
      case VERBOSITY -> verbosity(request);
      default -> "ERROR";
    };
  }
}
