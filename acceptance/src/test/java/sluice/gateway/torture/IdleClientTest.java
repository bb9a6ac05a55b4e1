package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import sluice.gateway.fixtures.SideBySide;
import sluice.testkit.Patience;
import sluice.testkit.scripted.ScriptedServer;

/** {@code limits.idle} closes whoever is silent, wherever in a request; not who waits. */
class IdleClientTest {
  @TestFactory
  List<DynamicTest> shouldCloseAClientThatStopsInsideARequest() {
    Map<String, String> requests = new LinkedHashMap<>();
    requests.put("a command", "get");
    requests.put("a value", "set k 0 0 10\r\nab");
    requests.put("a large value", "set k 0 0 200000\r\nab");
    requests.put("a value that is too large", "set k 0 0 900000000\r\nab");
    requests.put("a request behind a bad one", "bad\r\nset k 0 0 10\r\n");
    requests.put("a packet's magic", "\u0080");
    requests.put("a packet", "\u0080\1\0\1\u0008\0\0\0\0\0\0\u000f\0\0\0\0\0\0\0\0\0\0\0\0ab");
    SideBySide all = new SideBySide();
    requests.forEach(
        (name, request) -> all.add(name, () -> shouldCloseAClientThatStopsBehind(request)));
    return all.tests(requests.size(), Duration.ofMinutes(2));
  }

  private static void shouldCloseAClientThatStopsBehind(String request) throws Exception {
    try (ScriptedServer server = new ScriptedServer(ScriptedServer::behave);
        RunningGateway gateway =
            RunningGateway.before(server.address()).limits("idle: 2s").timeout("20s").start();
        RawClient client = new RawClient(gateway.address())) {
      long begin = System.nanoTime();
      client.send(request);
      assertThat(client.readToEnd(Patience.LIMIT).length).isLessThan(10);
      assertThat(Duration.ofNanos(System.nanoTime() - begin).toMillis())
          .isGreaterThanOrEqualTo(1_990L);
      assertThat(Patience.soon(() -> gateway.bufferedBytes() == 0)).isTrue();
      assertThat(Patience.soon(() -> gateway.inFlight() == 0)).isTrue();
    }
  }

  @Test
  void shouldKeepAClientThatWaitsForItsServer() throws Exception {
    ScriptedServer.Script slowly =
        request -> {
          Thread.sleep(3_000);
          ScriptedServer.behave(request);
        };
    try (ScriptedServer server = new ScriptedServer(slowly);
        RunningGateway gateway =
            RunningGateway.before(server.address()).limits("idle: 1s").timeout("20s").start();
        RawClient client = new RawClient(gateway.address())) {
      client.send("set large 0 0 200000\r\n" + "x".repeat(200_000) + "\r\n");
      assertThat(client.line()).isEqualTo("STORED");
    }
  }

  /** The kernel's timers: 02 is the one of keepalive. */
  @Test
  void shouldLetTheKernelFindOutThatAPeerIsGone() throws Exception {
    try (ScriptedServer server = new ScriptedServer(ScriptedServer::behave);
        RunningGateway gateway = RunningGateway.before(server.address()).start();
        RawClient client = new RawClient(gateway.address())) {
      assertThat(client.ask("set k 0 0 1\r\nx\r\n")).isEqualTo("STORED");
      String ofClient = "\\S+:%04X \\S+".formatted(gateway.address().getPort());
      String toServer = "\\S+ \\S+:%04X".formatted(server.address().getPort());
      for (String socket : new String[] {ofClient, toServer}) {
        assertThat(Patience.soon(() -> hasKeepAlive(socket))).as(socket).isTrue();
      }
    }
  }

  private static boolean hasKeepAlive(String socket) throws IOException {
    Pattern pattern = Pattern.compile(": " + socket + " 01 \\S+ 02:");
    List<String> sockets = new ArrayList<>(Files.readAllLines(Path.of("/proc/self/net/tcp")));
    Path mapped = Path.of("/proc/self/net/tcp6");
    if (Files.exists(mapped)) {
      sockets.addAll(Files.readAllLines(mapped));
    }
    return sockets.stream().anyMatch(line -> pattern.matcher(line).find());
  }
}
