package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.testkit.FreePort;

/** Lines that only some versions read, while no server has told its version yet. */
class UnknownVersionTest {
  /** Whoever chose the value must not choose a command, too. */
  @ParameterizedTest
  @ValueSource(strings = {"set a\0b 0 0 9\r\n", "set \0 0 0 9\r\n", "set a 0 0 9 \0\r\n"})
  void shouldExecuteNoDataBlock(String line) throws Exception {
    try (RunningGateway gateway = RunningGateway.before(FreePort.address()).start();
        RawClient client = new RawClient(gateway.address())) {
      client.send(line + "flush_all\r\nmn\r\n");
      assertThat(client.line()).contains("ERROR");
      assertThat(client.line()).isEqualTo("MN");
    }
  }
}
