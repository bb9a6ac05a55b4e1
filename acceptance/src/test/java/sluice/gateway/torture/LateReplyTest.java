package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import sluice.gateway.fixtures.SideBySide;
import sluice.testkit.Patience;
import sluice.testkit.scripted.ScriptedServer;

/** A reply that comes after its request was answered by the timeout belongs to nobody. */
class LateReplyTest {
  private static final long TIMEOUT_MILLIS = 2_000;

  private static RunningGateway.Builder before(ScriptedServer server) {
    return RunningGateway.before(server.address())
        .timeout(TIMEOUT_MILLIS + "ms")
        .queueTimeout("20s");
  }

  /** What is asked behind a late reply must not be late itself: the timeout stays a long one. */
  @TestFactory
  List<DynamicTest> shouldGiveALateReplyToNoOtherRequest() {
    return new SideBySide()
        .add(
            "should drop a late reply and send the next requests elsewhere",
            LateReplyTest::shouldDropALateReplyAndSendTheNextRequestsElsewhere)
        .add(
            "should close a connection whose late reply does not come within one more timeout",
            LateReplyTest::shouldCloseAConnectionWhoseLateReplyDoesNotComeWithinOneMoreTimeout)
        .add(
            "should time out what waits behind a reply that goes on and on",
            LateReplyTest::shouldTimeOutWhatWaitsBehindAReplyThatGoesOnAndOn)
        .add(
            "should lend again after a large request timed out",
            LateReplyTest::shouldLendAgainAfterALargeRequestTimedOut)
        .tests(4, Duration.ofMinutes(3));
  }

  private static void shouldDropALateReplyAndSendTheNextRequestsElsewhere() throws Exception {
    ScriptedServer.Script script =
        request -> {
          if (request.key().equals("late")) {
            Thread.sleep(TIMEOUT_MILLIS * 3 / 2);
          }
          ScriptedServer.behave(request);
        };
    try (ScriptedServer server = new ScriptedServer(script);
        RunningGateway gateway = before(server).start();
        RawClient client = new RawClient(gateway.address());
        RawClient other = new RawClient(gateway.address())) {
      long begin = System.nanoTime();
      assertThat(client.ask("get late\r\n")).startsWith("SERVER_ERROR").contains("timed out");
      long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
      assertThat(took).isGreaterThanOrEqualTo(TIMEOUT_MILLIS);

      // Before the late reply has come, and behind it.
      for (int i = 0; i < 20; i++) {
        assertThat(client.ask("get next\r\n")).isEqualTo("VALUE next 0 4");
        assertThat(client.line()).isEqualTo("next");
        assertThat(client.line()).isEqualTo("END");
        assertThat(other.ask("set other 0 0 1\r\nx\r\n")).isEqualTo("STORED");
        Thread.sleep(TIMEOUT_MILLIS / 20);
      }
      assertThat(client.isSilentFor(Duration.ofMillis(50))).isTrue();
      assertThat(server.requests().get(0).connection()).isEqualTo(1);
      assertThat(server.requests().stream().skip(1).map(ScriptedServer.Request::connection))
          .isNotEmpty()
          .allMatch(connection -> connection == 2);
      assertThat(gateway.gateway().scrape())
          .containsPattern("sluice_late_replies_total\\{[^}]*} 1");
      // The reply came: there is nothing more to wait for on the old connection.
      assertThat(Patience.soon(() -> server.closedByPeer() == 1)).isTrue();
    }
  }

  private static void shouldCloseAConnectionWhoseLateReplyDoesNotComeWithinOneMoreTimeout()
      throws Exception {
    ScriptedServer.Script script =
        request -> {
          if (!request.key().equals("never")) {
            ScriptedServer.behave(request);
          }
        };
    try (ScriptedServer server = new ScriptedServer(script);
        RunningGateway gateway = before(server).start();
        RawClient client = new RawClient(gateway.address())) {
      long begin = System.nanoTime();
      assertThat(client.ask("get never\r\n")).startsWith("SERVER_ERROR");
      assertThat(server.closedByPeer()).isZero();

      assertThat(Patience.soon(() -> server.closedByPeer() == 1)).isTrue();
      long closed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
      assertThat(closed).isGreaterThanOrEqualTo(2 * TIMEOUT_MILLIS - 20);
      assertThat(client.ask("set k 0 0 1\r\nx\r\n")).isEqualTo("STORED");
    }
  }

  private static void shouldTimeOutWhatWaitsBehindAReplyThatGoesOnAndOn() throws Exception {
    ScriptedServer.Script script =
        request -> {
          if (!request.key().equals("slow")) {
            ScriptedServer.behave(request);
            return;
          }
          request.reply("VALUE slow 0 100\r\n");
          for (int i = 0; i < 100; i++) {
            request.reply("x");
            Thread.sleep(TIMEOUT_MILLIS / 20);
          }
          request.reply("\r\nEND\r\n");
        };
    try (ScriptedServer server = new ScriptedServer(script);
        RunningGateway gateway = before(server).start();
        RawClient slow = new RawClient(gateway.address());
        RawClient behind = new RawClient(gateway.address())) {
      slow.send("get slow\r\n");
      assertThat(Patience.soon(() -> server.requests().size() == 1)).isTrue();
      long begin = System.nanoTime();
      assertThat(behind.ask("get behind\r\n")).startsWith("SERVER_ERROR");
      long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
      assertThat(took).isGreaterThanOrEqualTo(TIMEOUT_MILLIS - 20);
      assertThat(behind.ask("set k 0 0 1\r\nx\r\n")).isEqualTo("STORED");
      assertThat(slow.line()).isEqualTo("VALUE slow 0 100");
      assertThat(slow.line()).isEqualTo("x".repeat(100));
      assertThat(slow.line()).isEqualTo("END");
    }
  }

  private static void shouldLendAgainAfterALargeRequestTimedOut() throws Exception {
    ScriptedServer.Script script =
        request -> {
          if (request.key().equals("late")) {
            Thread.sleep(TIMEOUT_MILLIS * 3 / 2);
          }
          ScriptedServer.behave(request);
        };
    byte[] line = ("x".repeat(200_000) + "\r\n").getBytes(java.nio.charset.StandardCharsets.UTF_8);
    try (ScriptedServer server = new ScriptedServer(script);
        RunningGateway gateway = before(server).connections("streams: 1").start();
        RawClient client = new RawClient(gateway.address());
        RawClient other = new RawClient(gateway.address())) {
      for (int i = 0; i < 3; i++) {
        client.send("set late 0 0 200000\r\n").send(line);
        assertThat(client.line()).startsWith("SERVER_ERROR").contains("timed out");
        Thread.sleep(TIMEOUT_MILLIS);
        other.send("set large 0 0 200000\r\n").send(line);
        assertThat(other.line()).isEqualTo("STORED");
        assertThat(client.ask("set k 0 0 1\r\nx\r\n")).isEqualTo("STORED");
      }
    }
  }
}
