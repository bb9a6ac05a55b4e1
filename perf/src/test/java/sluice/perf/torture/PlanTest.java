package sluice.perf.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PlanTest {
  private static List<Plan.Step> steps(String... arguments) {
    Plan plan = new Plan(Torture.options(arguments));
    List<Plan.Step> steps = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      steps.add(plan.next());
    }
    return steps;
  }

  @Test
  void shouldComeAgainWithItsSeed() {
    assertThat(steps("--seed", "7")).isEqualTo(steps("--seed", "7"));
    assertThat(steps("--seed", "7")).isNotEqualTo(steps("--seed", "8"));
  }

  @Test
  void shouldBringEachKindBeforeAnyComesAgain() {
    Set<Fault> first = EnumSet.noneOf(Fault.class);
    steps("--seed", "7").subList(0, Fault.values().length).forEach(step -> first.add(step.fault()));
    assertThat(first).isEqualTo(EnumSet.allOf(Fault.class));
  }

  @Test
  void shouldRestartNoServerWhoseContentsAreComparedAtTheEnd() {
    assertThat(steps("--seed", "7", "--only", "restart-server"))
        .allMatch(step -> step.server() >= Servers.STEADY);
  }
}
