package sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import sluice.config.LoadResult;
import sluice.config.Loader;
import sluice.config.model.Distribution;
import sluice.config.model.HashFunction;
import sluice.gateway.route.hash.Ring;

/** What {@code hash} takes is what rings are made of, and nothing else. */
class HashNamesTest {
  @Test
  void shouldTakeTheNameOfEveryHashFunction() {
    assertThat(labels(HashFunction.values(), HashFunction::label)).isEqualTo(Ring.functions());
    assertThat(Ring.functions()).allSatisfy(name -> shouldMakeARing("function: " + name));
  }

  @Test
  void shouldTakeTheNameOfEveryDistribution() {
    assertThat(labels(Distribution.values(), Distribution::label)).isEqualTo(Ring.distributions());
    assertThat(Ring.distributions()).allSatisfy(name -> shouldMakeARing("distribution: " + name));
  }

  /** Configuration that passes {@code check} starts: no ring refuses what check took. */
  @Test
  void shouldRefuseServersThatAreOneToTheRing() {
    String twice = "['h:1 name=h2', 'h2:11211']";
    String sockets = "['h:1 name=/s:0', 'unix:/s']";
    for (String of : Set.of("ketama_libmemcached", "modula_libmemcached")) {
      assertThat(load(twice, "distribution: " + of).isValid()).isFalse();
      assertThat(load(sockets, "distribution: " + of).isValid()).isFalse();
    }
    assertThat(load(twice, "distribution: maglev").isValid()).isTrue();
    assertThat(load(sockets, "distribution: maglev").isValid()).isTrue();
  }

  private static <T> Set<String> labels(T[] names, Function<T, String> label) {
    return Arrays.stream(names).map(label).collect(Collectors.toSet());
  }

  private static void shouldMakeARing(String hash) {
    LoadResult result = load("['h:1', 'i:11211', 'unix:/s']", hash);
    assertThat(result.problems()).isEmpty();
    assertThat(Graph.ring(result.configuration().pools().get("p"))).isNotNull();
  }

  private static LoadResult load(String servers, String hash) {
    return Loader.parse(
        "test.yaml",
        "listeners:\n  l: {bind: '127.0.0.1:0', protocol: memcached, route: r}\n"
            + "routes:\n  r:\n    - pool: p\n"
            + "pools:\n  p: {servers: "
            + servers
            + ", hash: {"
            + hash
            + "}}\n");
  }
}
