package sluice.gateway.server.protocol;

import io.netty.buffer.ByteBuf;

/** First bytes of a peer's message, for a log or error message. */
public final class Excerpt {
  private static final int MOST = 40;

  private Excerpt() {}

  /** The bytes [from, to), quoted and cut. Borrows in. */
  public static String of(ByteBuf in, int from, int to) {
    StringBuilder text = new StringBuilder("\"");
    for (int i = from; i < Math.min(to, from + MOST); i++) {
      int b = in.getUnsignedByte(i);
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
    return text.append(to - from > MOST ? "\"..." : "\"").toString();
  }
}
