package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import sluice.gateway.fixtures.SideBySide;
import sluice.testkit.Patience;
import sluice.testkit.scripted.ScriptedServer;

/** What a server says to a value that is still on its way waits until the client has sent it. */
class EarlyReplyTest {
  private static final int STREAMS = 2;
  private static final int LENGTH = 200_000;
  private static final String HALF = "x".repeat(LENGTH / 2);

  private static final Duration LONGER_THAN_TIMEOUT = Duration.ofMillis(2_500);

  private static RunningGateway before(ScriptedServer server) {
    return RunningGateway.before(server.address())
        .connections("streams: " + STREAMS)
        .timeout("2s")
        .queueTimeout("20s")
        .start();
  }

  private static ScriptedServer answering(String reply) throws IOException {
    return early(
        request -> {
          if (reply == null) {
            request.socket().close();
          } else {
            request.reply(reply + "\r\n");
          }
        });
  }

  /** Scripted servers read the value of a set only: an add is answered at its line. */
  private static ScriptedServer early(ScriptedServer.Script answer) throws IOException {
    return new ScriptedServer(
        request -> {
          if (request.line().startsWith("add ")) {
            answer.handle(request);
          } else if (!request.line().startsWith("x")) {
            ScriptedServer.behave(request);
          }
        });
  }

  private static String answerTo(RawClient client, ScriptedServer server, String end)
      throws IOException {
    client.send("set k 0 0 1\r\nx\r\nadd large 0 0 " + LENGTH + end + "\r\n" + HALF);
    assertThat(client.line()).isEqualTo("STORED");
    assertThat(
            Patience.soon(() -> server.lines().stream().anyMatch(line -> line.startsWith("add "))))
        .isTrue();
    assertThat(client.isSilentFor(LONGER_THAN_TIMEOUT)).isTrue();
    client.send(HALF + "\r\nmn\r\nset k 0 0 1\r\nx\r\n");
    String answer = client.line();
    if (!answer.equals("MN")) {
      assertThat(client.line()).isEqualTo("MN");
    }
    assertThat(client.line()).isEqualTo("STORED");
    return answer;
  }

  /** All wait for longer than the timeout, which is long enough for what must be in time. */
  @TestFactory
  List<DynamicTest> shouldHoldAnEarlyReply() {
    return new SideBySide()
        .add(
            "should hold a refusal until the value was sent",
            EarlyReplyTest::shouldHoldARefusalUntilTheValueWasSent)
        .add(
            "should not acknowledge a value that the server cannot have",
            EarlyReplyTest::shouldNotAcknowledgeAValueThatTheServerCannotHave)
        .add(
            "should not acknowledge a value whose server has closed",
            EarlyReplyTest::shouldNotAcknowledgeAValueWhoseServerHasClosed)
        .add(
            "should hold the answer of a server that is gone",
            EarlyReplyTest::shouldHoldTheAnswerOfAServerThatIsGone)
        .add(
            "should give up an early reply with its client",
            EarlyReplyTest::shouldGiveUpAnEarlyReplyWithItsClient)
        .add(
            "should not call a server late that waits for the client",
            EarlyReplyTest::shouldNotCallAServerLateThatWaitsForTheClient)
        .tests(6, Duration.ofMinutes(3));
  }

  private static void shouldHoldARefusalUntilTheValueWasSent() throws Exception {
    try (ScriptedServer server = answering("SERVER_ERROR object too large for cache");
        RunningGateway gateway = before(server);
        RawClient client = new RawClient(gateway.address())) {
      for (int i = 0; i <= STREAMS; i++) { // more than connections can be acquired at once
        assertThat(answerTo(client, server, ""))
            .isEqualTo("SERVER_ERROR object too large for cache");
      }
      assertThat(gateway.inFlight()).isZero();
      assertThat(Patience.soon(() -> gateway.bufferedBytes() == 0)).isTrue();
    }
  }

  private static void shouldNotAcknowledgeAValueThatTheServerCannotHave() throws Exception {
    try (ScriptedServer server = answering("STORED");
        RunningGateway gateway = before(server);
        RawClient client = new RawClient(gateway.address())) {
      assertThat(answerTo(client, server, ""))
          .startsWith("SERVER_ERROR ")
          .contains("answered before it had the whole value");
      assertThat(gateway.gateway().scrape())
          .containsPattern("sluice_server_protocol_errors_total\\{[^}]*} 1");
      assertThat(answerTo(client, server, " noreply")).isEqualTo("MN");
    }
  }

  private static void shouldNotAcknowledgeAValueWhoseServerHasClosed() throws Exception {
    ScriptedServer.Script answer =
        request -> {
          request.reply("STORED\r\n");
          request.socket().shutdownOutput(); // a close would drop the reply with the unread value
        };
    try (ScriptedServer server = early(answer);
        RunningGateway gateway = before(server);
        RawClient client = new RawClient(gateway.address())) {
      assertThat(answerTo(client, server, ""))
          .startsWith("SERVER_ERROR ")
          .contains("answered before it had the whole value");
      assertThat(answerTo(client, server, " noreply")).isEqualTo("MN");
    }
  }

  private static void shouldHoldTheAnswerOfAServerThatIsGone() throws Exception {
    try (ScriptedServer server = answering(null);
        RunningGateway gateway = before(server);
        RawClient client = new RawClient(gateway.address())) {
      assertThat(answerTo(client, server, "")).startsWith("SERVER_ERROR ").contains("closed");
    }
  }

  private static void shouldGiveUpAnEarlyReplyWithItsClient() throws Exception {
    try (ScriptedServer server = answering("SERVER_ERROR no");
        RunningGateway gateway = before(server)) {
      try (RawClient client = new RawClient(gateway.address())) {
        client.send("add large 0 0 " + LENGTH + "\r\n" + HALF);
        assertThat(client.isSilentFor(Duration.ofMillis(300))).isTrue();
      }
      assertThat(Patience.soon(() -> gateway.inFlight() == 0 && gateway.bufferedBytes() == 0))
          .isTrue();
    }
  }

  private static void shouldNotCallAServerLateThatWaitsForTheClient() throws Exception {
    try (ScriptedServer server = new ScriptedServer(ScriptedServer::behave);
        RunningGateway gateway = before(server);
        RawClient client = new RawClient(gateway.address())) {
      client.send("set large 0 0 " + LENGTH + "\r\n" + HALF);
      assertThat(client.isSilentFor(LONGER_THAN_TIMEOUT)).isTrue();
      client.send(HALF + "\r\n");
      assertThat(client.line()).isEqualTo("STORED");
    }
  }
}
