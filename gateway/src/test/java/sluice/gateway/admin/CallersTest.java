package sluice.gateway.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.net.SocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CallersTest {
  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, true",
    "127.0.0.2, false",
    "127.255.255.254, false",
    "127.0.0.6, false",
    "::1, true",
    "0:0:0:0:0:0:0:1, true",
    "::ffff:127.0.0.1, true",
    "10.0.0.1, false",
    "192.168.1.1, false",
    "0.0.0.0, false",
    "128.0.0.1, false",
    "::2, false",
    "fe80::1, false",
    "::ffff:10.0.0.1, false"
  })
  void shouldKnowAPeerOnThisMachine(String host, boolean loopback) {
    assertThat(Callers.isLoopback(SocketAddress.inetSocketAddress(40_000, host)))
        .isEqualTo(loopback);
  }

  @Test
  void shouldNotTrustWhatHasNoAddress() {
    assertThat(Callers.isLoopback(null)).isFalse();
    assertThat(Callers.isLoopback(SocketAddress.domainSocketAddress("/run/x"))).isFalse();
    assertThat(Callers.isLoopback(SocketAddress.inetSocketAddress(1, "localhost.evil.example")))
        .as("a name, which somebody else resolves")
        .isFalse();
  }
}
