package sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import sluice.config.LoadResult;
import sluice.config.Loader;
import sluice.gateway.routing.Graph;
import sluice.names.Distribution;
import sluice.names.HashFunction;

/** Rings can be made of whatever {@code hash} takes. */
class HashNamesTest {
  @Test
  void shouldMakeARingOfEveryHashFunction() {
    assertThat(HashFunction.values())
        .allSatisfy(each -> shouldMakeARing("function: " + each.label()));
  }

  @Test
  void shouldMakeARingOfEveryDistribution() {
    assertThat(Distribution.values())
        .allSatisfy(each -> shouldMakeARing("distribution: " + each.label()));
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
