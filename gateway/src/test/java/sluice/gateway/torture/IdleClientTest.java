package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.gateway.suite.Patience;

/** {@code limits.idle} closes whoever is silent, wherever in a request; not who waits. */
class IdleClientTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "get",
        "set k 0 0 10\r\nab",
        "set k 0 0 200000\r\nab",
        "set k 0 0 900000000\r\nab",
        "bad\r\nset k 0 0 10\r\n",
        "\u0080",
        "\u0080\1\0\1\u0008\0\0\0\0\0\0\u000f\0\0\0\0\0\0\0\0\0\0\0\0ab"
      })
  void shouldCloseAClientThatStopsInsideARequest(String request) throws Exception {
    try (ScriptedServer server = new ScriptedServer(ScriptedServer::behave);
        RunningGateway gateway =
            RunningGateway.before(server.address()).limits("idle: 400ms").timeout("20s").start();
        RawClient client = new RawClient(gateway.address())) {
      long begin = System.nanoTime();
      client.send(request);
      assertThat(client.readToEnd(Patience.LIMIT).length).isLessThan(10);
      assertThat(Duration.ofNanos(System.nanoTime() - begin).toMillis()).isBetween(390L, 4_000L);
      assertThat(Patience.soon(() -> gateway.bufferedBytes() == 0)).isTrue();
      assertThat(Patience.soon(() -> gateway.inFlight() == 0)).isTrue();
    }
  }

  @Test
  void shouldKeepAClientThatWaitsForItsServer() throws Exception {
    ScriptedServer.Script slowly =
        request -> {
          Thread.sleep(1200);
          ScriptedServer.behave(request);
        };
    try (ScriptedServer server = new ScriptedServer(slowly);
        RunningGateway gateway =
            RunningGateway.before(server.address()).limits("idle: 400ms").timeout("5s").start();
        RawClient client = new RawClient(gateway.address())) {
      client.send("set large 0 0 200000\r\n" + "x".repeat(200_000) + "\r\n");
      assertThat(client.line()).isEqualTo("STORED");
    }
  }
}
