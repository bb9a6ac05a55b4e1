package sluice.gateway.suite;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import sluice.gateway.fixtures.Vector;

/**
 * The answers to recorded cases that are not answered as recorded: lines {@code case-name: step |
 * step}, a step being the bytes in double quotes, with {@code closed} behind them if the connection
 * closes, or {@code recorded}. Bytes that are not printable ASCII are {@code \xNN}, {@code \r} and
 * {@code \n}; a quote and a backslash have a backslash before them.
 */
final class VectorAnswers {
  private static final String AS_RECORDED = "recorded";
  private static final String CLOSED = " closed";

  private VectorAnswers() {}

  /**
   * Reads a list of the vectors' directory. A reply that is null is as recorded.
   *
   * @param named the cases that it has to have an answer for, and no others
   */
  static Map<String, List<Vector.Reply>> read(String file, Set<String> named) {
    Map<String, List<Vector.Reply>> answers = new LinkedHashMap<>();
    String text = new String(Vector.resource(file), StandardCharsets.UTF_8);
    for (String line : text.lines().toList()) {
      int colon = line.indexOf(": ");
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      if (colon < 0 || answers.put(line.substring(0, colon), steps(line, colon + 2)) != null) {
        throw new IllegalStateException(
            file + ": found '" + line + "', expected 'case: step | step', once a case");
      }
    }
    Set<String> surplus = new TreeSet<>(answers.keySet());
    surplus.removeAll(named);
    if (!surplus.isEmpty()) {
      throw new IllegalStateException(file + " has answers to what is no exception: " + surplus);
    }
    return answers;
  }

  private static List<Vector.Reply> steps(String line, int from) {
    List<Vector.Reply> replies = new ArrayList<>();
    for (int at = from; at < line.length(); at += 3) { // " | "
      if (line.startsWith(AS_RECORDED, at)) {
        replies.add(null);
        at += AS_RECORDED.length();
        continue;
      }
      if (line.charAt(at) != '"') {
        throw new IllegalStateException("found '" + line.substring(at) + "', expected a quote");
      }
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      at = unescape(line, at + 1, bytes);
      boolean closed = line.startsWith(CLOSED, at);
      at += closed ? CLOSED.length() : 0;
      replies.add(new Vector.Reply(bytes.toByteArray(), closed));
    }
    return replies;
  }

  /** Returns where the text behind the closing quote begins. */
  private static int unescape(String line, int from, ByteArrayOutputStream out) {
    int at = from;
    while (line.charAt(at) != '"') {
      char c = line.charAt(at++);
      if (c != '\\') {
        out.write(c);
        continue;
      }
      char escaped = line.charAt(at++);
      switch (escaped) {
        case 'r' -> out.write('\r');
        case 'n' -> out.write('\n');
        case 'x' -> {
          out.write(Integer.parseInt(line.substring(at, at + 2), 16));
          at += 2;
        }
        default -> out.write(escaped);
      }
    }
    return at + 1;
  }

  /** A line of such a list. */
  static String line(String name, List<Vector.Reply> replies) {
    List<String> steps = new ArrayList<>();
    for (Vector.Reply reply : replies) {
      steps.add(reply == null ? AS_RECORDED : step(reply));
    }
    return name + ": " + String.join(" | ", steps);
  }

  private static String step(Vector.Reply reply) {
    StringBuilder text = new StringBuilder("\"");
    for (byte b : reply.bytes()) {
      char c = (char) (b & 0xFF);
      switch (c) {
        case '\r' -> text.append("\\r");
        case '\n' -> text.append("\\n");
        case '"', '\\' -> text.append('\\').append(c);
        default -> {
          if (c >= ' ' && c < 0x7F) {
            text.append(c);
          } else {
            text.append(String.format("\\x%02x", (int) c));
          }
        }
      }
    }
    return text.append('"').append(reply.closed() ? CLOSED : "").toString();
  }
}
