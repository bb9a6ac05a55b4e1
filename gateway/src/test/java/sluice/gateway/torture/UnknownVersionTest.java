package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines that only some versions read, while no server has told its version yet. */
class UnknownVersionTest {
  private static InetSocketAddress nobody() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return (InetSocketAddress) socket.getLocalSocketAddress();
    }
  }

  /** Whoever chose the value must not choose a command, too. */
  @ParameterizedTest
  @ValueSource(strings = {"set a\0b 0 0 9\r\n", "set \0 0 0 9\r\n", "set a 0 0 9 \0\r\n"})
  void shouldExecuteNoDataBlock(String line) throws Exception {
    try (RunningGateway gateway = RunningGateway.before(nobody()).start();
        RawClient client = new RawClient(gateway.address())) {
      client.send(line + "flush_all\r\nmn\r\n");
      assertThat(client.line()).contains("ERROR");
      assertThat(client.line()).isEqualTo("MN");
    }
  }
}
