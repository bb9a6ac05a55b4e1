package sluice.embedded;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * A connection without a socket: cuts a stream into requests by the rule {@link EmbeddedSession}
 * states, and has them executed.
 */
final class Client {
  private static final List<String> STORAGE =
      List.of("set", "add", "replace", "append", "prepend", "cas");
  private static final int HEADER = 24;

  private final EmbeddedSession session;
  private ByteBuf pending = Unpooled.buffer();
  private boolean started;
  private boolean binary;
  private boolean closed;

  Client(EmbeddedStore store) {
    session = new EmbeddedSession(store);
  }

  boolean isClosed() {
    return closed;
  }

  /** Sends text, gets the reply as text, a char a byte. */
  String send(String text) {
    return new String(
        send(text.getBytes(StandardCharsets.ISO_8859_1)), StandardCharsets.ISO_8859_1);
  }

  byte[] send(byte[] bytes) {
    ByteBuf out = Unpooled.buffer();
    if (closed) {
      return new byte[0];
    }
    pending.writeBytes(bytes);
    if (!started && pending.isReadable()) {
      started = true;
      binary = pending.getUnsignedByte(0) == 0x80;
    }
    int end;
    while (!closed && (end = requestEnd()) >= 0) {
      int from = pending.readerIndex();
      closed =
          binary ? session.binary(pending, from, end, out) : session.text(pending, from, end, out);
      pending.readerIndex(end);
    }
    byte[] reply = new byte[out.readableBytes()];
    out.readBytes(reply);
    return reply;
  }

  /** Where the next request ends, or -1 when it has not all arrived. */
  private int requestEnd() {
    int from = pending.readerIndex();
    int end = binary ? packetEnd(from) : lineAndDataEnd(from);
    return end > pending.writerIndex() ? -1 : end;
  }

  private int packetEnd(int from) {
    if (pending.isReadable() && pending.getUnsignedByte(from) != 0x80) {
      closed = true;
      return -1;
    }
    if (pending.readableBytes() < HEADER) {
      return -1;
    }
    long body = pending.getUnsignedInt(from + 8);
    int keyAndExtras = pending.getUnsignedShort(from + 2) + pending.getUnsignedByte(from + 4);
    if (keyAndExtras > body || body > 1L << 30) {
      return from + HEADER;
    }
    return from + HEADER + (int) body;
  }

  private int lineAndDataEnd(int from) {
    int lf = pending.indexOf(from, pending.writerIndex(), (byte) '\n');
    if (lf < 0) {
      if (pending.readableBytes() > 2048 && !startsWithGet()) {
        closed = true;
      }
      return -1;
    }
    if (lf - from > 16384) {
      closed = true;
      return -1;
    }
    String line = pending.toString(from, lf - from, StandardCharsets.ISO_8859_1);
    line = line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
    return lf + 1 + dataBlock(line);
  }

  private boolean startsWithGet() {
    String start = pending.toString(pending.readerIndex(), 5, StandardCharsets.ISO_8859_1);
    return start.startsWith("get ") || start.equals("gets ");
  }

  private static int dataBlock(String line) {
    if (line.startsWith(" ") || line.isEmpty()) {
      return 0;
    }
    String[] tokens = line.split(" +");
    if (tokens[0].equals("ms") && tokens.length >= 3) {
      boolean readable =
          Arrays.stream(tokens)
              .limit(23)
              .skip(3)
              .allMatch(t -> (t.charAt(0) >= '0' && t.charAt(0) <= '9') || letter(t.charAt(0)));
      return readable ? length(tokens[2]) : 0;
    }
    return STORAGE.contains(tokens[0]) && tokens.length >= 5 ? length(tokens[4]) : 0;
  }

  private static boolean letter(char c) {
    return c > 64 && c < 123;
  }

  private static int length(String token) {
    if (!token.matches("-?[0-9]*") || token.length() > 11) {
      return 0;
    }
    long length = token.equals("-") ? 0 : Long.parseLong(token);
    return length < 0 || length > Integer.MAX_VALUE - 2 ? 0 : (int) length + 2;
  }
}
