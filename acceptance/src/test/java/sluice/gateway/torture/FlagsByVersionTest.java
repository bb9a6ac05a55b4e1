package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.testkit.scripted.ScriptedServer;

/**
 * Meta flags that only some servers of a pool know. The key's server decides whether a line is
 * valid. A request must never reach it without a flag that the client has sent.
 */
class FlagsByVersionTest {
  private static final String RULE = "{pool: main, ttl: {max: 3h}}"; // takes the canonical form

  private static void meta(ScriptedServer.Request request)
      throws IOException, InterruptedException {
    if (request.line().startsWith("ms ")) {
      request.reply("HD" + request.line().replaceFirst(".*( O\\S+).*", "$1") + "\r\n");
    } else {
      ScriptedServer.behave(request);
    }
  }

  private final Scenario scenario = new Scenario();
  private ScriptedServer old;
  private ScriptedServer other;
  private RawClient client;

  @BeforeEach
  void start() throws IOException {
    old = scenario.scripted(FlagsByVersionTest::meta);
    other = scenario.scripted(FlagsByVersionTest::meta);
    other.version("1.6.45");
  }

  @AfterEach
  void end() {
    scenario.close();
  }

  private void gateway(ScriptedServer first, ScriptedServer second) throws IOException {
    scenario.gateway(
        RULE, Scenario.pool("main", "dialect: meta", first.address(), second.address()));
    client = scenario.client();
  }

  /** A key of a server: the one whose lines grow when it is stored. */
  private String keyOf(ScriptedServer server) throws IOException {
    for (int i = 0; ; i++) {
      String key = "k" + i;
      assertThat(client.ask("ms " + key + " 2\r\nhi\r\n")).isEqualTo("HD");
      if (server.lines().toString().contains("ms " + key + " ")) {
        return key;
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4, 7})
  void shouldBeReadAsTheServerOfTheKeyDoes(int later) throws Exception {
    gateway(old, other);
    String key = keyOf(other);
    keyOf(old); // both versions are known by now

    String request = "ms " + key + " 5 E77 MA\r\nhello\r\n";
    client.send(request.substring(0, request.length() - later));
    if (later > 0) {
      TimeUnit.MILLISECONDS.sleep(100);
      client.send(request.substring(request.length() - later));
    }
    assertThat(client.line()).isEqualTo("HD");
    assertThat(other.lines().get(other.lines().size() - 1))
        .startsWith("ms " + key + " 5 ")
        .contains(" MA")
        .contains(" E77");
  }

  @Test
  void shouldBeRefusedForAServerThatDoesNotKnowThem() throws Exception {
    gateway(other, old);
    keyOf(other);
    String key = keyOf(old);
    int before = old.lines().size();
    assertThat(client.ask("ms " + key + " 5 E77 MA\r\nhello\r\n"))
        .isEqualTo("CLIENT_ERROR invalid flag");
    assertThat(client.ask("mn\r\n")).isEqualTo("MN");
    assertThat(old.lines().subList(before, old.lines().size()))
        .noneMatch(line -> line.startsWith("ms "));
  }
}
