package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import sluice.gateway.fixtures.RealMemcached;
import sluice.testkit.scripted.ScriptedServer;

/** Meta requests whose keys a rule rewrites, and that share a server connection with others. */
class RewrittenMetaKeysTest {
  private static final Pattern OPAQUE = Pattern.compile(" O(\\d+)");
  private static final int LONGEST_LINE = 1024; // with its line end

  private static String adding(String prefix) {
    return "{pool: a, key: {add: \"" + prefix + "\"}}";
  }

  /** memcached forgets that the key was written in base64 when it appends to an item. */
  @Test
  void shouldShowTheKeyOfAnItemThatTheServerNamesByRawBytes() throws Exception {
    try (RealMemcached server = RealMemcached.start();
        RunningGateway gateway =
            RunningGateway.routed(
                1, adding("tenant1/"), RunningGateway.pools("", server.address()));
        RawClient neighbour = new RawClient(gateway.address());
        RawClient client = new RawClient(gateway.address())) {
      assertThat(neighbour.ask("set n 0 0 1\r\nx\r\n")).isEqualTo("STORED");
      for (String key : List.of("IGI=", "YWJjZCBi", "YQli")) { // " b", "abcd b", "a\tb"
        client.send("ms " + key + " 1 b\r\nx\r\nms " + key + " 1 b MA\r\ny\r\n");
        neighbour.send("get n\r\n");
        client.send("mg " + key + " b k\r\n");

        assertThat(client.line()).isEqualTo("HD");
        assertThat(client.line()).isEqualTo("HD");
        assertThat(client.line()).isEqualTo("HD k" + key + " b");
        assertThat(neighbour.line()).isEqualTo("VALUE n 0 1");
        assertThat(neighbour.line()).isEqualTo("x");
        assertThat(neighbour.line()).isEqualTo("END");
      }
    }
  }

  /** Some servers close a connection whose line is longer than that, with all requests on it. */
  @Test
  void shouldSendNoLineThatIsTooLongBecauseOfANewKeyAndAnOpaque() throws Exception {
    try (ScriptedServer server = new ScriptedServer(RewrittenMetaKeysTest::echo)) {
      server.version("1.6.45");
      for (String prefix : List.of("v", "v2:", "users2:", "a/prefix/of/22/bytes/:")) {
        try (RunningGateway gateway =
                RunningGateway.routed(
                    1, adding(prefix), RunningGateway.pools("", server.address()));
            RawClient client = new RawClient(gateway.address())) {
          for (String key : List.of("YWFh b", "aaa")) {
            for (int more = 926; more < 1012; more++) {
              client.send("mg " + key + " P" + "x".repeat(more) + "\r\n");
              assertThat(client.line()).matches("HD|CLIENT_ERROR .*");
            }
          }
        }
      }
      assertThat(server.lines()).anyMatch(line -> OPAQUE.matcher(line).find());
      assertThat(server.lines()).allMatch(line -> line.length() + 2 <= LONGEST_LINE);
    }
  }

  private static void echo(ScriptedServer.Request request) throws java.io.IOException {
    Matcher opaque = OPAQUE.matcher(request.line());
    request.reply(opaque.find() ? "HD O" + opaque.group(1) + "\r\n" : "HD\r\n");
  }
}
