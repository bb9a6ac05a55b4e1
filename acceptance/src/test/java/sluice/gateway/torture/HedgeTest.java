package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.gateway.torture.Scenario.impatientPool;
import static sluice.gateway.torture.Scenario.pool;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import sluice.gateway.fixtures.SideBySide;
import sluice.testkit.Patience;
import sluice.testkit.scripted.ScriptedServer;

/** Reads that are also sent to a second pool when the first has not begun to answer in time. */
class HedgeTest {
  private static final String RULE = "{pool: main, hedge: {to: other, after: 20ms, budget: 100%}}";

  /** For tests in which the main pool answers some reads, on a busy machine too. */
  private static final String LATE_RULE = RULE.replace("20ms", "2s");

  /** Answers a get with another value than the main server has. */
  private static void other(ScriptedServer.Request request) throws IOException {
    if (request.line().startsWith("get ")) {
      request.replyValues(key -> "other");
    } else {
      ScriptedServer.behave(request);
    }
  }

  /** Answers nothing more on a connection from a key named stalls on. */
  private static void stalling(ScriptedServer.Request request) throws IOException {
    if (request.line().contains("stalls")) {
      while (request.socket().getInputStream().read() >= 0) {
        // until the gateway closes it
      }
    } else {
      ScriptedServer.behave(request);
    }
  }

  private static long counted(Scenario scenario, String result) {
    String series = "sluice_hedged_requests_total{pool=\"main\",result=\"" + result + "\"} ";
    return scenario
        .gateway()
        .admin("/metrics")
        .lines()
        .filter(line -> line.startsWith(series))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(series.length())))
        .sum();
  }

  private static Scenario start(ScriptedServer main, ScriptedServer other, String rule) {
    return new Scenario()
        .gateway(rule, pool("main", "", main.address()), pool("other", "", other.address()));
  }

  @Test
  void shouldTakeTheAnswerOfTheOtherPoolWhenItsOwnStalls() throws Exception {
    try (ScriptedServer main = new ScriptedServer(HedgeTest::stalling);
        ScriptedServer other = new ScriptedServer(HedgeTest::other);
        Scenario scenario = start(main, other, LATE_RULE);
        RawClient client = scenario.client()) {
      assertThat(client.ask("get quick\r\n")).isEqualTo("VALUE quick 0 5");
      assertThat(client.line()).isEqualTo("quick");
      assertThat(client.line()).isEqualTo("END");
      isAnsweredByOther(client);
      Scenario.becomes(() -> counted(scenario, "won") == 1);
      assertThat(other.lines()).contains("get stalls").doesNotContain("get quick");
    }
  }

  private static void isAnsweredByOther(RawClient client) throws IOException {
    assertThat(client.ask("get stalls\r\n")).isEqualTo("VALUE stalls 0 5");
    assertThat(client.line()).isEqualTo("other");
    assertThat(client.line()).isEqualTo("END");
  }

  /** What is dropped must not be taken for the reply to what follows it on the connection. */
  @Test
  void shouldDropTheAnswerThatComesSecond() throws Exception {
    CountDownLatch released = new CountDownLatch(1);
    ScriptedServer.Script late =
        request -> {
          if (request.line().equals("get late")) {
            assertThat(released.await(30, TimeUnit.SECONDS)).isTrue();
          }
          ScriptedServer.behave(request);
        };
    try (ScriptedServer main = new ScriptedServer(late);
        ScriptedServer other = new ScriptedServer(HedgeTest::other);
        Scenario scenario = start(main, other, LATE_RULE);
        RawClient client = scenario.client()) {
      client.send("get late\r\nget behind\r\nset k 0 0 1\r\nx\r\n");
      assertThat(client.line()).isEqualTo("VALUE late 0 5");
      assertThat(client.line()).isEqualTo("other");
      assertThat(client.line()).isEqualTo("END");
      assertThat(client.line()).isEqualTo("VALUE behind 0 5");
      assertThat(client.line()).isEqualTo("other");
      assertThat(client.line()).isEqualTo("END");
      released.countDown();
      assertThat(client.line()).isEqualTo("STORED");
      assertThat(client.ask("get last\r\n")).isEqualTo("VALUE last 0 4");
      assertThat(client.line()).isEqualTo("last");
      assertThat(client.line()).isEqualTo("END");
      assertThat(other.lines()).doesNotContain("set k 0 0 1");
      assertThat(Patience.soon(() -> scenario.gateway().inFlight() == 0)).isTrue();
    }
  }

  @TestFactory
  List<DynamicTest> shouldSendNothingTwiceButPlainReads() {
    SideBySide all = new SideBySide();
    for (String request :
        List.of(
            "set stalls 0 0 1\r\nx\r\n",
            "delete stalls\r\n",
            "incr stalls 1\r\n",
            "touch stalls 1\r\n",
            "gat 1 stalls\r\n",
            "gets stalls\r\n",
            "mg stalls v N30\r\n",
            "mg stalls v T30\r\n",
            "mg stalls c\r\n")) {
      String name = request.substring(0, request.indexOf('\r'));
      all.add(name, () -> shouldNotBeSentTwice(request));
    }
    return all.tests(3, Duration.ofMinutes(3));
  }

  private static void shouldNotBeSentTwice(String request) throws Exception {
    try (ScriptedServer main = new ScriptedServer(HedgeTest::stalling);
        ScriptedServer other = new ScriptedServer(HedgeTest::other);
        Scenario scenario =
            new Scenario()
                .gateway(
                    RULE,
                    impatientPool("main", "", main.address()),
                    pool("other", "", other.address()));
        RawClient client = scenario.client()) {
      assertThat(client.ask(request)).startsWith("SERVER_ERROR ").contains("timed out");
      assertThat(other.lines()).isEmpty();
    }
  }

  /** A stalled pool must not double the load of the other. */
  @Test
  void shouldKeepToTheBudget() throws Exception {
    int reads = 400;
    try (ScriptedServer main = new ScriptedServer(HedgeTest::stalling);
        ScriptedServer other = new ScriptedServer(HedgeTest::other);
        Scenario scenario = start(main, other, "{pool: main, hedge: {to: other, after: 5ms}}");
        RawClient client = scenario.client()) {
      StringBuilder all = new StringBuilder();
      for (int i = 0; i < reads; i++) {
        all.append("get stalls\r\n");
      }
      client.send(all.toString());
      assertThat(Patience.soon(() -> counted(scenario, "over_budget") > 50)).isTrue();
      assertThat(other.lines().size()).isLessThanOrEqualTo(reads * 5 / 100 + 11);
      Scenario.becomes(() -> !other.lines().isEmpty());
    }
  }

  @Test
  void shouldSendEachKeyOfAReadOfMany() throws Exception {
    try (ScriptedServer main = new ScriptedServer(HedgeTest::stalling);
        ScriptedServer other = new ScriptedServer(HedgeTest::other);
        Scenario scenario = start(main, other, LATE_RULE);
        RawClient client = scenario.client()) {
      client.send("get a stalls b\r\n");
      for (String line : List.of("VALUE a 0 1", "a", "VALUE stalls 0 5", "other")) {
        assertThat(client.line()).isEqualTo(line);
      }
      for (String line : List.of("VALUE b 0 5", "other", "END")) { // b stands behind it
        assertThat(client.line()).isEqualTo(line);
      }
    }
  }

  /** One key that is not sent twice holds all of them. */
  @Test
  void shouldSendAllKeysOfAReadOfVeryManyIfItMay() throws Exception {
    try (ScriptedServer main = new ScriptedServer(HedgeTest::stalling);
        ScriptedServer other = new ScriptedServer(HedgeTest::other);
        Scenario scenario = start(main, other, RULE);
        RawClient client = scenario.client()) {
      client.send("get stalls" + " k".repeat(40) + "\r\n");
      assertThat(client.line()).isEqualTo("VALUE stalls 0 5");
      for (int i = 0; i < 2 * 40 + 1; i++) {
        client.line();
      }
      assertThat(client.line()).isEqualTo("END");
    }
  }

  /** What its own pool has yet to settle counts against what a client may have under way. */
  @Test
  void shouldNotPileUpReadsOnAPoolThatStalls() throws Exception {
    try (ScriptedServer main = new ScriptedServer(HedgeTest::stalling);
        ScriptedServer other = new ScriptedServer(HedgeTest::other);
        Scenario scenario = start(main, other, RULE)) {
      scenario.reload(RULE, pool("main", "", main.address()), pool("other", "", other.address()));
      RawClient client = scenario.client();
      client.send("get stalls\r\n" + "get k\r\n".repeat(3000));
      assertThat(Patience.soon(() -> counted(scenario, "won") > 500)).isTrue();
      assertThat(other.lines().size()).isLessThanOrEqualTo(1024);
    }
  }

  /** The client's own pool is gone, the other has yet to answer. */
  @Test
  void shouldWaitForTheOtherPoolWhenItsOwnFails() throws Exception {
    CountDownLatch otherIsAsked = new CountDownLatch(1);
    ScriptedServer.Script dying =
        request -> {
          if (request.line().equals("get stalls")) {
            assertThat(otherIsAsked.await(20, TimeUnit.SECONDS)).isTrue();
            request.socket().close();
          } else {
            ScriptedServer.behave(request);
          }
        };
    ScriptedServer.Script slow =
        request -> {
          otherIsAsked.countDown();
          Thread.sleep(1_000); // the gateway learns meanwhile that the main pool's has failed
          other(request);
        };
    try (ScriptedServer main = new ScriptedServer(dying);
        ScriptedServer other = new ScriptedServer(slow);
        Scenario scenario =
            new Scenario()
                .gateway(
                    RULE, pool("main", "", main.address()), pool("other", "", other.address()));
        RawClient client = scenario.client()) {
      isAnsweredByOther(client);
    }
  }

  /** A client that leaves while both are asked. */
  @Test
  void shouldLeaveNothingOfAClientThatHasGone() throws Exception {
    try (ScriptedServer main = new ScriptedServer(HedgeTest::stalling);
        ScriptedServer other = new ScriptedServer(HedgeTest::stalling);
        Scenario scenario =
            new Scenario()
                .gateway(
                    RULE,
                    impatientPool("main", "", main.address()),
                    impatientPool("other", "", other.address()));
        RawClient stays = scenario.client()) {
      for (int i = 0; i < 20; i++) {
        RawClient leaves = new RawClient(scenario.gateway().address());
        leaves.send("get stalls\r\nget stalls a\r\n");
        leaves.reset();
      }
      stays.send("get stalls\r\n");
      assertThat(stays.line()).startsWith("SERVER_ERROR ");
      assertThat(Patience.soon(() -> scenario.gateway().inFlight() == 0)).isTrue();
      assertThat(scenario.gateway().bufferedBytes()).isZero();
    }
  }
}
