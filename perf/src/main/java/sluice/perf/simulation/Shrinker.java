package sluice.perf.simulation;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Search for a smaller simulation with a finding: less time, fewer faults, fewer clients.
 *
 * <p>A part that is left out changes the order of everything behind it, so each attempt may have
 * another finding, or none. An attempt without one is dropped.
 */
final class Shrinker {
  private final Function<Plan, Life.Outcome> run;
  private final int mostRuns;
  private int runs;
  private Plan plan;
  private Life.Outcome outcome;

  /**
   * A search that begins with a simulation that has a finding.
   *
   * @param run runs another one
   * @param mostRuns how many it may run
   */
  Shrinker(Plan plan, Life.Outcome outcome, Function<Plan, Life.Outcome> run, int mostRuns) {
    this.plan = plan;
    this.outcome = outcome;
    this.run = run;
    this.mostRuns = mostRuns;
  }

  /** The smallest one that was found. */
  Plan shrink() {
    shorten();
    remove(outcome.faults(), plan.faults(), Plan::withFaults);
    remove(outcome.clients(), plan.clients(), Plan::withClients);
    shorten();
    return plan;
  }

  private void shorten() {
    long end = Math.max(1, outcome.firstFinding() + 1);
    if (end < plan.seconds()) {
      attempt(plan.withSeconds(end));
    }
    while (plan.seconds() > 1 && attempt(plan.withSeconds(plan.seconds() / 2))) {
      // half of it will do
    }
  }

  // Leaves out halves, then quarters, and in the end single ones.
  private void remove(
      int count, @Nullable Set<Integer> now, BiFunction<Plan, Set<Integer>, Plan> with) {
    List<Integer> left =
        now == null
            ? IntStream.rangeClosed(1, count)
                .boxed()
                .collect(Collectors.toCollection(ArrayList::new))
            : new ArrayList<>(now);
    if (left.isEmpty() || attempt(with.apply(plan, Set.of()))) {
      return;
    }
    for (int size = Math.max(1, left.size() / 2); size > 0; size /= 2) {
      for (int from = left.size() - size; from >= 0; from -= size) {
        List<Integer> rest = new ArrayList<>(left);
        rest.subList(from, from + size).clear();
        if (attempt(with.apply(plan, new LinkedHashSet<>(rest)))) {
          left = rest;
        }
      }
    }
  }

  private boolean attempt(Plan smaller) {
    if (runs == mostRuns) {
      return false;
    }
    runs++;
    Life.Outcome other = run.apply(smaller);
    if (other.findings().isEmpty()) {
      return false;
    }
    plan = smaller;
    outcome = other;
    return true;
  }
}
