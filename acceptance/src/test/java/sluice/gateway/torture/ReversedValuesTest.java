package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.testkit.scripted.ScriptedServer;

/** Servers that answer a get of several keys in another order than requested, as proxies may. */
class ReversedValuesTest {
  private static final int ATTEMPTS = 4; // each server fails once

  private final Scenario scenario = new Scenario();

  @AfterEach
  void end() {
    scenario.close();
  }

  private ScriptedServer server() throws IOException {
    return scenario.scripted(ReversedValuesTest::reverse).version("0.5.0");
  }

  private static void reverse(ScriptedServer.Request request) throws IOException {
    List<String> keys = request.keys();
    StringBuilder reply = new StringBuilder();
    for (int i = keys.size() - 1; i >= 0; i--) {
      reply.append("VALUE " + keys.get(i) + " 0 1\r\nx\r\n");
    }
    request.reply(reply + "END\r\n");
  }

  /** The keys of the values in a reply, or an error line in their place. */
  private static List<String> keysOf(RawClient client) throws IOException {
    List<String> keys = new ArrayList<>();
    for (String line = client.line(); !line.equals("END"); line = client.line()) {
      if (line.startsWith("SERVER_ERROR ")) {
        return List.of(line);
      }
      keys.add(line.split(" ", -1)[1]);
      assertThat(client.line()).isEqualTo("x");
    }
    return keys;
  }

  @Test
  void shouldPassThemOnIfOneServerHasAll() throws Exception {
    ScriptedServer server = server();
    scenario.gateway("{pool: main}", Scenario.pool("main", "", server.address()));
    RawClient client = scenario.client();
    for (int i = 0; i < 2; i++) {
      assertThat(keysOf(client.send("get a b c\r\n"))).containsExactly("c", "b", "a");
    }
    assertThat(server.closedByPeer()).isZero();
    assertThat(server.lines()).containsExactly("get a b c", "get a b c");
  }

  @Test
  void shouldAskForEachByItselfIfTheyArePutTogether() throws Exception {
    scenario.gateway(
        "{pool: main}", Scenario.pool("main", "", server().address(), server().address()));
    RawClient client = scenario.client();
    List<String> keys = IntStream.range(0, 16).mapToObj(i -> "k" + i).toList();
    String request = "get " + String.join(" ", keys) + "\r\n";
    List<String> found = keysOf(client.send(request));
    assertThat(found).hasSize(1).allMatch(line -> line.startsWith("SERVER_ERROR "));
    for (int i = 1; i < ATTEMPTS && found.size() == 1; i++) {
      found = keysOf(client.send(request));
    }
    assertThat(found).isEqualTo(keys);
  }
}
