package sluice.config.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressBlockTest {
  private static AddressBlock block(String text) {
    return AddressBlock.parse(text).orElseThrow();
  }

  private static InetAddress address(String ip) throws UnknownHostException {
    return InetAddress.getByName(ip);
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.0/8, 10.255.255.255, 11.0.0.0",
    "10.0.0.0/8, 10.0.0.0, 9.255.255.255",
    "10.1.2.0/23, 10.1.3.255, 10.1.4.0",
    "10.1.2.4/30, 10.1.2.7, 10.1.2.8",
    "128.0.0.0/1, 255.1.1.1, 127.255.255.255",
    "192.0.2.7, 192.0.2.7, 192.0.2.6",
    "192.0.2.7/32, 192.0.2.7, 192.0.2.8",
    "0.0.0.0/0, 203.0.113.1, ::1",
    "::/0, 2001:db8::1, 203.0.113.1",
    "2001:db8::/32, 2001:db8:ffff::1, 2001:db9::",
    "2001:db8::8/125, 2001:db8::f, 2001:db8::10",
    "::1, ::1, ::2",
    "::1/128, ::1, ::",
    "::ffff:10.0.0.0/104, 10.9.9.9, 11.0.0.1",
    "::ffff:192.0.2.7, 192.0.2.7, ::192.0.2.7",
    "10.0.0.0/8, ::ffff:10.1.2.3, ::10.1.2.3"
  })
  void shouldHoldTheAddressesThatBeginAlike(String text, String inside, String outside)
      throws Exception {
    assertThat(block(text).contains(address(inside))).as(inside).isTrue();
    assertThat(block(text).contains(address(outside))).as(outside).isFalse();
  }

  /** Java makes an IPv4 address of such a one unless it has a zone, as sockets may tell it. */
  @Test
  void shouldKnowAnAddressOfTheOtherFamilyForWhatItStandsFor() throws Exception {
    byte[] mapped = new byte[16];
    mapped[10] = mapped[11] = (byte) 0xFF;
    mapped[12] = 10;
    mapped[15] = 1;
    InetAddress address = Inet6Address.getByAddress(null, mapped, 2);
    assertThat(address.getAddress()).hasSize(16);
    assertThat(block("10.0.0.0/24").contains(address)).isTrue();
    assertThat(block("10.0.1.0/24").contains(address)).isFalse();
    assertThat(block("::/0").contains(address)).isFalse();
  }

  @Test
  void shouldNotLookAtTheZone() throws Exception {
    byte[] local = address("fe80::1").getAddress();
    assertThat(block("fe80::/10").contains(Inet6Address.getByAddress(null, local, 3))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/8",
        "10.0.0.0/",
        "10.0.0.0/-1",
        "10.0.0.0/+8",
        "10.0.0.0/08",
        "10.0.0.0/33",
        "10.0.0.1/8",
        "10.0.0.0/8/8",
        "10.0.0/8",
        "010.0.0.0/8",
        "10.0.0.0 /8",
        "2001:db8::/129",
        "2001:db8::1/64",
        "[2001:db8::]/32",
        "fe80::1%eth0",
        "::ffff:10.0.0.0/64",
        "::ffff:10.0.0.1/104",
        "proxy.example",
        "proxy.example/8",
        "10.0.0.1:80"
      })
  void shouldRefuseWhatIsNoBlock(String text) {
    assertThat(AddressBlock.parse(text)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.0/8, 10.0.0.0/8",
    "10.0.0.1/32, 10.0.0.1",
    "10.0.0.1, 10.0.0.1",
    "0.0.0.0/0, 0.0.0.0/0",
    "2001:DB8::/32, 2001:db8:0:0:0:0:0:0/32",
    "::1, 0:0:0:0:0:0:0:1",
    "::ffff:10.0.0.0/104, 10.0.0.0/8"
  })
  void shouldBeWrittenAsItIsRead(String text, String label) {
    assertThat(block(text).label()).isEqualTo(label);
    assertThat(block(label)).isEqualTo(block(text)).hasSameHashCodeAs(block(text));
  }

  @Test
  void shouldTrustWhoLiesInOneOfTheBlocks() throws Exception {
    ProxyProtocolConfig proxies =
        new ProxyProtocolConfig(List.of(block("10.0.0.0/8"), block("::1")));
    assertThat(proxies.trusts(address("10.1.1.1"))).isTrue();
    assertThat(proxies.trusts(address("::1"))).isTrue();
    assertThat(proxies.trusts(address("127.0.0.1"))).isFalse();
    assertThat(new ProxyProtocolConfig(List.of()).trusts(address("10.1.1.1"))).isFalse();
  }
}
