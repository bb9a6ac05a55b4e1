package sluice.config.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NodeNameTest {
  @ParameterizedTest
  @CsvSource({
    "10.0.0.1, 10.0.0.1, -1",
    "10.0.0.1:7000, 10.0.0.1, 7000",
    "2001:db8::1, 2001:db8:0:0:0:0:0:1, -1",
    "[2001:DB8:0::1], 2001:db8:0:0:0:0:0:1, -1",
    "[2001:db8::1]:7000, 2001:db8:0:0:0:0:0:1, 7000"
  })
  void shouldTakeAddressesWithAndWithoutPorts(String text, String host, int port) {
    NodeName name = NodeName.parse(text).orElseThrow();
    assertThat(name).isEqualTo(new NodeName(host, port));
    assertThat(NodeName.parse(name.label())).contains(name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cassandra", "10.0.0.1:0", "10.0.0.256", "10.0.0.1:70000", "", ":7000"})
  void shouldTakeNothingElse(String text) {
    assertThat(NodeName.parse(text)).isEmpty();
  }

  @Test
  void shouldOverlapWithTheSameHostAndPort() {
    NodeName every = NodeName.parse("10.0.0.1").orElseThrow();
    NodeName one = NodeName.parse("10.0.0.1:7000").orElseThrow();
    NodeName other = NodeName.parse("10.0.0.1:7001").orElseThrow();
    assertThat(every.overlaps(one)).isTrue();
    assertThat(one.overlaps(every)).isTrue();
    assertThat(one.overlaps(other)).isFalse();
    assertThat(one.overlaps(one)).isTrue();
  }
}
