package sluice.perf.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RuleTest {
  @Test
  void shouldTellNearCachesApart() {
    SplittableRandom random = new SplittableRandom(1);
    Set<String> rules = new HashSet<>();
    for (int i = 0; i < 20; i++) {
      rules.add(Rule.NEAR.yaml(random));
    }
    assertThat(rules).hasSize(2);
    for (String one : rules) {
      for (String other : rules) {
        String yaml = Rule.SPLIT.yaml(random) + one;
        assertThat(Rule.haveSameCaches(yaml, other)).isEqualTo(one.equals(other));
      }
    }
    assertThat(Rule.haveSameCaches("", "")).isTrue();
  }
}
