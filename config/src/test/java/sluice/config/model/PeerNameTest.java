package sluice.config.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PeerNameTest {
  @ParameterizedTest
  @CsvSource({
    "10.0.0.1, 10.0.0.1, true",
    "10.0.0.1, 10.0.0.2, false",
    "10.0.0.1:7000, 10.0.0.1, true",
    "10.2.0.0/15, 10.3.255.255, true",
    "10.2.0.0/15, 10.4.0.0, false",
    "10.2.0.0/15, 10.1.255.255, false",
    "0.0.0.0/0, 192.0.2.1, true",
    "0.0.0.0/0, 2001:db8::1, false",
    "::/0, 2001:db8::1, true",
    "2001:db8::/33, 2001:db8:7fff::1, true",
    "2001:db8::/33, 2001:db8:8000::1, false",
    "'[2001:db8::1]:7000', 2001:db8::1, true"
  })
  void shouldCoverWhatBeginsWithItsBits(String peer, String address, boolean covered)
      throws Exception {
    assertThat(PeerName.parse(peer).orElseThrow().covers(InetAddress.getByName(address)))
        .isEqualTo(covered);
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.1, 10.0.0.1",
    "10.0.0.1:7000, 10.0.0.1:7000",
    "10.0.0.0/8, 10.0.0.0/8",
    "10.0.0.1/32, 10.0.0.1",
    "'[2001:db8::1]:7000', '[2001:db8:0:0:0:0:0:1]:7000'",
    "2001:db8::/32, 2001:db8:0:0:0:0:0:0/32"
  })
  void shouldBePrintedAsItMayBeWritten(String peer, String label) {
    assertThat(PeerName.parse(peer).orElseThrow().label()).isEqualTo(label);
    assertThat(PeerName.parse(label)).isEqualTo(PeerName.parse(peer));
  }
}
