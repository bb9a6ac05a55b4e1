package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.testkit.scripted.ScriptedServer;

/**
 * Servers that speak memcached's text protocol, and are not memcached. They answer {@code ERROR} to
 * a meta command, and would run the value of an {@code ms} as commands.
 */
class ForeignServersTest {
  private static final String LARGE = "flush_all\r\n".repeat(20_000);

  private final Scenario scenario = new Scenario();
  private ScriptedServer server;
  private RawClient client;

  private void gateway(String version, String more) throws IOException {
    server = scenario.scripted(ForeignServersTest::behave).version(version);
    scenario.gateway("{pool: main}", Scenario.pool("main", more, server.address()));
    client = scenario.client();
  }

  private static void behave(ScriptedServer.Request request) throws IOException {
    String line = request.line();
    if (line.startsWith("ms ")) {
      int opaque = line.indexOf(" O");
      request.reply("HD" + (opaque < 0 ? "" : line.substring(opaque)) + "\r\n");
    } else {
      ScriptedServer.behave(request);
    }
  }

  @AfterEach
  void end() {
    scenario.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Hazelcast",
        "mcrouter 41.0",
        "0.5.0",
        "1.8.1",
        "2.6.0",
        "3.0.3",
        "14.0.1.Final",
        "v1.6.45"
      })
  void shouldNeverGetAValueThatTheyWouldRun(String version) throws Exception {
    gateway(version, "");
    assertThat(client.ask("ms k 9\r\nflush_all\r\nmn\r\n")).isEqualTo("ERROR");
    assertThat(client.line()).isEqualTo("MN");
    client.send("ms k " + LARGE.length() + "\r\n");
    client.send(LARGE.getBytes(StandardCharsets.ISO_8859_1));
    assertThat(client.ask("\r\nmn\r\n")).isEqualTo("ERROR");
    assertThat(client.line()).isEqualTo("MN");
    assertThat(client.ask("mg k v\r\n")).isEqualTo("ERROR");
    assertThat(client.ask("gat 0 k\r\n")).isEqualTo("ERROR");
    assertThat(Scenario.set(client, "k", "x")).isEqualTo("STORED");
    assertThat(Scenario.get(client, "k")).isEqualTo("k");
    assertThat(server.lines()).containsExactly("set k 0 0 1", "get k");
  }

  @ParameterizedTest
  @ValueSource(strings = {"Hazelcast", "3.0.3"})
  void shouldGetClassicTextThoughMetaIsConfigured(String version) throws Exception {
    gateway(version, "dialect: meta");
    assertThat(Scenario.set(client, "k", "flush_all")).isEqualTo("STORED");
    assertThat(server.lines()).containsExactly("set k 0 0 9");
  }

  /** The last one is of a memcached that was built from Git without tags. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "1.6.12",
        "1.6.18_beta",
        "1.6.45 (Ubuntu)",
        "1.6.45-3-gabcdef",
        "1.6.45_3_gabcdef",
        "1.6.38+dfsg",
        "UNKNOWN"
      })
  void shouldNotBeTakenForOneIfTheyAreMemcached(String version) throws Exception {
    gateway(version, "");
    assertThat(client.ask("ms k 9\r\nflush_all\r\n")).isEqualTo("HD");
    assertThat(server.lines()).hasSize(1).allMatch(line -> line.startsWith("ms k 9"));
  }
}
