package sluice.gateway.torture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.testkit.scripted.ScriptedServer;

/**
 * Replies that break the protocol when the client already has the beginning of their value. The
 * client counts the value's bytes: it must get all of them, or no more bytes at all.
 */
class BrokenBehindAValueTest {
  private static final int LENGTH = 100_000;
  private static final int FIRST = 60_000;
  private static final String HEAD = "VALUE k 0 " + LENGTH + "\r\n";

  @ParameterizedTest(name = "value followed by {0}")
  @CsvSource({"'\\r\\nEVIL\\r\\n', true", "'XXEND\\r\\n', false", "'\\rXEND\\r\\n', false"})
  void shouldNeverCutTheValueShort(String escaped, boolean complete) throws Exception {
    String behind = escaped.translateEscapes();
    try (ScriptedServer server =
            new ScriptedServer(
                request -> {
                  if (!request.line().equals("get k")) {
                    ScriptedServer.behave(request);
                    return;
                  }
                  request.reply(HEAD + "v".repeat(FIRST));
                  TimeUnit.MILLISECONDS.sleep(300); // the client has got that part
                  request.reply("v".repeat(LENGTH - FIRST) + behind);
                });
        RunningGateway gateway = RunningGateway.before(server.address()).timeout("20s").start();
        RawClient client = new RawClient(gateway.address())) {
      client.send("get k\r\n");
      String whole = HEAD + "v".repeat(LENGTH) + "\r\n";
      if (!complete) {
        String got = new String(client.readToEnd(Duration.ofSeconds(20)), ISO_8859_1);
        assertThat(got.length()).isLessThanOrEqualTo(whole.length());
        assertThat(whole).startsWith(got);
        return;
      }
      assertThat(new String(client.read(whole.length()), ISO_8859_1)).isEqualTo(whole);
      assertThat(client.line()).startsWith("SERVER_ERROR").contains("broke the protocol");
      assertThat(client.ask("get other\r\n")).isEqualTo("VALUE other 0 5");
    }
  }
}
