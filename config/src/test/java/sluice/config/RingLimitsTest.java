package sluice.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pools that are larger than their ring can be are refused before the gateway starts. */
class RingLimitsTest {
  private static LoadResult load(String distribution, int servers, int weight) {
    String list =
        IntStream.range(0, servers)
            .mapToObj(i -> "\"h" + i + ":1 weight=" + weight + "\"")
            .collect(Collectors.joining(", "));
    return Loader.parse(
        "f",
        """
        listeners: {a: {bind: 127.0.0.1:0, route: r}}
        routes: {r: [{pool: p}]}
        pools: {p: {servers: [%s], hash: {distribution: %s}}}
        """
            .formatted(list, distribution));
  }

  @ParameterizedTest
  @CsvSource({
    "maglev, 6553, 1, at most 6553 servers with maglev",
    "modula, 2147, 1000000, weights with a sum of at most 2147483647 with modula",
    "jump, 2147, 1000000, weights with a sum of at most 2147483647 with jump"
  })
  void shouldRefusePoolsThatTheirRingCannotHold(
      String distribution, int most, int weight, String expected) {
    assertThat(load(distribution, most, weight).problems()).isEmpty();
    assertThat(load(distribution, most + 1, weight).problems())
        .singleElement()
        .asString()
        .contains("pools.p.servers: ")
        .endsWith("expected " + expected);
  }
}
