package sluice.config.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AddressTest {
  @ParameterizedTest
  @CsvSource({
    "127.0.0.1:1,         127.0.0.1:1,                true",
    "127.0.0.1:1,         127.0.0.1:2,                false",
    "127.0.0.1:1,         127.0.0.2:1,                false",
    "127.0.0.1:0,         127.0.0.1:0,                false",
    "127.0.0.1:1,         localhost:1,                true",
    "127.0.0.1:1,         LOCALHOST:1,                true",
    "[::1]:1,             localhost:1,                true",
    "localhost:1,         localhost:1,                true",
    "127.0.0.2:1,         localhost:1,                false",
    "[::1]:1,             127.0.0.1:1,                false",
    "[::1]:1,             '[0:0:0:0:0:0:0:1]:1',      true",
    "[2001:db8::a]:1,     '[2001:DB8:0:0::A]:1',      true",
    "[2001:db8::a]:1,     '[2001:db8::b]:1',          false",
    "[::ffff:10.0.0.1]:1, 10.0.0.1:1,                 true",
    "0.0.0.0:1,           10.0.0.1:1,                 true",
    "0.0.0.0:1,           name:1,                     true",
    "[::]:1,              0.0.0.0:1,                  true",
    "[0:0::0]:1,          10.0.0.1:1,                 true",
    "name:1,              name:1,                     true",
    "name:1,              other:1,                    false",
    "unix:/a,             unix:/a,                    true",
    "unix:/a,             unix:/b,                    false",
    "unix:/a,             0.0.0.0:1,                  false",
  })
  void shouldOverlapHoweverItIsWritten(String one, String other, boolean overlaps) {
    Address first = Address.parse(one).orElseThrow();
    Address second = Address.parse(other).orElseThrow();
    assertThat(first.overlaps(second)).isEqualTo(overlaps);
    assertThat(second.overlaps(first)).isEqualTo(overlaps);
  }
}
