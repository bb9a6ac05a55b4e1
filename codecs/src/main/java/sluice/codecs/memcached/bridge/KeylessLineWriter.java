package sluice.codecs.memcached.bridge;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.AsciiNumber;

/**
 * Writer of commands without a key, as lines (memcached's protocol.txt, "Other commands"). Servers
 * that speak meta know them only in their classic form.
 */
final class KeylessLineWriter {
  private static final String NAME = "this statistics name in a text line";

  private KeylessLineWriter() {}

  /**
   * Appends the line with its end. Borrows out.
   *
   * @return null, or the reason why it cannot be expressed; then nothing was written
   */
  static @Nullable String write(Request request, ByteBuf out) {
    switch (request.operation) {
      case VERSION -> out.writeCharSequence("version", US_ASCII);
      case FLUSH -> {
        out.writeCharSequence("flush_all", US_ASCII);
        if (request.timeToLive.isGiven) {
          out.writeByte(' ');
          AsciiNumber.writeSigned(out, Exptime.toFlush(request.timeToLive.exptime));
        }
      }
      case VERBOSITY -> {
        out.writeCharSequence("verbosity ", US_ASCII);
        AsciiNumber.writeUnsigned(out, request.arithmetic.delta);
      }
      case STATS -> {
        if (KeyBytes.endLine(request.key)) {
          return NAME;
        }
        out.writeCharSequence("stats", US_ASCII);
        if (request.key.length() > 0) {
          out.writeByte(' ');
          request.key.appendTo(out);
        }
      }
      default -> throw new IllegalArgumentException(request.operation + " is about an item");
    }
    out.writeShort('\r' << 8 | '\n');
    return null;
  }
}
