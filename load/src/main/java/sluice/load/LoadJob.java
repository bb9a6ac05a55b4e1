package sluice.load;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import sluice.config.plan.LoadBudgets;
import sluice.config.plan.LoadPlan;

/** Run of a plan, from its start to its verdict. */
final class LoadJob {
  private static final String ALLOCATED = "sluice_process_allocated_bytes_total";

  private final LoadPlan plan;
  private final LoadBudgets budgets;
  private final Artifacts artifacts;
  private final PrintStream out;
  private final Supplier<Throttling> own;

  LoadJob(LoadPlan plan, LoadBudgets budgets, Path directory, PrintStream out) {
    this(plan, budgets, directory, out, Throttling::now);
  }

  /**
   * @param own reads the throttling of this process
   */
  LoadJob(
      LoadPlan plan,
      LoadBudgets budgets,
      Path directory,
      PrintStream out,
      Supplier<Throttling> own) {
    this.plan = plan;
    this.budgets = budgets;
    this.artifacts = new Artifacts(directory);
    this.out = out;
    this.own = own;
  }

  /** Runs the plan; writes and returns the verdict. */
  Verdict run() throws IOException, InterruptedException {
    Verdict verdict;
    try (Subjects subjects = Subjects.of(plan, artifacts.directory())) {
      verdict = run(subjects);
    } catch (Driver.FailedException | IOException e) {
      verdict = Verdict.failed(String.valueOf(e.getMessage()));
    }
    artifacts.verdict(verdict);
    return verdict;
  }

  private Verdict run(Subjects subjects)
      throws IOException, InterruptedException, Driver.FailedException {
    long startMillis = System.currentTimeMillis();
    Admin admin = subjects.admin();
    admin.checkLogin(); // fails now, not minutes later at the first profile
    artifacts.text("sluice.yaml", admin.get("/config"));
    LoadPlan.Phases phases = plan.phases();
    Profiling profiling = new Profiling(admin, phases, artifacts.directory());
    try (Driver driver = new Driver(plan, subjects)) {
      if (phases.warmUp() > 0) {
        tell("warm-up", driver.pace(Phase.WARM_UP, phases.warmUp()));
      }
      Throttling ownBeforeDirect = own.get();
      List<Tally> direct = tell("direct", driver.pace(Phase.DIRECT, phases.direct()));
      // A throttled reference is slow, and a gateway that is compared with it looks fast.
      double ownWhileDirect = own.get().since(ownBeforeDirect);
      // Connections are new: some load comes first, so that no judged request is the first.
      driver.pace(Phase.WARM_UP, Math.min(1000, phases.judged()));
      Throttling ownBefore = own.get();
      Metrics before = new Metrics(admin.get("/metrics"));
      List<Tally> judged = tell("judged", driver.pace(Phase.JUDGED, phases.judged()));
      Metrics after = new Metrics(admin.get("/metrics"));
      double ownWhileJudged = own.get().since(ownBefore);
      double throttled =
          Math.max(
              Math.max(ownWhileDirect, ownWhileJudged),
              Throttling.of(after).since(Throttling.of(before)));
      artifacts.text("metrics-before.txt", before.text());
      artifacts.text("metrics-after.txt", after.text());
      List<Tally> saturation = tell("saturation", driver.saturate(phases.saturation()));
      List<Tally> profiled = tell("profiled", driver.paceWhile(Phase.PROFILED, profiling::record));
      Outcome outcome =
          new Outcome(
              plan,
              direct,
              judged,
              saturation,
              profiled,
              after.has(ALLOCATED) ? after.sum(ALLOCATED) - before.sum(ALLOCATED) : -1,
              messages(judged),
              throttled,
              profiling.samples());
      artifacts.result(outcome);
      artifacts.latencies(outcome, startMillis);
      artifacts.environment(profiling);
      return tell(Verdict.of(outcome, budgets, profiling.engines()), profiling.engines(), outcome);
    }
  }

  private long messages(List<Tally> tallies) {
    return tallies.stream()
        .mapToLong(
            tally ->
                Objects.requireNonNull(plan.loads().get(tally.load)).protocol()
                        == LoadPlan.Protocol.INTERNODE
                    ? 2 * tally.answered
                    : tally.answered)
        .sum();
  }

  private List<Tally> tell(String phase, List<Tally> tallies) {
    for (Tally tally : tallies) {
      out.printf(
          Locale.ROOT,
          "%-10s %-12s %9d answered, %8.0f/s, %d errors; latency us p50 %.0f, p99 %.0f, max %.0f%n",
          phase,
          tally.load,
          tally.answered,
          tally.perSecond(),
          tally.errors,
          tally.latency.getValueAtPercentile(50) / 1e3,
          tally.latency.getValueAtPercentile(99) / 1e3,
          tally.latency.getMaxValue() / 1e3);
    }
    return tallies;
  }

  private Verdict tell(Verdict verdict, Map<String, String> engines, Outcome outcome) {
    StringBuilder categories = new StringBuilder();
    for (Samples.Category category : Samples.Category.values()) {
      categories.append(
          String.format(
              Locale.ROOT,
              ", %s %.1f%%",
              category.label(),
              outcome.samples().share(category) * 100));
    }
    out.printf(
        Locale.ROOT,
        "cpu by %s, %d samples: %s%n",
        engines.get("cpu"),
        outcome.samples().total(),
        categories.substring(2));
    for (Verdict.Check check : verdict.checks()) {
      out.printf(
          Locale.ROOT,
          "%-16s %12.2f%s, budget %.2f%s: %s%n",
          check.name(),
          check.found(),
          check.unit(),
          check.budget(),
          check.unit(),
          check.passed() ? "within" : "OVER");
    }
    return verdict;
  }
}
