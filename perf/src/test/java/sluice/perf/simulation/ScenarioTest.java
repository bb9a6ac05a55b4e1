package sluice.perf.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import sluice.config.Loader;

class ScenarioTest {
  @Test
  void shouldMakeConfigurationsThatAreValid() {
    Set<Rule> rules = EnumSet.noneOf(Rule.class);
    for (int seed = 0; seed < 100; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Scenario scenario = new Scenario(random);
      rules.addAll(scenario.rules());
      for (String host : new String[] {"10.0.0.1", "10.0.0.2"}) {
        String yaml = scenario.yaml(host, random);
        assertThat(Loader.parse("scenario.yaml", Certificates.in(yaml)).problems())
            .as(yaml)
            .isEmpty();
      }
    }
    assertThat(rules).containsExactlyInAnyOrder(Rule.values());
  }

  /** Each of another gateway's retries would count there. */
  @Test
  void shouldNotRetryInFrontOfLimits() {
    int limited = 0;
    for (int seed = 0; seed < 300; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Scenario scenario = new Scenario(random);
      if (scenario.isChained() && scenario.hasLimits("10.0.0.1")) {
        limited++;
        assertThat(scenario.yaml("10.0.0.2", random)).doesNotContain("retries:");
        assertThat(scenario.hasAnotherInFront("10.0.0.1")).isTrue();
      }
    }
    assertThat(limited).isPositive();
  }

  @Test
  void shouldLimitOneOfTwoGatewaysInARow() {
    int[] chains = new int[2]; // by the gateway with limits
    for (int seed = 0; seed < 300; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Scenario scenario = new Scenario(random);
      boolean limited = !scenario.limits().isEmpty();
      int limits = 0;
      for (String host : new String[] {"10.0.0.1", "10.0.0.2"}) {
        boolean has = scenario.yaml(host, random).contains("limited1:");
        assertThat(has).isEqualTo(scenario.hasLimits(host));
        limits += has ? 1 : 0;
        chains[host.endsWith(".1") ? 0 : 1] += has && scenario.isChained() ? 1 : 0;
      }
      assertThat(limits).isEqualTo(!limited ? 0 : scenario.isChained() ? 1 : 2);
    }
    assertThat(chains[0]).isPositive();
    assertThat(chains[1]).isPositive();
  }
}
