package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.testkit.Patience;
import sluice.testkit.scripted.ScriptedServer;

/** What a bridge makes of what servers say, and of what they should not. */
class BridgedRepliesTest {
  private static RunningGateway gateway(ScriptedServer server, String dialect) {
    return RunningGateway.before(server.address()).dialect(dialect).start();
  }

  @Test
  void shouldSpeakClassicTextToAServerTooOldForMeta() throws Exception {
    try (ScriptedServer server =
            new ScriptedServer(
                    request -> {
                      if (request.line().startsWith("gets ")) {
                        request.reply("VALUE k 5 3 77\r\nabc\r\nEND\r\n");
                      } else {
                        request.reply("ERROR\r\n");
                      }
                    })
                .version("1.4.15");
        RunningGateway gateway = gateway(server, "meta");
        RawClient client = new RawClient(gateway.address())) {
      assertThat(client.ask("gets k\r\n")).isEqualTo("VALUE k 5 3 77");
      assertThat(client.line()).isEqualTo("abc");
      assertThat(client.line()).isEqualTo("END");
      assertThat(server.lines()).containsExactly("gets k");
    }
  }

  @ParameterizedTest(name = "{0}, {1}: {2}")
  @CsvSource({
    "meta, get k, VA 3 f0 O999\\r\\nabc\\r\\n",
    "meta, get k, VA 3 f0\\r\\nabc\\r\\n",
    "meta, get k, HD f0 O1\\r\\n",
    "meta, get k, VALUE k 0 3\\r\\nabc\\r\\nEND\\r\\n",
    "meta, get k, VA 3 fx O1\\r\\nabc\\r\\n",
    "meta, get k, VA -3 f0 O1\\r\\nabc\\r\\n",
    "meta, delete k, VA 3 O1\\r\\nabc\\r\\n",
    "meta, delete k, STORED\\r\\n",
    "meta, incr k 1, VA 3 O1\\r\\nabc\\r\\n",
    "meta, incr k 1, VA 2 O1\\r\\n123\\r\\n",
    "meta, touch k 0, EN O12\\r\\n",
    "text, mg k v, VALUE other 0 3\\r\\nabc\\r\\nEND\\r\\n",
    "text, mg k v, VALUE k x 3\\r\\nabc\\r\\nEND\\r\\n",
    "text, mg k v c, VALUE k 0 3 x\\r\\nabc\\r\\nEND\\r\\n",
    "text, mg k v, VALUE k 0 3\\r\\nabcd\\r\\nEND\\r\\n",
    "text, mg k v, VA 3\\r\\nabc\\r\\n",
    "text, md k, STORED\\r\\n",
    "text, ma k v, x12\\r\\n"
  })
  void shouldFailARequestThatGetsNoReplyToIt(String dialect, String line, String escaped)
      throws Exception {
    String reply = escaped.translateEscapes();
    try (ScriptedServer server = new ScriptedServer(request -> request.reply(reply));
        RunningGateway gateway = gateway(server, dialect);
        RawClient client = new RawClient(gateway.address())) {
      assertThat(client.ask(line + "\r\n"))
          .startsWith("SERVER_ERROR ")
          .contains("broke the protocol");
      assertThat(Patience.soon(() -> closed(server)))
          .as("the connection is not used any more")
          .isTrue();
      assertThat(client.ask("mn\r\n")).isEqualTo("MN");
    }
  }

  private static boolean closed(ScriptedServer server) {
    return server.closedByPeer() > 0;
  }

  @ParameterizedTest(name = "{0}, {1}: {2}")
  @CsvSource({
    "meta, get k, SERVER_ERROR out of memory writing get response",
    "meta, incr k 1, CLIENT_ERROR cannot increment or decrement non-numeric value",
    "text, mg k v, SERVER_ERROR backend failure",
    "text, md k, CLIENT_ERROR bad command line format"
  })
  void shouldPassOnTheServersOwnErrors(String dialect, String line, String error)
      throws IOException {
    try (ScriptedServer server = new ScriptedServer(request -> request.reply(error + "\r\n"));
        RunningGateway gateway = gateway(server, dialect);
        RawClient client = new RawClient(gateway.address())) {
      assertThat(client.ask(line + "\r\n")).isEqualTo(error);
      assertThat(client.ask(line + "\r\n")).isEqualTo(error);
      assertThat(server.closedByPeer()).isZero();
    }
  }

  @Test
  void shouldCloseTheClientWhoseValueWillNeverBeWhole() throws Exception {
    int length = 200_000;
    try (ScriptedServer server =
            new ScriptedServer(
                request -> {
                  request.reply("VA " + length + " f0 O1\r\n" + "x".repeat(100_000));
                  Thread.sleep(100);
                  request.socket().close();
                });
        RunningGateway gateway = gateway(server, "meta");
        RawClient client = new RawClient(gateway.address())) {
      client.send("get k\r\n");
      assertThat(client.line()).isEqualTo("VALUE k 0 " + length);
      byte[] rest = client.readToEnd(Patience.LIMIT);
      assertThat(rest.length).isLessThan(length);
    }
  }
}
