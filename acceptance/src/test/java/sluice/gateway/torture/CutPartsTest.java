package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.gateway.fixtures.SideBySide;
import sluice.testkit.Patience;
import sluice.testkit.scripted.ScriptedServer;

/**
 * A get of keys of two servers, one of which stops in the middle of its part of the reply, while
 * the other, whose value comes first, has yet to answer.
 */
class CutPartsTest extends ClosingTest {
  private static final String WHOLE = "VALUE b1 0 2\r\nb1\r\n";

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final CountDownLatch failed = new CountDownLatch(1);

  private void answersLate(ScriptedServer.Request request)
      throws IOException, InterruptedException {
    assertThat(failed.await(20, TimeUnit.SECONDS)).isTrue();
    request.replyValues(key -> key);
  }

  private RunningGateway start(ScriptedServer late, ScriptedServer cut, String onFailure) {
    return closing(
        RunningGateway.of(
            """
            admin: {bind: 127.0.0.1:0}
            process: {eventLoops: 1}
            listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
            routes: {cache: [{match: {prefix: a}, pool: a}, {pool: b}]}
            pools:
              a: {servers: ["127.0.0.1:%d"], timeout: 20s, %s}
              b: {servers: ["127.0.0.1:%d"], timeout: 1s, queueTimeout: 20s, %2$s}
            """
                .formatted(
                    late.address().getPort(),
                    "connections: {connectTimeout: 20s}, multiGet: {onFailure: " + onFailure + "}",
                    cut.address().getPort())));
  }

  private static List<String> reply(RawClient client) throws IOException {
    List<String> lines = new ArrayList<>();
    String line;
    do {
      line = client.line();
      lines.add(line);
    } while (!line.equals("END") && !line.startsWith("SERVER_ERROR"));
    return lines;
  }

  @TestFactory
  List<DynamicTest> shouldMissWhatTheServerDidNotBringAndNothingElse() {
    SideBySide all = new SideBySide();
    for (String each :
        List.of(
            "stalls, VALUE b2 0 2",
            "stalls, VALUE b2 0 2\\r\\nb",
            "stalls, ",
            "closes, VALUE b2 0 2\\r\\nb",
            "closes, ",
            "lies, nonsense\\r\\n",
            "lies, VALUE b9 0 2\\r\\n",
            "lies, VALUE b2 0 2\\r\\nb2xx")) {
      String[] wayAndRest = each.split(", ", 2);
      all.add(
          each,
          () -> {
            CutPartsTest its = new CutPartsTest(); // what it closes is its own
            try {
              its.shouldMissWhatTheServerDidNotBring(wayAndRest[0], wayAndRest[1]);
            } finally {
              its.close();
            }
          });
    }
    return all.tests(4, Duration.ofMinutes(3));
  }

  private void shouldMissWhatTheServerDidNotBring(String way, String rest) throws Exception {
    ScriptedServer late = closing(new ScriptedServer(this::answersLate));
    ScriptedServer cut =
        closing(
            new ScriptedServer(
                request -> {
                  request.reply(WHOLE + rest.replace("\\r", "\r").replace("\\n", "\n"));
                  if (way.equals("closes")) {
                    request.socket().close();
                  }
                }));
    RunningGateway gateway = start(late, cut, "miss");
    RawClient client = client(gateway.address());
    client.send("get a1 b1 b2 a2\r\nget b3\r\n");
    TimeUnit.SECONDS.sleep(3); // until the other's time is over
    failed.countDown();
    List<String> lines = reply(client);
    assertThat(lines).startsWith("VALUE a1 0 2", "a1").endsWith("VALUE a2 0 2", "a2", "END");
    List<String> between = lines.subList(2, lines.size() - 3);
    assertThat(between).containsExactly("VALUE b1 0 2", "b1");
    assertThat(client.line()).startsWith("SERVER_ERROR ");
    client.send("get a3\r\n");
    assertThat(reply(client)).containsExactly("VALUE a3 0 2", "a3", "END");
    assertThat(late.connections()).isEqualTo(1);
    assertThat(late.closedByPeer()).isZero();
    assertThat(Patience.within(PATIENCE, () -> gateway.bufferedBytes() == 0)).isTrue();
  }

  /** The reply has begun, and can only be ended by an error. */
  @Test
  void shouldEndAReplyThatHasBegunByTheFailure() throws Exception {
    String large = "v".repeat(100_000);
    ScriptedServer late = closing(new ScriptedServer(request -> request.replyValues(key -> large)));
    ScriptedServer cut =
        closing(new ScriptedServer(request -> request.reply(WHOLE + "VALUE b2 0 2")));
    RunningGateway gateway = start(late, cut, "error");
    RawClient client = client(gateway.address());
    client.send("get a1 b1 b2 a2\r\n");
    assertThat(client.line()).isEqualTo("VALUE a1 0 100000");
    assertThat(client.line()).isEqualTo(large);
    List<String> rest = reply(client);
    assertThat(rest.get(rest.size() - 1)).startsWith("SERVER_ERROR ");
    client.send("get a3\r\n");
    assertThat(reply(client)).containsExactly("VALUE a3 0 100000", large, "END");
    assertThat(late.closedByPeer()).isZero();
    assertThat(Patience.within(PATIENCE, () -> gateway.bufferedBytes() == 0)).isTrue();
  }

  /** The head of a value that was cut into pieces, and half of another client's reply behind it. */
  @Test
  void shouldReadOnBehindTheHeadOfAValueThatIsJoinedLater() throws Exception {
    Map<String, String> stored = new ConcurrentHashMap<>();
    AtomicReference<String> head = new AtomicReference<>("");
    ScriptedServer server =
        closing(
            new ScriptedServer(
                request -> {
                  String key = request.key();
                  if (request.line().startsWith("set ")) {
                    String[] words = request.line().split(" ", -1);
                    String found = "VALUE " + key + " " + words[2] + " " + words[4] + "\r\n";
                    stored.put(key, found + request.data() + "END\r\n");
                    request.reply("STORED\r\n");
                  } else if (key.equals("k")) { // with what is asked for next
                    head.set(stored.get("k"));
                  } else if (key.equals("x")) {
                    request.reply(head + "VALUE x 0 2\r\nx");
                    TimeUnit.MILLISECONDS.sleep(100);
                    request.reply("y\r\nEND\r\n");
                  } else {
                    request.reply(stored.getOrDefault(key, "END\r\n"));
                  }
                }));
    RunningGateway gateway =
        closing(
            RunningGateway.routed(
                1,
                "{pool: a, split: 64KiB}",
                RunningGateway.pools(", timeout: 5s, dialect: text", server.address())));
    RawClient client = client(gateway.address());
    String large = "0123456789".repeat(20_000);
    assertThat(client.ask("set k 0 0 200000\r\n" + large + "\r\n")).isEqualTo("STORED");
    client.send("get missing k\r\nget x\r\n");
    assertThat(reply(client)).containsExactly("VALUE k 0 200000", large, "END");
    assertThat(reply(client)).containsExactly("VALUE x 0 2", "xy", "END");
    assertThat(server.connections()).isEqualTo(1);
    assertThat(server.closedByPeer()).isZero();
  }

  /** Of two servers, of which one knows its keys by other names, each reply cut at every byte. */
  @ParameterizedTest
  @ValueSource(strings = {"", ", key: {strip: b, add: \"other:\"}"})
  void shouldPutValuesTogetherWhereverTheirRepliesAreCut(String rewrite) throws Exception {
    AtomicInteger cut = new AtomicInteger();
    Map<String, String> values = new HashMap<>();
    List<String> wanted = new ArrayList<>();
    int[] lengths = {3, 0, 600, 1, 100, 513, 2, 512, 40, 7};
    StringBuilder get = new StringBuilder("get");
    for (int i = 0; i < lengths.length; i++) {
      String key = (i % 4 < 2 ? "a" : "b") + i; // neighbours of one server among them
      String value = ("v-" + i).repeat(lengths[i]).substring(0, lengths[i]);
      values.put(String.valueOf(i), value);
      get.append(' ').append(key).append(" ").append(i % 2 == 0 ? "amiss" : "bmiss").append(i);
      wanted.addAll(List.of("VALUE " + key + " 0 " + lengths[i], value));
    }
    wanted.add("END");
    ScriptedServer.Script cuts =
        request -> {
          StringBuilder reply = new StringBuilder();
          for (String key : request.keys()) {
            String value = values.get(key.replaceFirst("^(a|b|other:)", ""));
            if (value != null) {
              reply.append("VALUE ").append(key).append(" 0 ").append(value.length());
              reply.append("\r\n").append(value).append("\r\n");
            }
          }
          reply.append("END\r\n");
          int at = Math.min(cut.get(), reply.length());
          request.reply(reply.substring(0, at));
          TimeUnit.MICROSECONDS.sleep(500); // so that it is read as two
          request.reply(reply.substring(at));
        };
    ScriptedServer a = closing(new ScriptedServer(cuts));
    ScriptedServer b = closing(new ScriptedServer(cuts));
    RunningGateway gateway =
        closing(
            RunningGateway.routed(
                1,
                "{match: {prefix: a}, pool: a}, {match: {prefix: b}, pool: b" + rewrite + "}",
                RunningGateway.pools(", timeout: 5s", a.address(), b.address())));
    RawClient client = client(gateway.address());
    int longest = wanted.stream().mapToInt(line -> line.length() + 10).sum();
    for (; cut.get() < longest; cut.incrementAndGet()) {
      client.send(get + "\r\n");
      assertThat(reply(client)).as("cut at %d", cut.get()).isEqualTo(wanted);
    }
    assertThat(a.connections() + b.connections()).isEqualTo(2);
    assertThat(Patience.within(PATIENCE, () -> gateway.bufferedBytes() == 0)).isTrue();
  }
}
