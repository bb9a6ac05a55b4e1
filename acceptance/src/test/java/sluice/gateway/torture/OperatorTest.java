package sluice.gateway.torture;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.gateway.fixtures.RealMemcached;
import sluice.testkit.Patience;
import sluice.testkit.scripted.ScriptedServer;

/** The commands that take a server's connection for themselves, as an operator uses them. */
class OperatorTest {

  private static RunningGateway before(RealMemcached server) {
    return before(server, "10s");
  }

  private static RunningGateway before(RealMemcached server, String timeout) {
    return RunningGateway.before(server.address())
        .allow("watch, lru_crawler, shutdown")
        .timeout(timeout)
        .queueTimeout("20s")
        .start();
  }

  @Test
  @SuppressWarnings("try") // closed twice: the second time is for a test that failed before
  void shouldShowAWatcherWhatOthersDo() throws Exception {
    try (RealMemcached server = RealMemcached.start();
        RunningGateway gateway = before(server, "2s");
        RawClient watcher = new RawClient(gateway.address());
        RawClient other = new RawClient(gateway.address())) {
      assertThat(watcher.ask("watch mutations\r\n")).isEqualTo("OK");
      assertThat(watcher.isSilentFor(Duration.ofSeconds(4))).as("no timeout").isTrue();
      watcher.send("get thrown-away\r\nquit\r\n");
      assertThat(other.ask("set watched 0 0 1\r\nx\r\n")).isEqualTo("STORED");
      String line = watcher.line();
      while (!line.contains("type=item_store")) { // a set looks for the item first
        line = watcher.line();
      }
      assertThat(line).contains("key=watched").contains("status=stored");
      server.close();
      assertThat(new String(watcher.readToEnd(Patience.LIMIT), US_ASCII)).doesNotContain("ERROR");
    }
  }

  /** It gets the refusal, and the end. */
  @ParameterizedTest
  @ValueSource(strings = {"", "quit\r\n"})
  void shouldEndAWatcherThatIsRefusedAndHasClosedItsSide(String sentBehind) throws Exception {
    try (ScriptedServer server = new ScriptedServer(request -> request.reply("ERROR\r\n"));
        RunningGateway gateway = RunningGateway.before(server.address()).allow("watch").start();
        RawClient watcher = new RawClient(gateway.address())) {
      watcher.send("watch nothing\r\n" + sentBehind).halfClose();
      assertThat(new String(watcher.readToEnd(Patience.LIMIT), US_ASCII)).isEqualTo("ERROR\r\n");
    }
  }

  /** Only the log lines may take as long as they like. */
  @ParameterizedTest
  @ValueSource(strings = {"", "O"})
  void shouldNotWaitForAServerThatDoesNotAnswerAWatcher(String beginning) throws Exception {
    try (ScriptedServer server = new ScriptedServer(request -> request.reply(beginning));
        RunningGateway gateway =
            RunningGateway.before(server.address()).allow("watch").timeout("500ms").start();
        RawClient watcher = new RawClient(gateway.address())) {
      assertThat(watcher.ask("watch evictions\r\n")).startsWith("SERVER_ERROR server ");
      assertThat(watcher.ask("mn\r\n")).isEqualTo("MN");
      assertThat(server.lines()).containsExactly("watch evictions");
      assertThat(Patience.soon(() -> gateway.inFlight() == 0)).isTrue();
    }
  }

  /** The server, too, notices it at once, and not only when it has a line to write. */
  @ParameterizedTest
  @ValueSource(strings = {"", "quit\r\n", "get k\r\nmn\r\n"})
  void shouldEndAWatcherThatCloses(String sentBehind) throws Exception {
    List<Socket> watched = new CopyOnWriteArrayList<>();
    ScriptedServer.Script script =
        request -> {
          watched.add(request.socket());
          request.reply("OK\r\n");
        };
    try (ScriptedServer server = new ScriptedServer(script);
        RunningGateway gateway = RunningGateway.before(server.address()).allow("watch").start()) {
      try (RawClient watcher = new RawClient(gateway.address())) {
        assertThat(watcher.ask("watch evictions\r\n")).isEqualTo("OK");
        watcher.send(sentBehind).halfClose();
        assertThat(watcher.readToEnd(Patience.LIMIT)).isEmpty();
      }
      assertThat(Patience.soon(() -> watched.get(0).isClosed())).isTrue();
      try (RawClient watcher = new RawClient(gateway.address())) {
        watcher.send("watch evictions\r\n" + sentBehind).halfClose();
        assertThat(new String(watcher.readToEnd(Patience.LIMIT), US_ASCII)).isEqualTo("OK\r\n");
      }
      try (RawClient watcher = new RawClient(gateway.address())) {
        assertThat(watcher.send("watch evictions\r\n" + sentBehind).line()).isEqualTo("OK");
      }
      assertThat(Patience.soon(() -> watched.get(1).isClosed())).isTrue();
      assertThat(Patience.soon(() -> gateway.inFlight() == 0)).isTrue();
      assertThat(server.lines()).containsOnly("watch evictions");
    }
  }

  @Test
  void shouldGoOnAfterADump() throws Exception {
    try (RealMemcached server = RealMemcached.start();
        RunningGateway gateway = before(server);
        RawClient client = new RawClient(gateway.address())) {
      for (int key = 0; key < 500; key++) {
        assertThat(client.ask("set key" + key + " 0 0 1\r\nx\r\n")).isEqualTo("STORED");
      }
      client.send("lru_crawler metadump all\r\nget key7\r\n");
      List<String> dumped = new ArrayList<>();
      for (String line = client.line(); !line.equals("END"); line = client.line()) {
        dumped.add(line);
      }
      assertThat(dumped).hasSize(500).allMatch(line -> line.startsWith("key=key"));
      assertThat(client.line()).isEqualTo("VALUE key7 0 1");
      assertThat(client.line()).isEqualTo("x");
      assertThat(client.line()).isEqualTo("END");
    }
  }

  @Test
  void shouldEndWhoShutsTheServerDownAndAnswerTheOthers() throws Exception {
    try (RealMemcached server = RealMemcached.start("-A");
        RunningGateway gateway = before(server);
        RawClient operator = new RawClient(gateway.address());
        RawClient other = new RawClient(gateway.address())) {
      assertThat(other.ask("set key 0 0 1\r\nx\r\n")).isEqualTo("STORED");
      operator.send("shutdown\r\n");
      assertThat(operator.readToEnd(Patience.LIMIT)).isEmpty();
      // memcached serves the connections that it has while it stops
      assertThat(
              Patience.soon(
                  () -> {
                    try {
                      return other.ask("delete key\r\n").startsWith("SERVER_ERROR server ");
                    } catch (IOException e) {
                      throw new UncheckedIOException(e);
                    }
                  }))
          .isTrue();
    }
  }
}
