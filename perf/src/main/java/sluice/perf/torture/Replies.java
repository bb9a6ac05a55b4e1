package sluice.perf.torture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.ArrayDeque;
import java.util.Set;
import sluice.perf.torture.Sent.Form;
import sluice.perf.torture.Sent.Write;

/** Replies of a server, in the order of its requests; reports writes. */
final class Replies extends Stream {
  /** Is told of each write that is answered. */
  interface Answered {
    /** The server says what has become of it. */
    void answered(Sent write, Outcome outcome);
  }

  /** What a server says of a write. */
  enum Outcome {
    DONE,
    /** It has not done it, because of what it holds. */
    REFUSED,
    /** It could not do it. */
    FAILED
  }

  private static final Set<String> REFUSALS =
      Set.of("NOT_STORED", "EXISTS", "NOT_FOUND", "NS", "EX", "NF");
  private static final int NOT_FOUND = 1;
  private static final int EXISTS = 2;
  private static final int NOT_STORED = 5;

  private static final int HEADER = 24;
  private static final byte MAGIC = (byte) 0x81;

  private final ArrayDeque<Sent> asked;
  private final Answered answered;

  /**
   * @param asked what has no reply yet; taken from here
   */
  Replies(ArrayDeque<Sent> asked, Answered answered) {
    this.asked = asked;
    this.answered = answered;
  }

  @Override
  boolean isHead(byte[] bytes, int count) {
    return bytes[0] == MAGIC ? count == HEADER : bytes[count - 1] == '\n';
  }

  @Override
  long take(byte[] bytes, int count) {
    if (bytes[0] == MAGIC) {
      return packet(bytes);
    }
    String line = new String(bytes, 0, count, ISO_8859_1).stripTrailing();
    Sent first = asked.peek();
    if (first == null) {
      throw new IllegalStateException("a server sent a reply without a request: " + line);
    }
    if (first.form() == Form.VALUES && (line.startsWith("VALUE ") || line.startsWith("STAT "))) {
      return line.startsWith("STAT ") ? 0 : Long.parseLong(line.split(" ", -1)[3]) + 2;
    }
    asked.remove();
    if (first.form() == Form.META && line.startsWith("VA ")) {
      return Long.parseLong(line.split(" ", -1)[1]) + 2;
    }
    if (first.write() != Write.NOTHING) {
      answered.answered(first, outcome(first, line));
    }
    return 0;
  }

  private static Outcome outcome(Sent write, String line) {
    String word = line.split(" ", 2)[0];
    return switch (write.form()) {
      case META -> word.equals("HD") ? Outcome.DONE : refusal(word);
      default -> line.equals("STORED") || line.equals("DELETED") ? Outcome.DONE : refusal(word);
    };
  }

  private static Outcome refusal(String word) {
    return REFUSALS.contains(word) ? Outcome.REFUSED : Outcome.FAILED;
  }

  private long packet(byte[] packet) {
    int opaque = Requests.int32(packet, 12);
    Sent first = asked.poll();
    if (first == null || first.opaque() != opaque) {
      throw new IllegalStateException("a server answers an opaque whose turn it is not: " + opaque);
    }
    if (first.write() != Write.NOTHING) {
      answered.answered(
          first,
          switch (Requests.uint16(packet, 6)) {
            case 0 -> Outcome.DONE;
            case NOT_FOUND, EXISTS, NOT_STORED -> Outcome.REFUSED;
            default -> Outcome.FAILED;
          });
    }
    return Requests.int32(packet, 8);
  }
}
