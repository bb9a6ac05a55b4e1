package sluice.load;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import sluice.config.plan.LoadBudgets;
import sluice.config.plan.LoadPlan;

/**
 * Verdict on a run. A disturbed run allows no conclusion about budgets: the verdict checks validity
 * first, and budgets only for a valid run.
 */
final class Verdict {
  /** The verdicts, and the process's exit code for each. */
  enum Result {
    PASSED("passed", 0),
    FAILED("failed", 1),
    OVER_BUDGET("over budget", 3),
    INVALID("invalid", 4);

    private final String label;
    private final int exitCode;

    Result(String label, int exitCode) {
      this.label = label;
      this.exitCode = exitCode;
    }

    int exitCode() {
      return exitCode;
    }
  }

  /**
   * One budget.
   *
   * @param unit printed after both values
   */
  record Check(String name, double found, double budget, String unit, boolean passed) {}

  private final Result result;
  private final List<String> reasons = new ArrayList<>();
  private final List<Check> checks = new ArrayList<>();
  private final JsonObject categories = new JsonObject();
  private String engine = "";
  private long samples;

  private Verdict(String failure) {
    result = Result.FAILED;
    reasons.add(failure);
  }

  private Verdict(Outcome outcome, LoadBudgets budgets, Map<String, String> engines) {
    engine = engines.getOrDefault("cpu", "");
    samples = outcome.samples().total();
    for (Samples.Category category : Samples.Category.values()) {
      categories.put(category.label(), percent(outcome.samples().share(category)));
    }
    invalid(outcome);
    check(outcome, budgets);
    result =
        !reasons.isEmpty()
            ? Result.INVALID
            : checks.stream().allMatch(Check::passed) ? Result.PASSED : Result.OVER_BUDGET;
  }

  /** Verdict on a run that could not be completed, or in which an error occurred. */
  static Verdict failed(String what) {
    return new Verdict(what);
  }

  /** Verdict on a completed run. */
  static Verdict of(Outcome outcome, LoadBudgets budgets, Map<String, String> engines) {
    return new Verdict(outcome, budgets, engines);
  }

  private void invalid(Outcome outcome) {
    LoadPlan.Valid valid = outcome.plan().valid();
    List<Tally> paced = new ArrayList<>(outcome.direct());
    paced.addAll(outcome.judged());
    for (Tally tally : paced) {
      String where = "load " + tally.load + ", " + tally.phase.label() + ": ";
      if (tally.sent * 100 < tally.planned * valid.rate()) {
        reasons.add(
            where
                + "%d of %d planned requests were sent, expected %d%%"
                    .formatted(tally.sent, tally.planned, valid.rate()));
      }
      double late = tally.lateness.getValueAtPercentile(99) / 1e6;
      if (late > valid.lateMillis()) {
        reasons.add(
            where
                + String.format(
                    Locale.ROOT,
                    "1 of 100 requests was sent %.1f ms late or more, expected at most %d ms",
                    late,
                    valid.lateMillis()));
      }
    }
    if (outcome.throttled() > valid.throttled()) {
      reasons.add(
          String.format(
              Locale.ROOT,
              "%.2f%% of the CPU quota's periods were throttled, expected at most %.2f%%",
              outcome.throttled() * 100,
              valid.throttled() * 100));
    }
    if (outcome.samples().total() == 0) {
      reasons.add("the profile has no samples");
    }
  }

  private void check(Outcome outcome, LoadBudgets budgets) {
    atMost("addedP50", outcome.added(50) / 1e3, micros(budgets.addedP50Micros()), "us");
    atMost("addedP99", outcome.added(99) / 1e3, micros(budgets.addedP99Micros()), "us");
    budgets
        .saturation()
        .ifPresent(
            floor ->
                checks.add(
                    new Check(
                        "saturation",
                        outcome.saturationPerSecond(),
                        floor,
                        "/s",
                        outcome.saturationPerSecond() >= floor)));
    atMost("errors", outcome.errors() * 100, share(budgets.errors()), "%");
    if (outcome.knowsAllocations(budgets)) {
      atMost(
          "bytesPerRequest",
          outcome.bytesPerRequest(),
          budgets.bytesPerRequest().map(Long::doubleValue),
          "B");
    } else {
      reasons.add("the gateway's metrics do not say what it allocated");
    }
    Samples all = outcome.samples();
    atMost("gc", all.share(Samples.Category.GC) * 100, share(budgets.gc()), "%");
    atMost("own", all.share(Samples.Category.OWN) * 100, share(budgets.own()), "%");
  }

  private static Optional<Double> micros(Optional<Long> micros) {
    return micros.map(Long::doubleValue);
  }

  private static Optional<Double> share(Optional<Double> share) {
    return share.map(s -> s * 100);
  }

  private void atMost(String name, double found, Optional<Double> budget, String unit) {
    budget.ifPresent(b -> checks.add(new Check(name, found, b, unit, found <= b)));
  }

  private static double percent(double share) {
    return rounded(share * 100);
  }

  private static double rounded(double value) {
    return Math.round(value * 100) / 100.0;
  }

  Result result() {
    return result;
  }

  List<String> reasons() {
    return reasons;
  }

  List<Check> checks() {
    return checks;
  }

  /** One line of JSON, short enough for Kubernetes' termination message. */
  JsonObject json() {
    JsonArray judged = new JsonArray();
    for (Check check : checks) {
      judged.add(
          new JsonObject()
              .put("name", check.name())
              .put("found", rounded(check.found()))
              .put("budget", rounded(check.budget()))
              .put("unit", check.unit())
              .put("passed", check.passed()));
    }
    return new JsonObject()
        .put("verdict", result.label)
        .put("exitCode", result.exitCode())
        .put(
            "reasons",
            new JsonArray(new ArrayList<>(reasons.subList(0, Math.min(8, reasons.size())))))
        .put("checks", judged)
        .put(
            "cpu",
            new JsonObject()
                .put("engine", engine)
                .put("samples", samples)
                .put("percent", categories));
  }
}
