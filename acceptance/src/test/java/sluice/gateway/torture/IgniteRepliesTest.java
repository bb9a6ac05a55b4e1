package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.codecs.memcached.binary.Opcode;
import sluice.testkit.Bytes;
import sluice.testkit.Patience;
import sluice.testkit.scripted.ScriptedNode;

/** What becomes of requests to Ignite nodes that lie, die, answer late or in pieces. */
class IgniteRepliesTest {
  private static final long TIMEOUT_MILLIS = 2_000;
  private static final String FENCE = "mn\r\n";
  private static final String ALL = "flush_all, verbosity";

  private static RunningGateway gateway(ScriptedNode node) {
    return RunningGateway.before(node.address()).dialect("ignite").start();
  }

  /** One before a node that is late or silent. */
  private static RunningGateway impatientGateway(ScriptedNode node) {
    return RunningGateway.before(node.address())
        .dialect("ignite")
        .timeout(TIMEOUT_MILLIS + "ms")
        .queueTimeout("20s")
        .start();
  }

  /** All that is answered to a request, without the fence's reply. */
  private static String answer(RawClient client, String request) throws IOException {
    client.send(request + FENCE);
    Bytes all = new Bytes();
    while (!all.string(all.start, all.end).endsWith("MN\r\n")) {
      all.bytes(client.readSome());
    }
    return all.string(all.start, all.end - "MN\r\n".length());
  }

  /** "#" stands for the opaque of the request. */
  private static byte[] packet(String hex, int opaque) {
    return HexFormat.of().parseHex(hex.replace("#", "%08x".formatted(opaque)).replace(" ", ""));
  }

  @ParameterizedTest(name = "{0}: {2}")
  @CsvSource(
      delimiter = '|',
      value = {
        "text                    | get k    | 454e440d0a 454e440d0a 454e440d0a 454e440d0a"
            + " 454e440d0a",
        "a request               | get k    | 8000 0000 04 00 0000 00000005 # 0000000000000000"
            + " 00000000 61",
        "another opaque          | get k    | 8100 0000 04 00 0000 00000005 7fffffff"
            + " 0000000000000000 00000000 61",
        "another opcode          | get k    | 8101 0000 00 00 0000 00000000 # 0000000000000000",
        "the quiet opcode        | get k    | 8109 0000 04 00 0000 00000005 # 0000000000000000"
            + " 00000000 61",
        "a get without types     | get k    | 8100 0000 00 00 0000 00000001 # 0000000000000000 61",
        "a miss without types    | get k    | 8100 0000 00 00 0001 00000000 # 0000000000000000",
        "more extras than types  | get k    | 8100 0000 08 00 0000 00000009 # 0000000000000000"
            + " 00000000 00000000 61",
        "a body without end      | get k    | 8100 0000 04 00 0000 ffffffff # 0000000000000000"
            + " 00000000 61",
        "a key beyond the body   | get k    | 8100 ffff 04 00 0000 00000005 # 0000000000000000"
            + " 00000000 61",
        "extras beyond the body  | get k    | 8100 0000 04 00 0000 00000003 # 0000000000000000"
            + " 00000000",
        "a store with extras     | delete k | 8104 0000 04 00 0000 00000004 # 0000000000000000"
            + " 00000000",
        "no number               | incr k 1 | 8105 0000 00 00 0000 00000000 # 0000000000000000",
        "a number of four bytes  | incr k 1 | 8105 0000 00 00 0000 00000004 # 0000000000000000"
            + " 00000001",
        "a number with a key     | incr k 1 | 8105 0001 00 00 0000 00000008 # 0000000000000000 6b"
            + " 00000000000001",
        "a number of a megabyte  | incr k 1 | 8105 0000 00 00 0000 00100000 # 0000000000000000 00"
      })
  void shouldFailARequestThatGetsNoReplyToIt(String name, String line, String hex)
      throws Exception {
    try (ScriptedNode node =
            new ScriptedNode(
                request ->
                    request.send(
                        request.key().equals("k")
                            ? packet(hex, request.opaque())
                            : request.right()));
        RunningGateway gateway = gateway(node);
        RawClient client = new RawClient(gateway.address())) {
      assertThat(answer(client, line + "\r\n"))
          .startsWith("SERVER_ERROR ")
          .contains("broke the protocol")
          .hasLineCount(1);
      assertThat(Patience.soon(() -> node.closedByPeer() == 1))
          .as("the connection is not used any more")
          .isTrue();
      assertThat(answer(client, "get other\r\n")).isEqualTo(hit("other"));
    }
  }

  private static String hit(String key) {
    return "VALUE " + key + " 0 " + key.length() + "\r\n" + key + "\r\nEND\r\n";
  }

  /** Statuses that no node sends, and those that say that it failed. */
  @ParameterizedTest(name = "{0}, {1}: {2}")
  @CsvSource({
    "get k, 4, SERVER_ERROR",
    "get k, 2, SERVER_ERROR",
    "get k, 129, SERVER_ERROR",
    "delete k, 4, NOT_FOUND",
    "delete k, 1, SERVER_ERROR",
    "incr k 1, 4, SERVER_ERROR"
  })
  void shouldTakeAStatusForWhatItMeans(String line, int status, String answer) throws Exception {
    try (ScriptedNode node = new ScriptedNode(request -> request.send(request.reply(status, "")));
        RunningGateway gateway = gateway(node);
        RawClient client = new RawClient(gateway.address())) {
      assertThat(answer(client, line + "\r\n")).startsWith(answer).hasLineCount(1);
      assertThat(answer(client, line + "\r\n")).startsWith(answer).hasLineCount(1);
      assertThat(node.closedByPeer()).isZero();
      assertThat(node.requests()).extracting(ScriptedNode.Request::connection).containsOnly(1);
    }
  }

  @ParameterizedTest
  @CsvSource({"get k", "get a b c", "mg k v f", "delete k", "incr k 1", "set k 0 0 1\\r\\nx"})
  void shouldAnswerAlikeWhereverAReplyIsCut(String escaped) throws Exception {
    String request = escaped.translateEscapes() + "\r\n";
    AtomicInteger cut = new AtomicInteger();
    // The node's way to know that the gateway has read what it sent.
    AtomicReference<RawClient> beside = new AtomicReference<>();
    ScriptedNode.Script script =
        each -> {
          byte[] reply = each.right();
          int at = Math.min(cut.get(), reply.length);
          each.send(new Bytes().bytes(reply, 0, at).toArray());
          beside.get().ask(FENCE);
          each.send(new Bytes().bytes(reply, at, reply.length).toArray());
        };
    try (ScriptedNode node = new ScriptedNode(script);
        RunningGateway gateway = gateway(node);
        RawClient second = new RawClient(gateway.address());
        RawClient client = new RawClient(gateway.address())) {
      beside.set(second);
      String whole = answer(client, request);
      assertThat(whole).doesNotContain("ERROR");
      for (int at = 1; at < 30; at++) {
        cut.set(at);
        assertThat(answer(client, request)).as("cut at %d", at).isEqualTo(whole);
      }
      assertThat(node.closedByPeer()).isZero();
    }
  }

  @ParameterizedTest
  @CsvSource({"get k", "get a k c", "delete k", "incr k 1", "set k 0 0 1\\r\\nx"})
  void shouldFailARequestWhoseReplyEndsAnywhere(String escaped) throws Exception {
    String request = escaped.translateEscapes() + "\r\n";
    AtomicInteger length = new AtomicInteger(Integer.MAX_VALUE);
    ScriptedNode.Script script =
        each -> {
          byte[] reply = each.right();
          if (each.key().equals("k")) {
            int sent = Math.min(length.get(), reply.length);
            each.send(new Bytes().bytes(reply, 0, sent).toArray());
            if (sent < reply.length) {
              each.socket().close();
            }
          } else {
            each.send(reply);
          }
        };
    try (ScriptedNode node = new ScriptedNode(script);
        RunningGateway gateway = gateway(node);
        RawClient client = new RawClient(gateway.address())) {
      assertThat(answer(client, request)).doesNotContain("ERROR");
      for (int bytes = 0; bytes < 24; bytes++) {
        length.set(bytes);
        String answer = answer(client, request);
        assertThat(answer.lines().reduce((line, last) -> last))
            .as("%d bytes", bytes)
            .hasValueSatisfying(last -> assertThat(last).startsWith("SERVER_ERROR "));
        assertThat(answer(client, "get other\r\n")).isEqualTo(hit("other"));
      }
    }
  }

  @Test
  void shouldCloseTheClientWhoseValueWillNeverBeWhole() throws Exception {
    String half = "x".repeat(100_000);
    try (ScriptedNode node =
            new ScriptedNode(
                request -> {
                  byte[] reply = request.reply(0, half + half);
                  request.send(new Bytes().bytes(reply, 0, half.length()).toArray());
                  Thread.sleep(100);
                  request.socket().close();
                });
        RunningGateway gateway = gateway(node);
        RawClient client = new RawClient(gateway.address());
        RawClient other = new RawClient(gateway.address())) {
      client.send("get k\r\n");
      assertThat(client.line()).isEqualTo("VALUE k 0 " + 2 * half.length());
      assertThat(client.readToEnd(Patience.LIMIT).length).isLessThan(2 * half.length());
      assertThat(other.ask(FENCE)).isEqualTo("MN");
    }
  }

  @Test
  void shouldDropALateReplyAndAskTheNextElsewhere() throws Exception {
    ScriptedNode.Script script =
        request -> {
          if (request.key().equals("late")) {
            Thread.sleep(TIMEOUT_MILLIS * 3 / 2);
          }
          request.send(request.right());
        };
    try (ScriptedNode node = new ScriptedNode(script);
        RunningGateway gateway = impatientGateway(node);
        RawClient client = new RawClient(gateway.address())) {
      long begin = System.nanoTime();
      assertThat(client.ask("get late\r\n")).startsWith("SERVER_ERROR").contains("timed out");
      long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
      assertThat(took).isGreaterThanOrEqualTo(TIMEOUT_MILLIS);
      for (int i = 0; i < 20; i++) { // before the late reply has come, and behind it
        assertThat(answer(client, "get next\r\n")).isEqualTo(hit("next"));
        Thread.sleep(TIMEOUT_MILLIS / 20);
      }
      assertThat(Patience.soon(() -> node.closedByPeer() == 1)).isTrue();
    }
  }

  @Test
  void shouldFailWhatWaitsBehindANodeThatFallsSilent() throws Exception {
    try (ScriptedNode node =
            new ScriptedNode(
                request -> {
                  if (!request.key().startsWith("silent")) {
                    request.send(request.right());
                  }
                });
        RunningGateway gateway = impatientGateway(node);
        RawClient client = new RawClient(gateway.address())) {
      client.send("get silent\r\nset silent 0 0 1\r\nx\r\ndelete silent\r\nincr silent 1\r\n");
      for (int i = 0; i < 4; i++) {
        assertThat(client.line()).startsWith("SERVER_ERROR");
      }
      assertThat(Patience.soon(() -> node.closedByPeer() > 0)).isTrue();
      assertThat(answer(client, "get next\r\n")).isEqualTo(hit("next"));
      assertThat(Patience.soon(() -> gateway.inFlight() == 0)).isTrue();
      assertThat(Patience.soon(() -> gateway.bufferedBytes() == 0)).isTrue();
    }
  }

  /** Refused here, by one node and by several: neither is asked. */
  @ParameterizedTest
  @CsvSource({
    "flush_all 10, 'CLIENT_ERROR unsupported: a delayed flush, which Ignite does not support'",
    "stats items, 'CLIENT_ERROR unsupported: statistics by name, which Ignite does not have'",
    "verbosity 1, OK",
    "verbosity, CLIENT_ERROR bad command line format",
    "flush_all 10 noreply, ''"
  })
  void shouldAnswerWhatNoNodeCanDoAndGoOn(String line, String answer) throws Exception {
    try (ScriptedNode node = new ScriptedNode(request -> request.send(request.right()));
        ScriptedNode second = new ScriptedNode(request -> request.send(request.right()));
        RunningGateway one =
            RunningGateway.before(node.address()).dialect("ignite").allow(ALL).start();
        RunningGateway two =
            RunningGateway.before(node.address(), second.address())
                .dialect("ignite")
                .allow(ALL)
                .start()) {
      for (RunningGateway gateway : List.of(one, two)) {
        try (RawClient client = new RawClient(gateway.address())) {
          assertThat(answer(client, "get k\r\n")).isEqualTo(hit("k")); // so its version is known
          String expected = answer.isEmpty() ? "" : answer + "\r\n";
          assertThat(answer(client, line + "\r\n")).isEqualTo(expected);
          assertThat(answer(client, "get k\r\n")).isEqualTo(hit("k"));
        }
      }
      assertThat(node.requests()).extracting(ScriptedNode.Request::opcode).containsOnly(Opcode.GET);
    }
  }

  @ParameterizedTest
  @CsvSource({"1", "2"})
  void shouldRefuseADelayedFlushInPackets(int nodes) throws Exception {
    try (ScriptedNode node = new ScriptedNode(request -> request.send(request.right()));
        ScriptedNode second = new ScriptedNode(request -> request.send(request.right()));
        RunningGateway gateway =
            (nodes == 1
                    ? RunningGateway.before(node.address())
                    : RunningGateway.before(node.address(), second.address()))
                .dialect("ignite")
                .start();
        RawClient client = new RawClient(gateway.address())) {
      client.send(packet("8008 0000 04 00 0000 00000004 # 0000000000000000 0000000a", 7));
      client.send(packet("800a 0000 00 00 0000 00000000 # 0000000000000000", 8));
      String text = "CLIENT_ERROR unsupported: a delayed flush, which Ignite does not support";
      byte[] refused =
          new Bytes()
              .bytes(
                  packet(
                      "8108 0000 00 00 0004 000000%02x # 0000000000000000".formatted(text.length()),
                      7))
              .ascii(text)
              .bytes(packet("810a 0000 00 00 0000 00000000 # 0000000000000000", 8))
              .toArray();
      assertThat(client.read(refused.length)).isEqualTo(refused);
      assertThat(node.requests()).isEmpty();
      assertThat(second.requests()).isEmpty();
    }
  }
}
