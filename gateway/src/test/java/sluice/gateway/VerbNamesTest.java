package sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import sluice.config.LoadResult;
import sluice.config.Loader;
import sluice.names.Verb;

/** What {@code match: {verbs}} takes is what codecs calls verbs, and nothing else. */
class VerbNamesTest {
  @Test
  void shouldTakeTheNameOfEveryVerb() {
    Set<String> names =
        Arrays.stream(Verb.values())
            .filter(verb -> verb != Verb.UNKNOWN)
            .map(Verb::name)
            .collect(Collectors.toCollection(LinkedHashSet::new));
    LoadResult result = load(String.join(", ", names));
    assertThat(result.problems()).isEmpty();
    assertThat(result.configuration().routes().get("r").rules().get(0).match().verbs())
        .isEqualTo(names)
        .allSatisfy(name -> assertThat(Verb.named(name)).isNotNull());
  }

  @Test
  void shouldRefuseWhatIsNoVerb() {
    assertThat(load("UNKNOWN").isValid()).isFalse();
  }

  private static LoadResult load(String verbs) {
    return Loader.parse(
        "test.yaml",
        "listeners:\n  l: {bind: '127.0.0.1:0', protocol: internode, route: r}\n"
            + "routes:\n  r:\n    - match: {verbs: ["
            + verbs
            + "]}\n      reject: no thanks\n    - pool: p\n"
            + "pools:\n  p: {protocol: internode, servers: ['127.0.0.2:7000']}\n");
  }
}
