package sluice.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.config.plan.LoadBudgets;
import sluice.config.plan.LoadPlan;
import sluice.config.plan.PlanReader;

class VerdictTest {
  private static final long MILLI = 1_000_000;

  @TempDir Path directory;

  private LoadPlan plan() throws IOException {
    Path file = Files.writeString(directory.resolve("plan.yaml"), "loads: {a: {rate: 100}}\n");
    return PlanReader.plan(file).plan();
  }

  /** A hundred requests, each of which took so long, and left so late. */
  private static Tally tally(Phase phase, long nanos, long late, long planned) {
    Tally tally = new Tally("a", phase);
    for (int i = 0; i < 100; i++) {
      tally.sent(0, late);
      tally.answered(0, nanos, false);
    }
    tally.planned = planned;
    tally.seconds = 1;
    return tally;
  }

  private Outcome outcome(Tally direct, Tally judged, double throttled) throws IOException {
    Samples samples = new Samples();
    samples.add(Samples.Category.KERNEL, 889);
    samples.add(Samples.Category.OWN, 100);
    samples.add(Samples.Category.GC, 11);
    return new Outcome(
        plan(),
        List.of(direct),
        List.of(judged),
        List.of(tally(Phase.SATURATION, MILLI, 0, 0)),
        List.of(tally(Phase.PROFILED, MILLI, 0, 100)),
        6_400,
        100,
        throttled,
        samples);
  }

  private Outcome steady() throws IOException {
    return outcome(tally(Phase.DIRECT, MILLI, 0, 100), tally(Phase.JUDGED, 3 * MILLI, 0, 100), 0);
  }

  private Verdict verdict(Outcome outcome, String budgets) throws IOException {
    Path file = Files.writeString(directory.resolve("budgets.yaml"), "{" + budgets + "}\n");
    LoadBudgets.Result read = PlanReader.budgets(file);
    assertThat(read.problems()).isEmpty();
    return Verdict.of(outcome, read.budgets(), Map.of("cpu", "ctimer"));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "addedP50: 3ms          | 0",
        "addedP50: 1900us       | 3",
        "addedP99: 1ms          | 3",
        "saturation: 100        | 0",
        "saturation: 101        | 3",
        "errors: 0%             | 0",
        "bytesPerRequest: 64B   | 0",
        "bytesPerRequest: 63B   | 3",
        "gc: 1.1%               | 0",
        "gc: 1%                 | 3",
        "own: 10%               | 0",
        "own: 9.9%              | 3",
        "own: 10%, gc: 1%       | 3"
      })
  void shouldHoldARunAgainstItsBudgets(String budgets, int exitCode) throws IOException {
    Verdict verdict = verdict(steady(), budgets);
    assertThat(verdict.result().exitCode()).isEqualTo(exitCode);
    assertThat(verdict.json().getJsonObject("cpu").getString("engine")).isEqualTo("ctimer");
    assertThat(verdict.json().encode().length()).isLessThan(4096);
  }

  @Test
  void shouldCountErrorsAgainstTheirBudget() throws IOException {
    Outcome outcome = steady();
    outcome.judged().get(0).answered(0, MILLI, true);
    assertThat(verdict(outcome, "errors: 0%").result()).isEqualTo(Verdict.Result.OVER_BUDGET);
    assertThat(verdict(outcome, "errors: 1%").result()).isEqualTo(Verdict.Result.PASSED);
  }

  @Test
  void shouldCallADisturbedRunInvalidWhateverItsBudgets() throws IOException {
    Tally direct = tally(Phase.DIRECT, MILLI, 0, 100);
    Tally judged = tally(Phase.JUDGED, MILLI, 0, 100);
    Map<String, Outcome> disturbed =
        Map.of(
            "throttled", outcome(direct, judged, 0.02),
            "ms late", outcome(direct, tally(Phase.JUDGED, MILLI, 21 * MILLI, 100), 0),
            "planned requests", outcome(tally(Phase.DIRECT, MILLI, 0, 102), judged, 0));
    disturbed.forEach(
        (reason, outcome) -> {
          try {
            Verdict verdict = verdict(outcome, "own: 0%");
            assertThat(verdict.result().exitCode()).as(reason).isEqualTo(4);
            assertThat(verdict.reasons()).hasSize(1).first().asString().contains(reason);
          } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
          }
        });
  }

  @Test
  void shouldCallARunInvalidWhoseGatewayDoesNotSayWhatIsJudged() throws IOException {
    Outcome steady = steady();
    Outcome silent =
        new Outcome(
            steady.plan(),
            steady.direct(),
            steady.judged(),
            steady.saturation(),
            steady.profiled(),
            -1,
            100,
            0,
            steady.samples());
    assertThat(verdict(silent, "bytesPerRequest: 1KiB").result().exitCode()).isEqualTo(4);
    assertThat(verdict(silent, "own: 50%").result().exitCode()).isZero();
  }

  @Test
  void shouldFailWithWhatWentWrong() {
    Verdict verdict = Verdict.failed("a client read 'x'");
    assertThat(verdict.result().exitCode()).isEqualTo(1);
    assertThat(verdict.json().encode()).contains("a client read 'x'");
  }
}
