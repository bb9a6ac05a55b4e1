package sluice.gateway.suite;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.text.StorageLine;
import sluice.codecs.memcached.text.TextCommands;
import sluice.codecs.memcached.text.TextLine;
import sluice.gateway.fixtures.Vector;
import sluice.names.Command;

/**
 * What {@link StorageLine} makes of every storage line of the recorded conversations is what
 * memcached made of it: refused or taken, with which words, and how many bytes behind it were data.
 */
class StorageLineVectorsTest {
  private static final Set<Command> STORAGE =
      Set.of(
          Command.SET,
          Command.ADD,
          Command.REPLACE,
          Command.APPEND,
          Command.PREPEND,
          Command.CAS,
          Command.MS);

  /** What a line that is not refused may be answered: its data block was read. */
  private static final Pattern TAKEN =
      Pattern.compile(
          "STORED|NOT_STORED|EXISTS|NOT_FOUND|(HD|NS|EX|NF)( .*)?|CLIENT_ERROR bad data chunk"
              + "|SERVER_ERROR (object too large for cache|out of memory storing object)");

  private static final Pattern STORAGE_LINE =
      Pattern.compile("^(set|add|replace|append|prepend|cas|ms) ", Pattern.MULTILINE);

  /**
   * Lines that are left to the server: {@code E} came with 1.6.27, and an older one refuses it by
   * itself and swallows the block.
   */
  private static final Set<String> LEFT_TO_THE_SERVER =
      Set.of("1.6.18: ms k 1 E1000 c", "1.6.18: ms k 1 E100");

  static Stream<Vector> conversations() {
    return Vector.Manifest.read().vectors().stream()
        .filter(vector -> vector.protocol().equals("text") || vector.protocol().equals("meta"))
        .filter(vector -> !vector.profile().equals("asciiauth")) // a login looks like a set
        .filter(vector -> !vector.profile().equals("binary-only"));
  }

  @ParameterizedTest
  @MethodSource("conversations")
  void shouldReadALineAsMemcachedDid(Vector vector) {
    for (String version : new String[] {"1.6.18", "1.6.45"}) {
      new Conversation(vector, version).judge();
    }
  }

  /** So that the judge above has not walked past what it was to judge. */
  @ParameterizedTest
  @ValueSource(strings = {"1.6.18", "1.6.45"})
  void shouldHaveJudgedNearlyEveryLine(String version) {
    int judged = 0;
    int left = 0;
    for (Vector vector : conversations().toList()) {
      Conversation conversation = new Conversation(vector, version);
      conversation.judge();
      judged += conversation.judged;
      left += conversation.left();
    }
    assertThat(judged).isGreaterThan(150);
    assertThat(left).as("storage lines behind what this test cannot follow").isLessThan(10);
  }

  /** The requests of a case beside their replies, request by request. */
  private static final class Conversation {
    private final Vector vector;
    private final ServerVersion version;
    private final ByteBuf requests;
    private final String replies;
    private final boolean closed;
    private final TextLine line = new TextLine();
    private final StorageLine storage = new StorageLine();
    private int at; // in replies
    private int judged;
    private boolean stopped; // what comes is not told apart here

    Conversation(Vector vector, String version) {
      this.vector = vector;
      this.version = ServerVersion.parse(version);
      ByteArrayOutputStream sent = new ByteArrayOutputStream();
      StringBuilder received = new StringBuilder();
      boolean ended = false;
      for (Vector.Step step : vector.steps()) {
        step.writes().forEach(sent::writeBytes);
        Vector.Reply reply = step.replies().get(version);
        if (reply != null) {
          received.append(new String(reply.bytes(), ISO_8859_1));
          ended = reply.closed();
        }
      }
      requests = Unpooled.wrappedBuffer(sent.toByteArray());
      replies = received.toString();
      closed = ended;
    }

    void judge() {
      while (requests.isReadable() && !stopped) {
        int lf = requests.bytesBefore((byte) '\n');
        if (lf < 0) {
          return; // a line that was never finished
        }
        int from = requests.readerIndex();
        int next = from + lf + 1;
        int to = lf > 0 && requests.getByte(next - 2) == '\r' ? next - 2 : next - 1;
        line.wrap(requests, from, to);
        Command command = TextCommands.of(line);
        if (version.readsLinesAsProxy() && requests.getByte(from) == ' ') {
          command = Command.UNKNOWN; // there a line begins with its command
        }
        String text = requests.toString(from, to - from, ISO_8859_1);
        requests.readerIndex(next);
        if (STORAGE.contains(command)) {
          storage(command, text);
        } else {
          other(command, text);
        }
      }
    }

    private void storage(Command command, String text) {
      storage.read(line, command, version);
      judged++;
      int block = storage.dataLength() < 0 ? 0 : storage.dataLength() + 2;
      if (closed && at == replies.length()) {
        stop();
        return;
      }
      if (storage.error() != null) {
        if (!storage.noreply()) {
          assertThat(nextLine())
              .as(vector + ", " + version + ": " + text)
              .isEqualTo(storage.error());
        }
      } else if (requests.readableBytes() < block) {
        assertThat(replies.length())
            .as(vector + ": an unfinished block has no reply")
            .isEqualTo(at);
      } else if (LEFT_TO_THE_SERVER.contains(version + ": " + text)) {
        assertThat(nextLine()).isEqualTo("CLIENT_ERROR invalid flag");
      } else if (!storage.noreply() && !isQuiet(command)) {
        assertThat(nextLine()).as(vector + ", " + version + ": " + text).matches(TAKEN);
      } else if (isQuiet(command)) {
        stop();
      }
      requests.skipBytes(Math.min(block, requests.readableBytes()));
    }

    private boolean isQuiet(Command command) {
      for (int token = 3; command == Command.MS && token < line.count(); token++) {
        if (line.is(token, "q")) {
          return true;
        }
      }
      return false;
    }

    private void other(Command command, String text) {
      switch (command) {
        case GET, GETS, GAT, GATS -> {
          String reply = nextLine();
          while (reply.startsWith("VALUE ")) {
            at += Integer.parseInt(reply.split(" ", -1)[3]) + 2;
            reply = nextLine();
          }
        }
        case MG -> {
          String reply = nextLine();
          if (reply.startsWith("VA ")) {
            at += Integer.parseInt(reply.split(" ", -1)[1]) + 2;
          }
        }
        case MN, MD, MA, DELETE, INCR, DECR, TOUCH, VERSION, VERBOSITY, FLUSH_ALL, UNKNOWN -> {
          if (text.endsWith("noreply") || text.matches(".* q( .*)?")) {
            stop();
          } else {
            nextLine();
          }
        }
        default -> stop();
      }
    }

    private void stop() {
      stopped = true;
    }

    /** Lines that look like storage lines behind where it stopped. */
    int left() {
      String rest = requests.toString(ISO_8859_1);
      return (int) STORAGE_LINE.matcher(rest).results().count();
    }

    private String nextLine() {
      int end = replies.indexOf("\r\n", at);
      if (end < 0) {
        stop();
        return "";
      }
      String reply = replies.substring(at, end);
      at = end + 2;
      return reply;
    }
  }
}
