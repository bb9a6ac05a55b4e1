package sluice.perf.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class ShrinkerTest {
  private static Life.Outcome outcome(Plan plan, boolean found) {
    List<String> findings = found ? List.of("something") : List.of();
    return new Life.Outcome(
        plan.seed(), 0, 0, Tally.Counts.NONE, 20, 6, 0, findings, found ? 70 : 0);
  }

  private static Plan shrink(int mostRuns, Function<Plan, Boolean> isFound) {
    Plan plan = Plan.of(1, 600);
    Function<Plan, Life.Outcome> run = other -> outcome(other, isFound.apply(other));
    return new Shrinker(plan, run.apply(plan), run, mostRuns).shrink();
  }

  @Test
  void shouldLeaveTheFaultsAndClientsThatMatter() {
    Plan smallest =
        shrink(
            1_000,
            plan ->
                plan.hasFault(7) && plan.hasFault(12) && plan.hasClient(3) && plan.seconds() > 30);
    assertThat(smallest.faults()).containsExactly(7, 12);
    assertThat(smallest.clients()).containsExactly(3);
    assertThat(smallest.seconds()).isBetween(31L, 62L);
  }

  @Test
  void shouldNeedNoFaultsWhereThereIsAFindingWithoutThem() {
    assertThat(shrink(1_000, plan -> true)).isEqualTo(new Plan(1, 1, Set.of(), Set.of()));
  }

  @Test
  void shouldReturnOnlyWhatHasAFinding() {
    Plan whole = Plan.of(1, 600);
    assertThat(shrink(1_000, whole::equals)).isEqualTo(whole);
  }

  @Test
  void shouldRunNoMoreThanItMay() {
    List<Plan> ran = new ArrayList<>();
    Plan unused =
        shrink(
            9,
            plan -> {
              ran.add(plan);
              return true;
            });
    assertThat(ran).hasSizeLessThanOrEqualTo(10);
  }

  @Test
  void shouldPrintTheCommandThatRunsIt() {
    assertThat(new Plan(5, 71, Set.of(12, 7), Set.of()).command())
        .isEqualTo(
            "./sluice simulate --seeds 1 --first 5 --seconds 71 --only-faults 7,12 --only-clients"
                + " 0");
    assertThat(Plan.of(5, 600).command())
        .isEqualTo("./sluice simulate --seeds 1 --first 5 --minutes 10");
  }
}
