package sluice.gateway.torture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.gateway.fixtures.RealMemcached;
import sluice.testkit.Bytes;
import sluice.testkit.FreePort;
import sluice.testkit.Packet;
import sluice.testkit.Patience;
import sluice.testkit.scripted.ScriptedServer;

/** Requests that go to several pools at once: to replicas, or to a pool and its shadow. */
class SeveralPoolsTest extends ClosingTest {
  private static final String EACH = ", timeout: 4s, connections: {probeAfter: 5s}";

  private RawClient start(String rule, String more, InetSocketAddress... pools) throws IOException {
    return client(gateway(rule, more, pools).address());
  }

  private RunningGateway gateway(String rule, String more, InetSocketAddress... pools) {
    return closing(RunningGateway.routed(1, rule, RunningGateway.pools(EACH + more, pools)));
  }

  /** The same, where the server of one pool is silent on purpose: it is not waited for so long. */
  private RunningGateway beforeSilent(String pool, String rule, InetSocketAddress... pools) {
    String shorter =
        RunningGateway.pools(EACH, pools)
            .replaceFirst(
                "(?m)^(  " + pool + ": .*), timeout: 4s", "$1, timeout: 1s, queueTimeout: 4s");
    return closing(RunningGateway.routed(1, rule, shorter));
  }

  private static String value(RawClient client, String key) throws IOException {
    String line = client.ask("get " + key + "\r\n");
    if (!line.startsWith("VALUE ")) {
      return line;
    }
    String value = client.line();
    assertThat(client.line()).isEqualTo("END");
    return value;
  }

  // --- replicas -----------------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(
      strings = {"", ", dialect: meta", ", dialect: binary", ", compression: {above: 64B}"})
  void shouldChangeAllPoolsAndReadFromAny(String more) throws Exception {
    RealMemcached one = closing(RealMemcached.start());
    RealMemcached two = closing(RealMemcached.start());
    RawClient client = start("{replicate: {pools: [a, b]}}", more, one.address(), two.address());
    assertThat(client.ask("set k 5 0 3\r\nabc\r\n")).isEqualTo("STORED");
    assertThat(client.ask("append k 0 0 1\r\nd\r\n")).isEqualTo("STORED");
    assertThat(client.ask("set n 0 0 2\r\n10\r\n")).isEqualTo("STORED");
    assertThat(client.ask("incr n 5\r\n")).isEqualTo("15");
    assertThat(client.ask("add k 0 0 1\r\nx\r\n")).isEqualTo("NOT_STORED");
    assertThat(client.ask("touch k 100\r\n")).isEqualTo("TOUCHED");
    assertThat(client.ask("delete missing\r\n")).isEqualTo("NOT_FOUND");
    client.send("set quiet 0 0 1 noreply\r\nq\r\nget quiet\r\n");
    assertThat(client.line()).isEqualTo("VALUE quiet 0 1");
    assertThat(client.line()).isEqualTo("q");
    assertThat(client.line()).isEqualTo("END");
    String large = "v".repeat(200_000);
    assertThat(client.ask("set large 0 0 200000\r\n" + large + "\r\n")).isEqualTo("STORED");
    assertThat(value(client, "large")).isEqualTo(large);
    assertThat(value(client, "missing")).isEqualTo("END");
    client.send("get missing k n\r\n");
    assertThat(client.line()).isEqualTo("VALUE k 5 4");
    assertThat(client.line()).isEqualTo("abcd");
    assertThat(client.line()).isEqualTo("VALUE n 0 2");
    assertThat(client.line()).isEqualTo("15");
    assertThat(client.line()).isEqualTo("END");
    for (RealMemcached each : List.of(one, two)) {
      RawClient direct = client(each.address());
      assertThat(direct.ask("mg k v f\r\n")).isEqualTo("VA 4 f5");
      assertThat(direct.line()).isEqualTo("abcd");
      assertThat(value(direct, "n")).isEqualTo("15");
      assertThat(value(direct, "quiet")).isEqualTo("q");
      // What only one of them has is found, too.
      assertThat(direct.ask("delete k\r\n")).isEqualTo("DELETED");
      assertThat(value(client, "k")).isEqualTo(each == one ? "abcd" : "END");
    }
    assertThat(client.ask("cas n 0 0 1 77\r\nx\r\n"))
        .isEqualTo("CLIENT_ERROR unsupported: a cas, which differs between pools");
    for (String meta : List.of("mg n v C7", "mg n v N30 C7", "md n C7", "ma n C7")) {
      assertThat(client.ask(meta + "\r\n"))
          .isEqualTo("CLIENT_ERROR unsupported: a cas, which differs between pools");
    }
  }

  @Test
  void shouldAnswerBinaryClientsInOrder() throws Exception {
    RealMemcached one = closing(RealMemcached.start());
    RealMemcached two = closing(RealMemcached.start());
    RawClient client = start("{replicate: {pools: [a, b]}}", "", one.address(), two.address());
    Bytes run = new Bytes();
    for (int i = 0; i < 50; i++) {
      Packet.add(run, 0x11, "\0\0\0\7\0\0\0\0", "k" + i, "v" + i, 2 * i); // SetQ
      Packet.add(run, 0x0d, "", "k" + i, "", 2 * i + 1); // GetKQ
    }
    Packet.add(run, 0x0a, "", "", "", 1000); // Noop
    client.send(run.toArray());
    for (int i = 0; i < 50; i++) {
      byte[] head = client.read(24);
      assertThat(head[1]).isEqualTo((byte) 0x0d);
      assertThat(head[15]).isEqualTo((byte) (2 * i + 1));
      int body = head[11];
      assertThat(new String(client.read(body), ISO_8859_1)).isEqualTo("\0\0\0\7k" + i + "v" + i);
    }
    assertThat(client.read(24)[1]).isEqualTo((byte) 0x0a);
  }

  @ParameterizedTest
  @ValueSource(strings = {"all", "one", "majority"})
  void shouldNeedAsManyAcknowledgementsAsTheRuleSays(String acks) throws Exception {
    RealMemcached server = closing(RealMemcached.start());
    RealMemcached other = closing(RealMemcached.start());
    String rule = "{replicate: {pools: [a, b, c], acks: " + acks + "}}";
    RawClient two = start(rule, "", FreePort.address(), server.address(), other.address());
    RawClient one = start(rule, "", FreePort.address(), server.address(), FreePort.address());
    for (int i = 0; i < 3; i++) { // the first waits for connections
      String answer = two.ask("set k 0 0 1\r\nx\r\n");
      if (acks.equals("all")) {
        assertThat(answer).startsWith("SERVER_ERROR ").contains("is unreachable");
      } else {
        assertThat(answer).isEqualTo("STORED");
      }
      answer = one.ask("set k 0 0 1\r\nx\r\n");
      if (acks.equals("one")) {
        assertThat(answer).isEqualTo("STORED");
      } else {
        assertThat(answer).startsWith("SERVER_ERROR ").contains("is unreachable");
      }
      assertThat(value(one, "k")).isEqualTo("x"); // the first that has it answers
      assertThat(value(one, "missing")).isEqualTo("END"); // rather than an error
    }
  }

  /** A read that fails everywhere is answered: its client would wait for ever. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{replicate: {pools: [a, b]}}",
        "{replicate: {pools: [a, b], reads: nearest}}",
        "{warmUp: {cold: a, warm: b}}",
        "{pool: a, shadow: {pool: b, percent: 100%}}"
      })
  void shouldSayWhyAReadHasFailedEverywhere(String rule) throws Exception {
    ScriptedServer.Script fails = request -> request.reply("SERVER_ERROR out of memory\r\n");
    ScriptedServer one = closing(new ScriptedServer(fails));
    ScriptedServer two = closing(new ScriptedServer(fails));
    RawClient client = start(rule, "", one.address(), two.address());
    for (String read : List.of("get k", "gets k", "mg k v", "gat 9 k", "gat 9 k l", "get k l")) {
      assertThat(client.ask(read + "\r\n")).as(read).isEqualTo("SERVER_ERROR out of memory");
    }
  }

  @Test
  void shouldReadFromTheFastest() throws Exception {
    ScriptedServer slow =
        closing(
            new ScriptedServer(
                request -> {
                  TimeUnit.MILLISECONDS.sleep(500);
                  ScriptedServer.behave(request);
                }));
    ScriptedServer fast = closing(new ScriptedServer(ScriptedServer::behave));
    RawClient client =
        start("{replicate: {pools: [a, b], reads: nearest}}", "", slow.address(), fast.address());
    for (int i = 0; i < 5; i++) {
      assertThat(client.ask("set k 0 0 1\r\nx\r\n")).isEqualTo("STORED");
    }
    for (int i = 0; i < 5; i++) {
      assertThat(value(client, "k")).isEqualTo("k");
    }
    assertThat(slow.lines()).doesNotContain("get k");
    assertThat(fast.lines().stream().filter("get k"::equals)).hasSize(5);
  }

  /**
   * A read that changes the item is a change: it reaches all pools, and one of them says who is to
   * write. Which of two is the nearest, and which answers first, is chance: each is tried often.
   */
  @ParameterizedTest
  @ValueSource(strings = {"first", "nearest"})
  void shouldLetOnePoolSayWhoWritesAnItem(String reads) throws Exception {
    RealMemcached one = closing(RealMemcached.start());
    RealMemcached two = closing(RealMemcached.start());
    String rule = "{replicate: {pools: [a, b], reads: " + reads + "}}";
    RunningGateway gateway = gateway(rule, "", one.address(), two.address());
    RawClient client = client(gateway.address());
    RawClient first = client(one.address());
    RawClient second = client(two.address());
    for (int i = 0; i < 20; i++) {
      for (String flags : List.of("N30", "R30", "N30 R30", "T30", "s")) {
        for (RawClient told : List.of(first, second)) {
          String key = "k" + i + flags.replace(" ", "") + (told == first ? 1 : 2);
          boolean made = flags.startsWith("N");
          if (!made) {
            assertThat(client.ask("set " + key + " 0 10 1\r\nx\r\n")).isEqualTo("STORED");
            assertThat(client.ask("md " + key + " I\r\n")).isEqualTo("HD");
          }
          assertThat(told.ask("mg " + key + " " + flags + "\r\n")).contains(" W");
          // The first pool says so, and the reply of the second does not matter.
          assertThat(client.ask("mg " + key + " " + flags + "\r\n"))
              .as("%s, told by %s", key, told == first ? "the first" : "the second")
              .contains(told == first ? " Z" : " W")
              .doesNotContain(told == first ? " W" : " Z");
          assertThat(client.ask("mg " + key + " " + flags + "\r\n")).contains(" Z");
        }
      }
    }
    // It is not in the first pool: the second says so, once.
    assertThat(second.ask("set k 0 10 1\r\nx\r\n")).isEqualTo("STORED");
    assertThat(second.ask("md k I\r\n")).isEqualTo("HD");
    List<String> answers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      answers.add(client.ask("mg k s\r\n"));
    }
    assertThat(reads.equals("nearest") || answers.get(0).contains(" W")).isTrue();
    assertThat(answers.stream().filter(answer -> answer.contains(" W")).count())
        .isLessThanOrEqualTo(1);
    assertThat(answers).allMatch(answer -> answer.equals("EN") || answer.startsWith("HD s1 "));
  }

  @ParameterizedTest
  @ValueSource(strings = {"first", "nearest"})
  void shouldTouchInAllPoolsWhatIsReadAndTouched(String reads) throws Exception {
    RealMemcached one = closing(RealMemcached.start());
    RealMemcached two = closing(RealMemcached.start());
    String rule = "{replicate: {pools: [a, b], reads: " + reads + "}}";
    RunningGateway gateway = gateway(rule, "", one.address(), two.address());
    RawClient client = client(gateway.address());
    RawClient first = client(one.address());
    RawClient second = client(two.address());
    List<String> requests =
        List.of("gat 5000 k", "gats 5000 k", "gat 5000 k l", "gats 5000 x k", "mg k v T5000");
    for (int i = 0; i < 5; i++) {
      for (String request : requests) {
        assertThat(client.ask("set k 0 0 1\r\nx\r\n")).isEqualTo("STORED");
        assertThat(client.ask("set l 0 0 1\r\ny\r\n")).isEqualTo("STORED");
        assertThat(client.ask(request + "\r\n")).startsWith("V").doesNotContain("SERVER");
        assertThat(client.line()).isEqualTo("x");
        if (request.endsWith(" l")) {
          assertThat(client.line()).isEqualTo("VALUE l 0 1");
          assertThat(client.line()).isEqualTo("y");
        }
        if (!request.startsWith("mg")) {
          assertThat(client.line()).isEqualTo("END");
        }
        for (RawClient each : List.of(first, second)) {
          assertThat(each.ask("mg k t\r\n")).as(request).startsWith("HD t").isNotEqualTo("HD t-1");
          assertThat(each.ask("mg l t\r\n").equals("HD t-1")).isEqualTo(!request.endsWith(" l"));
        }
      }
    }
    Bytes gat = new Bytes();
    Packet.add(gat, 0x1d, "\0\0\7\0", "k", "", 1);
    assertThat(client.ask("set k 0 0 1\r\nx\r\n")).isEqualTo("STORED");
    assertThat(client(gateway.address()).send(gat.toArray()).read(24)[7]).isZero();
    assertThat(first.ask("mg k t\r\n")).isNotEqualTo("HD t-1");
    assertThat(second.ask("mg k t\r\n")).isNotEqualTo("HD t-1");

    // What one pool has forgotten is found in the other.
    for (RawClient each : List.of(first, second)) {
      assertThat(client.ask("set k 0 0 1\r\nx\r\n")).isEqualTo("STORED");
      assertThat(each.ask("delete k\r\n")).isEqualTo("DELETED");
      for (String request : List.of("gat 50 k", "gat 50 x k", "gat 50 k x")) {
        assertThat(client.ask(request + "\r\n")).as(request).isEqualTo("VALUE k 0 1");
        assertThat(client.line()).isEqualTo("x");
        assertThat(client.line()).isEqualTo("END");
      }
    }
    assertThat(client.ask("gat 50 x y\r\n")).isEqualTo("END");
  }

  @Test
  void shouldNeedAcknowledgementsForATouchOfManyKeys() throws Exception {
    RealMemcached server = closing(RealMemcached.start());
    for (String acks : List.of("all", "one")) {
      String rule = "{replicate: {pools: [a, b], acks: " + acks + "}}";
      RawClient client = start(rule, "", FreePort.address(), server.address());
      client(server.address()).ask("set k 0 0 1\r\nx\r\n");
      for (int i = 0; i < 3; i++) {
        String answer = client.ask("gat 50 k l\r\n");
        if (acks.equals("all")) {
          assertThat(answer).startsWith("SERVER_ERROR ").contains("is unreachable");
        } else {
          assertThat(answer).isEqualTo("VALUE k 0 1");
          assertThat(client.line()).isEqualTo("x");
          assertThat(client.line()).isEqualTo("END");
        }
      }
    }
  }

  @Test
  void shouldAnswerWithinTheTimeoutWhenAReplicaStalls() throws Exception {
    ScriptedServer stalls = closing(new ScriptedServer(request -> {}));
    RealMemcached server = closing(RealMemcached.start());
    RunningGateway gateway =
        beforeSilent("a", "{replicate: {pools: [a, b]}}", stalls.address(), server.address());
    RawClient client = client(gateway.address());
    client.send("set k 0 0 1\r\nx\r\nget k\r\nset l 0 0 1\r\ny\r\n");
    assertThat(client.line()).startsWith("SERVER_ERROR ").contains("timed out");
    assertThat(client.line()).isEqualTo("VALUE k 0 1");
    assertThat(client.line()).isEqualTo("x");
    assertThat(client.line()).isEqualTo("END");
    assertThat(client.line()).startsWith("SERVER_ERROR ");
    assertThat(Patience.soon(() -> gateway.inFlight() == 0)).isTrue();
  }

  @Test
  void shouldLetAClientGoInTheMiddle() throws Exception {
    ScriptedServer stalls = closing(new ScriptedServer(request -> {}));
    RealMemcached server = closing(RealMemcached.start());
    RunningGateway gateway =
        beforeSilent("a", "{replicate: {pools: [a, b]}}", stalls.address(), server.address());
    try (RawClient client = new RawClient(gateway.address())) {
      client.send("set k 0 0 1\r\nx\r\nget k\r\n");
      assertThat(Patience.soon(() -> !stalls.requests().isEmpty())).isTrue();
    }
    assertThat(Patience.soon(() -> gateway.inFlight() == 0)).isTrue();
    assertThat(Patience.soon(() -> gateway.bufferedBytes() == 0)).isTrue();
  }

  // --- a cold pool and a warm one -----------------------------------------------------------

  @ParameterizedTest
  @ValueSource(strings = {"", ", dialect: meta", ", compression: {above: 64B}"})
  void shouldFillMissesFromTheWarmPool(String more) throws Exception {
    RealMemcached cold = closing(RealMemcached.start());
    RealMemcached warm = closing(RealMemcached.start());
    RunningGateway gateway =
        gateway("{warmUp: {cold: a, warm: b}}", more, cold.address(), warm.address());
    RawClient client = client(gateway.address());
    RawClient coldly = client(cold.address());
    RawClient warmly = client(warm.address());
    String large = "v".repeat(100_000);
    assertThat(warmly.ask("set k 5 100 3\r\nabc\r\n")).isEqualTo("STORED");
    assertThat(warmly.ask("set n 0 0 2\r\n10\r\n")).isEqualTo("STORED");
    assertThat(warmly.ask("set large 0 0 100000\r\n" + large + "\r\n")).isEqualTo("STORED");

    client.send("get k\r\nget missing\r\nmg large v\r\nincr n 1\r\nget k\r\nmn\r\n");
    // What is sent behind a read must not be seen by it: these are misses.
    for (int i = 0; i < 3; i++) {
      assertThat(client.line()).isEqualTo(i < 2 ? "END" : "EN");
    }
    assertThat(client.line()).isEqualTo("11");
    assertThat(client.line()).isEqualTo("VALUE k 5 3");
    assertThat(client.line()).isEqualTo("abc");
    assertThat(client.line()).isEqualTo("END");
    assertThat(client.line()).isEqualTo("MN");
    assertThat(coldly.ask("delete k\r\n")).isEqualTo("DELETED");
    client.send("get k\r\nget missing\r\nmg large v\r\nget k\r\nmn\r\n");
    assertThat(client.line()).isEqualTo("VALUE k 5 3");
    assertThat(client.line()).isEqualTo("abc");
    assertThat(client.line()).isEqualTo("END");
    assertThat(client.line()).isEqualTo("END");
    assertThat(client.line()).isEqualTo("VA 100000");
    assertThat(client.line()).isEqualTo(large);
    assertThat(client.line()).isEqualTo("VALUE k 5 3");
    assertThat(client.line()).isEqualTo("abc");
    assertThat(client.line()).isEqualTo("END");
    assertThat(client.line()).isEqualTo("MN");
    assertThat(coldly.ask("mg k t f\r\n")).matches("HD t(100|9\\d|8[5-9]) f5");
    assertThat(coldly.ask("mg n t v\r\n")).isEqualTo("VA 2 t-1");
    assertThat(coldly.line()).isEqualTo("11");
    assertThat(warmly.ask("get n\r\n")).isEqualTo("VALUE n 0 2");
    assertThat(warmly.line()).isEqualTo("10");
    assertThat(warmly.line()).isEqualTo("END");

    // What is written goes to the cold pool, what is deleted from both.
    assertThat(client.ask("set new 0 0 1\r\nx\r\n")).isEqualTo("STORED");
    assertThat(warmly.ask("mg new\r\n")).isEqualTo("EN");
    assertThat(warmly.ask("set only 0 0 1\r\nx\r\n")).isEqualTo("STORED");
    assertThat(client.ask("delete only\r\n")).isEqualTo("DELETED");
    assertThat(client.ask("delete k\r\n")).isEqualTo("DELETED");
    assertThat(value(client, "k")).isEqualTo("END");
    assertThat(value(client, "only")).isEqualTo("END");
    assertThat(client.ask("gets n\r\n")).startsWith("VALUE n 0 2 ");
    client.line();
    client.line();
    Bytes get = new Bytes();
    assertThat(warmly.ask("set b 9 0 1\r\nx\r\n")).isEqualTo("STORED");
    Packet.add(get, 0x09, "", "b", "", 77); // GetQ
    Packet.add(get, 0x0a, "", "", "", 78);
    RawClient binary = client(gateway.address());
    binary.send(get.toArray());
    byte[] head = binary.read(24);
    assertThat(head[15]).isEqualTo((byte) 77);
    assertThat(new String(binary.read(head[11]), ISO_8859_1)).isEqualTo("\0\0\0\11x");
    assertThat(binary.read(24)[15]).isEqualTo((byte) 78);
    assertThat(Patience.soon(() -> gateway.bufferedBytes() == 0)).isTrue();
  }

  @Test
  void shouldAnswerAMissWhenTheWarmPoolDoesNot() throws Exception {
    RealMemcached cold = closing(RealMemcached.start());
    ScriptedServer stalls = closing(new ScriptedServer(request -> {}));
    RunningGateway before =
        beforeSilent("b", "{warmUp: {cold: a, warm: b}}", cold.address(), stalls.address());
    RawClient stalled = client(before.address());
    assertThat(stalled.ask("get k\r\n")).isEqualTo("END");
    RawClient dead = start("{warmUp: {cold: a, warm: b}}", "", cold.address(), FreePort.address());
    assertThat(dead.ask("get k\r\n")).isEqualTo("END");
    assertThat(dead.ask("set k 0 0 1\r\nx\r\n")).isEqualTo("STORED");
    assertThat(value(dead, "k")).isEqualTo("x");
    RawClient without =
        start("{warmUp: {cold: a, warm: b}}", "", FreePort.address(), cold.address());
    assertThat(without.ask("get k\r\n")).startsWith("SERVER_ERROR ");
    assertThat(without.ask("set k 0 0 1\r\nx\r\n")).startsWith("SERVER_ERROR ");
  }

  // --- shadows ------------------------------------------------------------------------------

  private static double counted(RunningGateway gateway, String result) {
    String series = "sluice_shadow_requests_total{pool=\"b\",result=\"" + result + "\"} ";
    return gateway
        .gateway()
        .scrape()
        .lines()
        .filter(line -> line.startsWith(series))
        .mapToDouble(line -> Double.parseDouble(line.substring(series.length())))
        .sum();
  }

  private static void becomes(RunningGateway gateway, String result, double count) {
    assertThat(Patience.soon(() -> counted(gateway, result) == count))
        .as(result + " " + counted(gateway, result) + ", not " + count)
        .isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ", dialect: meta", ", dialect: binary"})
  void shouldCompareTheShadowsReplies(String more) throws Exception {
    RealMemcached main = closing(RealMemcached.start());
    RealMemcached shadow = closing(RealMemcached.start());
    RunningGateway gateway =
        gateway("{pool: a, shadow: {pool: b}}", more, main.address(), shadow.address());
    RawClient client = client(gateway.address());
    assertThat(client.ask("get k\r\n")).isEqualTo("END");
    RawClient direct = client(shadow.address());
    AtomicInteger requests = new AtomicInteger();
    // Its connection is made when it is first wanted, and nobody waits for that.
    assertThat(
            Patience.soon(
                () -> {
                  try {
                    requests.incrementAndGet();
                    client.ask("set k 0 0 1\r\nx\r\n");
                    return direct.ask("mg k\r\n").equals("HD");
                  } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                  }
                }))
        .isTrue();
    // All that was copied until now has been compared.
    double all = requests.get() + 1;
    assertThat(Patience.soon(() -> counted(gateway, "same") + counted(gateway, "skipped") == all))
        .as(gateway.gateway().scrape())
        .isTrue();
    double same = counted(gateway, "same");
    assertThat(client.ask("set k 7 0 1\r\ny\r\n")).isEqualTo("STORED");
    assertThat(value(client, "k")).isEqualTo("y");
    becomes(gateway, "same", same + 2);
    assertThat(client.ask("gets k\r\n")).startsWith("VALUE k 7 1 ");
    client.line();
    client.line();
    becomes(gateway, "same", same + 3);
    assertThat(direct.ask("set k 7 0 1\r\nz\r\n")).isEqualTo("STORED");
    assertThat(value(client, "k")).isEqualTo("y");
    becomes(gateway, "different", 1);
    assertThat(direct.ask("delete k\r\n")).isEqualTo("DELETED");
    assertThat(client.ask("mg k\r\n")).isEqualTo("HD");
    becomes(gateway, "different", 2);
    assertThat(counted(gateway, "failed")).isZero();
    assertThat(gateway.inFlight()).isZero();
  }

  @Test
  void shouldNeverMakeAClientWaitForTheShadow() throws Exception {
    RealMemcached main = closing(RealMemcached.start());
    ScriptedServer stalls = closing(new ScriptedServer(request -> {}));
    RunningGateway gateway =
        beforeSilent("b", "{pool: a, shadow: {pool: b}}", main.address(), stalls.address());
    RawClient client = client(gateway.address());
    assertThat(client.ask("set k 0 0 1\r\nx\r\n")).isEqualTo("STORED");
    assertThat(
            Patience.soon(
                () ->
                    gateway.admin("/pools").replaceAll("\\s", "").split("\"up\"", -1).length == 3))
        .isTrue();
    long begin = System.nanoTime();
    for (int i = 0; i < 100; i++) {
      assertThat(value(client, "k")).isEqualTo("x");
    }
    // 30 s and more if each had waited for the shadow's timeout.
    assertThat(System.nanoTime() - begin).isLessThan(TimeUnit.SECONDS.toNanos(10));
    assertThat(
            Patience.soon(
                () ->
                    counted(gateway, "failed") > 0
                        && counted(gateway, "failed") + counted(gateway, "skipped") == 101))
        .as(gateway.gateway().scrape())
        .isTrue();
    assertThat(Patience.soon(() -> gateway.bufferedBytes() == 0)).isTrue();
  }

  @Test
  void shouldNotCompareAPoolWithItself() throws Exception {
    RealMemcached main = closing(RealMemcached.start());
    RealMemcached other = closing(RealMemcached.start());
    RunningGateway gateway =
        gateway(
            "{pool: a, migrate: {to: b}, shadow: {pool: b}}", "", main.address(), other.address());
    RawClient client = client(gateway.address());
    assertThat(client.ask("set k 0 0 1\r\nx\r\n")).isEqualTo("STORED");
    assertThat(value(client, "k")).isEqualTo("x");
    RawClient direct = client(other.address());
    assertThat(value(direct, "k")).isEqualTo("x");
    assertThat(gateway.gateway().scrape()).doesNotContain("sluice_shadow_requests_total{");
  }

  @Test
  void shouldCopyOnlyAShare() throws Exception {
    RealMemcached main = closing(RealMemcached.start());
    RealMemcached shadow = closing(RealMemcached.start());
    RunningGateway gateway =
        gateway("{pool: a, shadow: {pool: b, percent: 30%}}", "", main.address(), shadow.address());
    RawClient client = client(gateway.address());
    for (int i = 0; i < 1000; i++) {
      assertThat(client.ask("set k 0 0 1\r\nx\r\n")).isEqualTo("STORED");
    }
    double copied = counted(gateway, "same") + counted(gateway, "skipped");
    assertThat(copied).isBetween(200.0, 400.0); // of 300, with a deviation of 14
  }

  @Test
  void shouldSendNothingOfAValueWhoseColdServerIsGoneWithTheNextOne() throws Exception {
    RealMemcached server = closing(RealMemcached.start());
    RawClient client =
        start(
            "{match: {prefix: w}, warmUp: {cold: a, warm: b}}, {pool: b}",
            ", dialect: meta",
            FreePort.address(),
            server.address());
    assertThat(client.ask("set w 0 0 5\r\nstays\r\n")).contains("is unreachable");
    assertThat(client.ask("set k 0 0 3\r\nabc\r\n")).isEqualTo("STORED");
    assertThat(value(client, "k")).isEqualTo("abc");
  }

  @Test
  void shouldFailAPacketWhoseColdServerIsGoneByItsOpaque() throws Exception {
    RealMemcached server = closing(RealMemcached.start());
    RawClient client =
        start("{warmUp: {cold: a, warm: b}}", "", FreePort.address(), server.address());
    Bytes set = new Bytes();
    set.int8(0x80).int8(0x01).int16(1).int8(8).int8(0).int16(0).int32(12).int32(77).int64(0);
    client.send(set.int64(0).ascii("kabc").toArray());
    byte[] header = client.read(24);
    assertThat(header).startsWith(0x81, 0x01);
    assertThat(java.nio.ByteBuffer.wrap(header).getShort(6)).isEqualTo((short) 0x86);
    assertThat(java.nio.ByteBuffer.wrap(header).getInt(12)).isEqualTo(77);
  }

  // --- servers that are not ready -----------------------------------------------------------

  /**
   * Pools a, of a server that is well, b and c, of servers that take connections and say nothing.
   */
  private RawClient beforeSilentServers(InetSocketAddress well, String rule) throws IOException {
    StringBuilder yaml =
        new StringBuilder(
            """
            admin: {bind: 127.0.0.1:0}
            process: {eventLoops: 1}
            listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
            routes: {cache: [%s]}
            pools:
              a: {servers: ["127.0.0.1:%d"], timeout: 20s}
            """
                .formatted(rule, well.getPort()));
    for (String pool : List.of("b", "c")) {
      ServerSocket silent = closing(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
      yaml.append("  ").append(pool).append(": {servers: [\"127.0.0.1:");
      yaml.append(silent.getLocalPort()).append("\"], timeout: 20s, queueTimeout: 100ms, ");
      yaml.append("connections: {connectTimeout: 1m}}\n");
    }
    return client(closing(RunningGateway.of(yaml.toString())).address());
  }

  @Test
  void shouldNotWaitForEachServerInTurn() throws Exception {
    RealMemcached server = closing(RealMemcached.start());
    RawClient client =
        beforeSilentServers(
            server.address(),
            "{match: {prefix: b}, pool: b}, {match: {prefix: c}, pool: c}, {pool: a}");
    assertThat(client.ask("verbosity 1\r\n")).contains("was not ready in time");
    assertThat(client.ask("version\r\n")).startsWith("VERSION ");
  }

  @Test
  void shouldTellTheReplicaThatIsWellWhenAnotherIsNotReady() throws Exception {
    RealMemcached server = closing(RealMemcached.start());
    RawClient client =
        beforeSilentServers(server.address(), "{replicate: {pools: [a, b, c], acks: all}}");
    assertThat(client.ask("set k 0 0 3\r\nabc\r\n")).contains("was not ready in time");
    assertThat(value(client(server.address()), "k")).isEqualTo("abc");
  }
}
