package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.testkit.scripted.ScriptedServer;

/**
 * Lines that memcached before 1.6.14, and its built-in proxy, close a connection for, with the
 * requests of all clients on it.
 */
class LongLinesTest {
  private static final int LONGEST_LINE = 1024; // with its line end
  private static final String REFUSAL = "CLIENT_ERROR bad command line format";
  private static final String HINT = " P" + "x".repeat(LONGEST_LINE);

  private final Scenario scenario = new Scenario();
  private ScriptedServer server;
  private RawClient client;

  @BeforeEach
  void start() throws IOException {
    server = scenario.scripted(LongLinesTest::behave).version("1.6.12");
    scenario.gateway("{pool: main}", Scenario.pool("main", "", server.address()));
    client = scenario.client();
  }

  private static void behave(ScriptedServer.Request request) throws IOException {
    if (request.line().startsWith("gat")) {
      request.reply("END\r\n");
    } else if (request.line().startsWith("m")) {
      request.reply("HD\r\n");
    } else {
      ScriptedServer.behave(request);
    }
  }

  @AfterEach
  void end() {
    scenario.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"mg k v", "md k", "ma k"})
  void shouldRefuseALongMetaLine(String line) throws Exception {
    assertThat(client.ask(line + HINT + "\r\nget k\r\n")).isEqualTo(REFUSAL);
    assertThat(client.line()).isEqualTo("VALUE k 0 1");
    assertThat(server.lines()).containsExactly("get k");
  }

  @ParameterizedTest
  @ValueSource(ints = {9, 70_000})
  void shouldRefuseALongMetaSetWithItsValue(int length) throws Exception {
    String value = "flush_all" + "x".repeat(length - 9);
    client.send("ms k " + length + HINT + "\r\n" + value);
    assertThat(client.ask("\r\nget k\r\n")).isEqualTo(REFUSAL);
    assertThat(client.line()).isEqualTo("VALUE k 0 1");
    assertThat(server.lines()).containsExactly("get k");
  }

  @Test
  void shouldPassTheLongestMetaLine() throws Exception {
    String line = "mg k v P" + "x".repeat(LONGEST_LINE - "mg k v P\r\n".length());
    assertThat(client.ask(line + "\r\n")).isEqualTo("HD");
    assertThat(server.lines()).containsExactly(line);
    assertThat(client.ask(line + "x\r\n")).isEqualTo(REFUSAL);
  }

  @ParameterizedTest
  @ValueSource(strings = {"gat", "gats"})
  void shouldSplitALongReadThatTouches(String verb) throws Exception {
    String keys =
        IntStream.range(1000, 1300).mapToObj(Integer::toString).collect(Collectors.joining(" "));
    assertThat(client.ask(verb + " 0 " + keys + "\r\nmn\r\n")).isEqualTo("END");
    assertThat(client.line()).isEqualTo("MN");
    assertThat(server.lines())
        .hasSizeGreaterThan(1)
        .allMatch(line -> line.startsWith(verb + " 0 ") && line.length() < LONGEST_LINE);
    assertThat(
            server.lines().stream()
                .map(line -> line.substring(verb.length() + 3))
                .collect(Collectors.joining(" ")))
        .isEqualTo(keys);
  }
}
