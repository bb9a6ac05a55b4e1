package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.testkit.Patience;
import sluice.testkit.scripted.ScriptedServer;

/**
 * Values in replies whose line is changed on the way back, because its opaque is the gateway's:
 * small ones that are here with their line leave in one buffer with it, others behind it.
 */
class MetaValuesTest extends ClosingTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static String value(int length) {
    return "0123456789abcdef".repeat(length / 16 + 1).substring(0, length);
  }

  /** Answers with what script makes of the opaque. */
  private ScriptedServer answering(UnaryOperator<String> script) throws IOException {
    return closing(
        new ScriptedServer(
            request -> {
              String line = request.line();
              int opaque = line.indexOf(" O");
              assertThat(opaque).as("an opaque in %s", line).isPositive();
              request.reply(script.apply(line.substring(opaque)));
            }));
  }

  private RawClient clientOf(ScriptedServer server) throws Exception {
    return clientOf(server, "10s");
  }

  private RawClient clientOf(ScriptedServer server, String timeout) throws Exception {
    String pool = RunningGateway.pools(", timeout: " + timeout, server.address());
    return client(closing(RunningGateway.routed(1, "{pool: a}", pool)).address());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 100, 509, 510, 511, 512, 513, 1024, 40_000})
  void shouldBeWholeAtEveryLength(int length) throws Exception {
    String value = value(length);
    RawClient client =
        clientOf(answering(opaque -> "VA " + length + " f7" + opaque + "\r\n" + value + "\r\n"));
    client.send("mg a v f\r\nmg b v f Omine\r\nmn\r\n");
    assertThat(client.line()).isEqualTo("VA " + length + " f7");
    assertThat(client.line()).isEqualTo(value);
    assertThat(client.line()).isEqualTo("VA " + length + " f7 Omine");
    assertThat(client.line()).isEqualTo(value);
    assertThat(client.line()).isEqualTo("MN");
  }

  @ParameterizedTest
  @CsvSource({"XX", "\\rX", "X\\n", "\\n\\r", "ab\\r\\n"})
  void shouldNotBeGivenWithAWrongEnd(String escaped) throws Exception {
    String end = escaped.translateEscapes();
    ScriptedServer server = answering(opaque -> "VA 100" + opaque + "\r\n" + value(100) + end);
    RawClient client = clientOf(server);
    assertThat(client.ask("mg a v\r\n")).startsWith("SERVER_ERROR ").contains("broke the protocol");
    assertThat(Patience.within(PATIENCE, () -> server.closedByPeer() > 0)).isTrue();
    assertThat(client.ask("mn\r\n")).isEqualTo("MN");
  }

  @ParameterizedTest
  @ValueSource(ints = {5, 511, Integer.MAX_VALUE - 20, Integer.MAX_VALUE - 2, Integer.MAX_VALUE})
  void shouldNotBeReadBeyondWhatIsHere(int length) throws Exception {
    RawClient meta =
        clientOf(answering(opaque -> "VA " + length + opaque + "\r\n" + value(4)), "1s");
    assertThat(meta.ask("mg a v\r\n")).startsWith("SERVER_ERROR ");
    assertThat(meta.ask("mn\r\n")).isEqualTo("MN");
    String reply = "VALUE a 0 " + length + "\r\n" + value(4);
    RawClient classic =
        clientOf(closing(new ScriptedServer(request -> request.reply(reply))), "1s");
    assertThat(classic.ask("get a\r\n")).startsWith("SERVER_ERROR ");
    assertThat(classic.ask("mn\r\n")).isEqualTo("MN");
  }

  @Test
  void shouldNotBeGivenToWhoAskedForNone() throws Exception {
    ScriptedServer server = answering(opaque -> "VA 3" + opaque + "\r\nabc\r\n");
    RawClient client = clientOf(server);
    client.send("md a q\r\nmn\r\n"); // what a server says to it is hidden
    assertThat(client.line()).isEqualTo("MN");
    assertThat(client.ask("mg a v Olast\r\n")).isEqualTo("VA 3 Olast");
    assertThat(client.line()).isEqualTo("abc");
  }
}
