package sluice.gateway.route.hash;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import sluice.config.Loader;
import sluice.config.model.HashConfig;

/** How evenly the hash of a pool that names none spreads the keys that applications use. */
class DefaultHashTest {
  private static final int KEYS = 10_000;

  private static final HashConfig DEFAULT =
      Loader.parse(
              "f",
              """
              listeners: {l: {route: r}}
              routes: {r: [{pool: p}]}
              pools: {p: {servers: ["a:1"]}}
              """)
          .configuration()
          .pools()
          .get("p")
          .hash();

  static Stream<Arguments> spreads() {
    return Stream.of("user", "item", "uuid")
        .flatMap(
            keys ->
                IntStream.of(3, 5, 10)
                    .boxed()
                    .flatMap(
                        servers ->
                            Stream.of("10.0.0.%d:11212", "cache-%d.cache:11211", "127.0.0.1:1120%d")
                                .map(name -> Arguments.of(keys, servers, name))));
  }

  private static IntFunction<String> keys(String kind) {
    Random random = new Random(1);
    return switch (kind) {
      case "user" -> i -> "user:" + i;
      case "item" -> "item:%04d"::formatted;
      default -> i -> new UUID(random.nextLong(), random.nextLong()).toString();
    };
  }

  private static int[] placed(byte[][] keys, int servers, String name) {
    List<Member> members = new ArrayList<>();
    for (int i = 0; i < servers; i++) {
      String address = name.formatted(i);
      int colon = address.indexOf(':');
      members.add(
          new Member(
              address,
              address.substring(0, colon),
              Integer.parseInt(address.substring(colon + 1)),
              1));
    }
    int[] counts = new int[servers];
    Ring ring = Rings.of(DEFAULT.function().label(), DEFAULT.distribution().label(), "", members);
    for (int server : Keys.placed(ring, keys)) {
      counts[server]++;
    }
    return counts;
  }

  @ParameterizedTest
  @MethodSource("spreads")
  void shouldGiveNoServerMuchMoreThanItsShare(String kind, int servers, String name) {
    byte[][] keys =
        IntStream.range(0, KEYS)
            .mapToObj(keys(kind))
            .map(key -> key.getBytes(US_ASCII))
            .toArray(byte[][]::new);
    int[] counts = placed(keys, servers, name);
    assertThat(Arrays.stream(counts).max().orElseThrow() / ((double) KEYS / servers))
        .as(Arrays.toString(counts))
        .isLessThanOrEqualTo(1.25);
  }

  @ParameterizedTest
  @MethodSource("spreads")
  void shouldUseAllServersForFewKeys(String kind, int servers, String name) {
    byte[][] keys =
        IntStream.rangeClosed(1, 99)
            .mapToObj(keys(kind))
            .map(key -> key.getBytes(US_ASCII))
            .toArray(byte[][]::new);
    assertThat(Arrays.stream(placed(keys, servers, name)).boxed())
        .allSatisfy(count -> assertThat(count).isPositive());
  }
}
