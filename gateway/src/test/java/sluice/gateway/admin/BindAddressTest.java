package sluice.gateway.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.net.SocketAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BindAddressTest {
  @ParameterizedTest
  @CsvSource({
    "127.0.0.1:9901, 127.0.0.1, 9901",
    "0.0.0.0:0, 0.0.0.0, 0",
    "localhost:65535, localhost, 65535",
    "[::1]:9901, ::1, 9901"
  })
  void shouldReadAndWriteAddresses(String written, String host, int port) {
    SocketAddress address = BindAddress.parse(written);
    assertThat(address.host()).isEqualTo(host);
    assertThat(address.port()).isEqualTo(port);
    assertThat(BindAddress.format(host, port)).isEqualTo(written);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "9901",
        ":9901",
        "localhost",
        "localhost:",
        "localhost:65536",
        "localhost:-1",
        "localhost:1e3",
        "::1:9901",
        "[]:1",
        "localhost:123456",
        "localhost:+1"
      })
  void shouldRefuseWhatIsNoAddress(String written) {
    assertThatThrownBy(() -> BindAddress.parse(written))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("found '" + written + "', expected host:port");
  }
}
