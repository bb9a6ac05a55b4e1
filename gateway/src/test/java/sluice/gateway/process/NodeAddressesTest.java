package sluice.gateway.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.config.model.Address;

/** Addresses of servers in the configuration, compared with those that nodes state. */
class NodeAddressesTest {
  @ParameterizedTest
  @CsvSource({
    "10.0.0.1, 7000, true",
    "10.0.0.2, 7000, false",
    "10.0.0.1, 7001, false",
    "node.example, 7000, false",
  })
  void shouldCompareAddressesOfIpv4(String host, int port, boolean same) {
    InetSocketAddress node = new InetSocketAddress("10.0.0.1", 7000);
    assertThat(NodeAddresses.isAddress(new Address.Tcp(host, port), node)).isEqualTo(same);
  }

  @ParameterizedTest
  @CsvSource({
    "2001:db8::2, true",
    "2001:db8:0:0:0:0:0:2, true",
    "2001:0db8::0002, true",
    "2001:db8::3, false",
  })
  void shouldCompareAddressesOfIpv6HoweverTheyAreWritten(String host, boolean same) {
    InetSocketAddress node = new InetSocketAddress("2001:db8:0:0:0:0:0:2", 7000);
    assertThat(NodeAddresses.isAddress(new Address.Tcp(host, 7000), node)).isEqualTo(same);
  }
}
