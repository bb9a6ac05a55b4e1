package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.gateway.fixtures.RealMemcached;

/**
 * A NUL in the key of a text client whose requests take the neutral form
 * (docs/reference/bridging.md).
 */
class BridgedNulTest {
  @ParameterizedTest
  @ValueSource(strings = {"meta", "binary"})
  void shouldEndALineAtItsFirstNulAsServersBefore1640Do(String dialect) throws Exception {
    try (RealMemcached server = RealMemcached.start();
        RunningGateway gateway =
            RunningGateway.before(server.address()).dialect(dialect).timeout("20s").start();
        RawClient client = new RawClient(gateway.address())) {
      assertThat(client.ask("set a 0 0 1\r\nv\r\n")).isEqualTo("STORED"); // the version is known
      assertThat(client.ask("touch a 0\0 x y z\r\n")).isEqualTo("TOUCHED");
      assertThat(client.ask("delete b\0 noreply\r\n")).isEqualTo("NOT_FOUND");
      assertThat(client.ask("delete a\0b\r\n")).isEqualTo("DELETED");
      assertThat(client.ask("get a\r\n")).isEqualTo("END");
    }
  }
}
