package sluice.gateway.server.protocol;

import io.netty.buffer.ByteBuf;
import java.util.function.IntUnaryOperator;

/** First bytes of a peer's message, for a log or error message. */
public final class Excerpt {
  private static final int MOST = 40;

  private Excerpt() {}

  /** The bytes [from, to), quoted and cut. Borrows in. */
  public static String of(ByteBuf in, int from, int to) {
    return of(to - from, i -> in.getUnsignedByte(from + i));
  }

  /** A text of one byte a character, quoted and cut. */
  public static String of(String line) {
    return of(line.length(), line::charAt);
  }

  private static String of(int length, IntUnaryOperator bytes) {
    StringBuilder text = new StringBuilder("\"");
    for (int i = 0; i < Math.min(length, MOST); i++) {
      int b = bytes.applyAsInt(i);
      switch (b) {
        case '\r' -> text.append("\\r");
        case '\n' -> text.append("\\n");
        case '"' -> text.append("\\\"");
        default -> {
          if (b < ' ' || b > '~') {
            text.append(String.format("\\x%02x", b));
          } else {
            text.append((char) b);
          }
        }
      }
    }
    return text.append(length > MOST ? "\"..." : "\"").toString();
  }
}
