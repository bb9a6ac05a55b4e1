package sluice.gateway.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import org.junit.jupiter.api.Tag;
import sluice.codecs.memcached.binary.Opcode;
import sluice.config.model.Credentials;
import sluice.gateway.server.health.ServerStatus.Side;

/** Nothing that a server says makes it be told the password twice, or shows it. */
@Tag("long") // its instrumentation would slow down every other test of the module
class ProbeFuzzTest {
  private static final Credentials APP = new Credentials("app", "hunter2");

  @FuzzTest(maxDuration = "60s")
  void shouldLogInOnceByTextWhateverIsAnswered(FuzzedDataProvider data) {
    converse(Side.TEXT, "CLIENT_ERROR unauthenticated\r\n", data);
  }

  @FuzzTest(maxDuration = "60s")
  void shouldLogInOnceByBinaryWhateverIsAnswered(FuzzedDataProvider data) {
    String version = ProbeTest.packet(Opcode.VERSION, 0, "1.6.45");
    converse(Side.BINARY, version + ProbeTest.packet(Opcode.SASL_LIST, 0, "PLAIN"), data);
  }

  private static void converse(Side side, String wanted, FuzzedDataProvider data) {
    int logins = 0;
    try (ProbedServer server = new ProbedServer(side, APP)) {
      if (data.consumeBoolean()) {
        server.answer(wanted);
      }
      logins += logins(server);
      while (data.remainingBytes() > 0 && server.state().equals("waits")) {
        byte[] read = data.consumeBytes(data.consumeInt(1, 64));
        server.answer(new String(read, ISO_8859_1));
        logins += logins(server);
      }
      assertThat(server.state()).doesNotContain(APP.password());
    }
    assertThat(logins).isLessThanOrEqualTo(1);
  }

  private static int logins(ProbedServer server) {
    return server.asked().split(APP.password(), -1).length - 1;
  }
}
