package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import sluice.testkit.scripted.ScriptedServer;

/**
 * Lines that versions read differently, on a route whose first server is older than the embedded
 * store: the store executes what the rules were asked about, and nothing else.
 */
class EmbeddedNulTest {
  private final Scenario scenario = new Scenario();
  private RawClient client;

  @BeforeEach
  void start() throws IOException {
    ScriptedServer server = scenario.scripted(ScriptedServer::behave);
    server.version("1.6.39");
    scenario.gateway(
        "{match: {prefix: \"old:\"}, pool: old}, {match: {prefix: \"admin:\", commands: [get, gat,"
            + " mg, md, me, set, delete]}, reject: not you}, {pool: store}",
        Scenario.pool("old", "", server.address()),
        "store: {protocol: embedded, size: 16MiB}");
    client = scenario.client();
    assertThat(Scenario.set(client, "old:k", "v")).isEqualTo("STORED"); // its version is known
    assertThat(client.ask("add admin:12 0 0 6\r\nsecret\r\n")).isEqualTo("STORED");
    assertThat(client.ask("get admin:12\r\n")).isEqualTo("SERVER_ERROR not you");
  }

  @AfterEach
  void end() {
    scenario.close();
  }

  @Test
  void shouldNotReadKeysBehindANul() throws IOException {
    assertThat(client.ask("get x\0 admin:12\r\n")).isEqualTo("END");
    assertThat(client.ask("gat 0 x\0 admin:12\r\n")).isEqualTo("END");
    assertThat(client.ask("mg YWRtaW46MTI=\0 b v\r\n")).isEqualTo("EN");
    assertThat(client.ask("md YWRtaW46MTI=\0 b\r\n")).isEqualTo("NF");
    shouldStillBeThere();
  }

  @Test
  void shouldInspectTheKeyThatTheRulesSaw() throws IOException {
    // Before 1.6.40, three tokens are enough for a key in base64, and the store wants four.
    assertThat(client.ask("me YWRtaW46MTI= b\r\n")).isEqualTo("SERVER_ERROR not you");
    assertThat(client.ask("set other 0 0 1\r\nx\r\n")).isEqualTo("STORED");
    assertThat(client.ask("me b3RoZXI= b\r\n")).startsWith("ME ");
    shouldStillBeThere();
  }

  @Test
  void shouldTakeNoOtherTokenForAKeyThatIsNoBase64() throws IOException {
    assertThat(client.ask("set b 0 0 1\r\nx\r\n")).isEqualTo("STORED");
    assertThat(client.ask("set bank 0 0 1\r\nx\r\n")).isEqualTo("STORED");
    assertThat(client.ask("mg ! YWRtaW46MTI= b v\0\r\n")).isEqualTo("CLIENT_ERROR invalid flag");
    assertThat(client.ask("md ! YWRtaW46MTI= b\0\r\n")).isEqualTo("CLIENT_ERROR invalid flag");
    String undecoded = "CLIENT_ERROR error decoding key";
    assertThat(client.ask("mg ! bank\0\r\n")).isEqualTo(undecoded);
    assertThat(client.ask("md ! bank\0\r\n")).isEqualTo(undecoded);
    String refused = "CLIENT_ERROR bad command line format";
    assertThat(client.ask("me ! b x\r\n")).isEqualTo(refused);
    assertThat(client.ask("me ! b x\0\r\n")).isEqualTo(refused);
    assertThat(client.ask("touch bank 0\r\n")).isEqualTo("TOUCHED");
    shouldStillBeThere();
  }

  private void shouldStillBeThere() throws IOException {
    assertThat(client.ask("append admin:12 0 0 1\r\n!\r\n")).isEqualTo("STORED");
    assertThat(client.ask("get other\0\r\n")).isIn("END", "VALUE other 0 1");
  }
}
