package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.testkit.scripted.ScriptedServer;

/**
 * Lengths of an ms that only servers before 1.6.40 read: its value is a value, and never run as
 * requests. The server gets the length as every version reads it.
 */
class WrappedLengthsTest {
  private static final String VALUE = "flush_all\r\n";

  private static void meta(ScriptedServer.Request request)
      throws IOException, InterruptedException {
    if (request.line().startsWith("ms ")) {
      request.reply("HD" + request.line().replaceFirst(".*( O\\S+).*", "$1") + "\r\n");
    } else {
      ScriptedServer.behave(request);
    }
  }

  private final Scenario scenario = new Scenario();

  @AfterEach
  void end() {
    scenario.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"000000000011", "4294967307", "+11", "-4294967285"})
  void shouldStoreTheValue(String length) throws IOException {
    shouldStoreTheValue("{pool: main}", length);
    shouldStoreTheValue("{pool: main, ttl: {max: 3h}}", length); // takes the canonical form
  }

  private void shouldStoreTheValue(String rule, String length) throws IOException {
    ScriptedServer server = scenario.scripted(WrappedLengthsTest::meta);
    server.version("1.6.18");
    scenario.gateway(rule, Scenario.pool("main", "dialect: meta", server.address()));
    RawClient client = scenario.client();
    client.send("ms k " + length + "\r\n" + VALUE + "\r\nmn\r\n");
    assertThat(client.line()).isEqualTo("HD");
    assertThat(client.line()).isEqualTo("MN");
    assertThat(server.lines())
        .anyMatch(line -> line.startsWith("ms k 11 "))
        .noneMatch(line -> line.startsWith("flush_all"));
  }
}
