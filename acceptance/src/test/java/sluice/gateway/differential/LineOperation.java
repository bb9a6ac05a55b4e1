package sluice.gateway.differential;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A request of the classic or meta protocol.
 *
 * @param line all of it before the value, as ISO 8859-1, {@link #CAS} in place of the cas unique
 * @param lineEnd CRLF, or the bare LF that memcached takes too; empty for a request that is nothing
 */
record LineOperation(
    int number,
    String line,
    String lineEnd,
    List<Key> keys,
    Cas cas,
    Value value,
    Answer answer,
    boolean startsBatch)
    implements Operation {

  static final String CAS = "{cas}";

  /** {@code mn}, which is answered when all before it is. */
  static LineOperation noop(int number) {
    return new LineOperation(number, "mn", "\r\n", List.of(), Cas.NONE, null, Answer.ALWAYS, false);
  }

  /** Not a byte, and no reply. */
  static LineOperation nothing(int number) {
    return new LineOperation(number, "", "", List.of(), Cas.NONE, null, Answer.NEVER, false);
  }

  @Override
  public String command() {
    int end = 0;
    while (end < line.length() && line.charAt(end) > ' ') {
      end++;
    }
    return line.substring(0, end);
  }

  boolean isMeta() {
    return line.length() > 2 && line.charAt(0) == 'm' && line.charAt(2) == ' ';
  }

  /** The tokens of a meta request behind its key and length. */
  List<String> flags() {
    String[] tokens = line.split(" ");
    int first = command().equals("ms") ? 3 : 2;
    return tokens.length <= first ? List.of() : List.of(tokens).subList(first, tokens.length);
  }

  /** Whether a meta request has this flag. */
  boolean has(char flag) {
    return isMeta() && flags().stream().anyMatch(token -> token.charAt(0) == flag);
  }

  /** What stands behind a flag of a meta request, or what is meant without it. */
  String argument(char flag, String otherwise) {
    return flags().stream()
        .filter(token -> token.charAt(0) == flag)
        .map(token -> token.substring(1))
        .findFirst()
        .orElse(otherwise);
  }

  /** The same request with another line. */
  LineOperation withLine(String other) {
    return new LineOperation(number, other, lineEnd, keys, cas, value, answer, startsBatch);
  }

  @Override
  public LineOperation startingBatch() {
    return new LineOperation(number, line, lineEnd, keys, cas, value, answer, true);
  }

  @Override
  public LineOperation answering(Answer other) {
    return new LineOperation(number, line, lineEnd, keys, cas, value, other, startsBatch);
  }

  @Override
  public void write(ByteArrayOutputStream out, long unique) {
    String sent = line.replace(CAS, Long.toUnsignedString(unique)) + lineEnd;
    out.writeBytes(sent.getBytes(StandardCharsets.ISO_8859_1));
    if (value != null) {
      out.writeBytes(value.bytes());
      out.write('\r');
      out.write('\n');
    }
  }

  @Override
  public String toString() {
    return Escapes.of(line + (lineEnd.equals("\n") ? "\n" : ""))
        + (cas == Cas.NONE ? "" : " (" + cas + ")")
        + (value == null ? "" : " <- " + value)
        + (answer == Answer.FENCED ? " (fenced)" : "");
  }
}
