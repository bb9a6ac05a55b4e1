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

  @Test
  void shouldLimitTheGatewayInFrontOfAnother() {
    int chains = 0;
    for (int seed = 0; seed < 300; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Scenario scenario = new Scenario(random);
      boolean limited = !scenario.limits().isEmpty();
      chains += scenario.isChained() && limited ? 1 : 0;
      for (String host : new String[] {"10.0.0.1", "10.0.0.2"}) {
        boolean has = scenario.yaml(host, random).contains("limited1:");
        boolean behind = scenario.isChained() && host.endsWith(".1");
        assertThat(has).isEqualTo(limited && !behind).isEqualTo(scenario.hasLimits(host));
      }
    }
    assertThat(chains).isPositive();
  }
}
