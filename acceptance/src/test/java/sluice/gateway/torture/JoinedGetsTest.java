package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.gateway.fixtures.RealMemcached;
import sluice.testkit.scripted.ScriptedServer;

/** Classic gets of one value that leave in the same turn are one line to a memcached. */
class JoinedGetsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @Test
  void shouldAskInTheOrderOfTheRequests() throws Exception {
    try (ScriptedServer server = new ScriptedServer(ScriptedServer::behave);
        RunningGateway gateway = RunningGateway.before(server.address()).start();
        RawClient client = new RawClient(gateway.address())) {
      client.send("get a\r\nget  b \r\nget d e\r\nset f 0 0 1\r\nx\r\nget f\r\nget g\r\nmn\r\n");
      String all = "";
      for (String line = client.line(); !line.equals("MN"); line = client.line()) {
        all += line + " ";
      }
      assertThat(all)
          .isEqualTo(
              "VALUE a 0 1 a END VALUE b 0 1 b END VALUE d 0 1 d VALUE e 0 1 e END STORED"
                  + " VALUE f 0 1 f END VALUE g 0 1 g END ");
      assertThat(server.lines()).containsExactly("get a b", "get d e", "set f 0 0 1", "get f g");
    }
  }

  /** A line that breaks the protocol tells nobody that the keys before it are missing. */
  @ParameterizedTest
  @ValueSource(strings = {"VALUE b 7 -1", "VALUE b 7", "VALUE b 7 x", "VALUE b"})
  void shouldTellNoMissBecauseOfALineThatIsWrong(String wrong) throws Exception {
    ScriptedServer.Script script = request -> request.reply(wrong + "\r\nEND\r\n");
    try (ScriptedServer server = new ScriptedServer(script);
        RunningGateway gateway = RunningGateway.before(server.address()).start();
        RawClient client = new RawClient(gateway.address())) {
      client.send("get a\r\nget b\r\n");
      assertThat(client.line()).startsWith("SERVER_ERROR ");
      assertThat(client.line()).startsWith("SERVER_ERROR ");
      assertThat(server.lines()).containsExactly("get a b");
    }
  }

  @Test
  void shouldAskForRenamedKeys() throws Exception {
    try (ScriptedServer server = new ScriptedServer(ScriptedServer::behave);
        RunningGateway gateway =
            RunningGateway.of(
                """
                admin: {bind: 127.0.0.1:0}
                process: {eventLoops: 1}
                listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
                routes:
                  cache:
                    - {match: {prefix: "a:"}, key: {strip: "a:", add: "long:"}, pool: cache}
                    - {pool: cache}
                pools: {cache: {servers: ["%s:%d"], timeout: 10s}}
                """
                    .formatted(
                        server.address().getAddress().getHostAddress(),
                        server.address().getPort()));
        RawClient client = new RawClient(gateway.address())) {
      client.send("get a:1\r\nget b\r\nget a:2\r\n");
      for (String[] each : new String[][] {{"a:1", "long:1"}, {"b", "b"}, {"a:2", "long:2"}}) {
        assertThat(client.line()).isEqualTo("VALUE " + each[0] + " 0 " + each[1].length());
        assertThat(client.line()).isEqualTo(each[1]);
        assertThat(client.line()).isEqualTo("END");
      }
      assertThat(server.lines()).containsExactly("get long:1 b long:2");
    }
  }

  /** twemproxy, say, which may be between us and memcached. */
  @ParameterizedTest
  @ValueSource(strings = {"0.5.0", "mcrouter 41.0.0"})
  void shouldAskOthersForEachByItself(String version) throws Exception {
    try (ScriptedServer server = new ScriptedServer(ScriptedServer::behave).version(version);
        RunningGateway gateway = RunningGateway.before(server.address()).start();
        RawClient client = new RawClient(gateway.address())) {
      client.send("get a\r\nget b\r\n");
      for (int i = 0; i < 6; i++) {
        client.line();
      }
      assertThat(server.lines()).containsExactly("get a", "get b");
    }
  }

  /** The second and third have no reply that began, and are reads. */
  @Test
  void shouldAskAgainForWhatWasNotAnswered() throws Exception {
    AtomicBoolean died = new AtomicBoolean();
    try (ScriptedServer server =
            new ScriptedServer(
                request -> {
                  if (died.compareAndSet(false, true)) {
                    request.reply("VALUE a 0 1\r\na\r\n");
                    request.socket().close();
                  } else {
                    ScriptedServer.behave(request);
                  }
                });
        RunningGateway gateway =
            RunningGateway.before(server.address()).timeout("5s\n    retries: {}").start();
        RawClient client = new RawClient(gateway.address())) {
      client.send("get a\r\nget b\r\nget c\r\n");
      assertThat(client.line()).startsWith("SERVER_ERROR ");
      for (String key : List.of("b", "c")) {
        assertThat(client.line()).isEqualTo("VALUE " + key + " 0 1");
        assertThat(client.line()).isEqualTo(key);
        assertThat(client.line()).isEqualTo("END");
      }
      assertThat(server.lines()).containsExactly("get a b c", "get b", "get c");
    }
  }

  /** A late reply to the line is nobody's any more, and what follows it is not mistaken for it. */
  @Test
  void shouldDropAReplyThatComesTooLate() throws Exception {
    CountDownLatch timedOut = new CountDownLatch(1);
    try (ScriptedServer server =
            new ScriptedServer(
                request -> {
                  if (request.line().equals("get a b c")) {
                    timedOut.await(); // at twice the timeout, the connection ends
                  }
                  ScriptedServer.behave(request);
                });
        RunningGateway gateway =
            RunningGateway.before(server.address()).timeout("2s").queueTimeout("20s").start();
        RawClient client = new RawClient(gateway.address())) {
      client.send("get a\r\nget b\r\nget c\r\n");
      for (int i = 0; i < 3; i++) {
        assertThat(client.line()).startsWith("SERVER_ERROR ").contains("timed out");
      }
      timedOut.countDown();
      client.send("get d\r\n");
      assertThat(client.line()).isEqualTo("VALUE d 0 1");
      assertThat(client.line()).isEqualTo("d");
      assertThat(client.line()).isEqualTo("END");
    }
  }

  private static void check(RawClient client, String key, boolean found) throws IOException {
    client.send("get " + key + "\r\n");
    String line = client.line();
    if (found) {
      assertThat(line).isEqualTo("VALUE " + key + " 5 " + 2 * key.length());
      assertThat(client.line()).isEqualTo(key + key);
      line = client.line();
    }
    assertThat(line).isEqualTo("END");
  }

  /** Many clients at once before a real one: whatever shares a line, everybody has their own. */
  @Test
  void shouldGiveEverybodyTheirOwn() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(16);
    try (RealMemcached memcached = RealMemcached.start();
        RunningGateway gateway = RunningGateway.before(memcached.address()).timeout("10s").start();
        RawClient writer = new RawClient(gateway.address())) {
      for (int i = 0; i < 100; i += 2) {
        String key = "key" + i;
        assertThat(
                writer.ask("set %s 5 0 %d\r\n%s%s\r\n".formatted(key, 2 * key.length(), key, key)))
            .isEqualTo("STORED");
      }
      long before = gets(memcached);
      List<Future<Void>> clients = new ArrayList<>();
      for (int c = 0; c < 16; c++) {
        int first = c;
        clients.add(
            threads.submit(
                () -> {
                  try (RawClient client = new RawClient(gateway.address())) {
                    for (int i = 0; i < 1_000; i++) {
                      int number = (first * 7 + i) % 100;
                      check(client, "key" + number, number % 2 == 0);
                    }
                  }
                  return null;
                }));
      }
      for (Future<Void> each : clients) {
        each.get(PATIENCE.toSeconds() * 3, TimeUnit.SECONDS);
      }
      assertThat(gets(memcached) - before).isEqualTo(16_000); // keys, which it counts one by one
    } finally {
      threads.shutdownNow();
    }
  }

  private static long gets(RealMemcached memcached) throws IOException {
    try (RawClient direct = new RawClient(memcached.address())) {
      direct.send("stats\r\n");
      long gets = -1;
      for (String line = direct.line(); !line.equals("END"); line = direct.line()) {
        if (line.startsWith("STAT cmd_get ")) {
          gets = Long.parseLong(line.substring("STAT cmd_get ".length()));
        }
      }
      return gets;
    }
  }
}
