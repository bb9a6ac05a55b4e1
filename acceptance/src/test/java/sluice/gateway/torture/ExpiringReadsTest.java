package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.testkit.scripted.ScriptedServer;

/**
 * Reads whose connection is lost, and whose item expires when the server executes them. Sent again,
 * they would find no item.
 */
class ExpiringReadsTest {
  private static final String RULE = "{pool: p}";
  private static final String RETRIES = "retries: {max: 1}";

  /** Loses its connection at each request that does not only read. */
  private static void lose(ScriptedServer.Request request) throws IOException {
    if (!request.line().startsWith("get ")) {
      request.socket().close();
    }
  }

  private static void assertLost(String reply) {
    assertThat(reply).startsWith("SERVER_ERROR ").contains("closed the connection");
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(
      strings = {
        "gat -1 k",
        "gats -1 k",
        "gat  -1 k",
        "gat 2592001 k",
        "gat -1 k l",
        "gat  -1 k l",
        "mg k v T-1",
        "mg k T-1",
        "mg k v T2592001"
      })
  void shouldNotBeRetried(String line) throws IOException {
    try (Scenario scenario = new Scenario()) {
      ScriptedServer server = scenario.scripted(ExpiringReadsTest::lose);
      scenario.gateway(RULE, Scenario.pool("p", RETRIES, server.address()));
      assertLost(scenario.client().ask(line + "\r\n"));
      assertThat(server.lines()).hasSize(1);
    }
  }

  /** Their times to live have not passed: the server has the item as before. */
  @ParameterizedTest(name = "{0}")
  @ValueSource(
      strings = {
        "gat 0 k",
        "gat 2592000 k",
        "gat 2147483647 k",
        "gat 10 k l",
        "mg k v T0",
        "mg k v T2147483647"
      })
  void shouldBeRetriedIfTheItemStays(String line) throws IOException {
    try (Scenario scenario = new Scenario()) {
      ScriptedServer server = scenario.scripted(ExpiringReadsTest::lose);
      scenario.gateway(RULE, Scenario.pool("p", RETRIES, server.address()));
      assertThat(scenario.client().ask(line + "\r\n")).startsWith("SERVER_ERROR ");
      assertThat(server.lines()).hasSize(2);
    }
  }

  @Test
  void shouldNotBeRetriedOnOneOfSeveralServers() throws IOException {
    try (Scenario scenario = new Scenario()) {
      ScriptedServer one = scenario.scripted(ExpiringReadsTest::lose);
      ScriptedServer two = scenario.scripted(ExpiringReadsTest::lose);
      scenario.gateway(RULE, Scenario.pool("p", RETRIES, one.address(), two.address()));
      StringBuilder line = new StringBuilder("gat -1");
      for (int i = 0; i < 40; i++) {
        line.append(" key").append(i);
      }
      assertLost(scenario.client().ask(line + "\r\n"));
      assertThat(one.lines()).hasSizeLessThan(2);
      assertThat(two.lines()).hasSizeLessThan(2);
    }
  }

  /** The server may have executed it: the read before it, sent again, would see that. */
  @Test
  void shouldCountAsChangesForReadsBeforeThem() throws IOException {
    try (Scenario scenario = new Scenario()) {
      ScriptedServer server = scenario.scripted(ExpiringReadsTest::lose);
      scenario.gateway(RULE, Scenario.pool("p", RETRIES, server.address()));
      RawClient client = scenario.client();
      client.send("get k\r\ngat -1 k\r\n");
      assertLost(client.line());
      assertLost(client.line());
      assertThat(server.lines()).containsExactly("get k", "gat -1 k");
    }
  }
}
