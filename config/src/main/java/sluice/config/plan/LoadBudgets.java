package sluice.config.plan;

import java.util.List;
import java.util.Optional;
import sluice.config.problems.Problem;

/**
 * What {@code ./sluice load} holds a run against; what is empty is not judged.
 *
 * @param addedP50Micros latency that the gateway adds to the direct one
 * @param addedP99Micros the same, of 99 in 100
 * @param saturation requests a second, at least
 * @param errors share of requests that were answered with an error, 0 to 1
 * @param bytesPerRequest allocated on the gateway's heap
 * @param gc share of the CPU samples, 0 to 1
 * @param own share of the CPU samples, 0 to 1
 */
public record LoadBudgets(
    Optional<Long> addedP50Micros,
    Optional<Long> addedP99Micros,
    Optional<Long> saturation,
    Optional<Double> errors,
    Optional<Long> bytesPerRequest,
    Optional<Double> gc,
    Optional<Double> own) {
  /**
   * Budgets, or what is wrong with their file.
   *
   * @param budgets null if there are problems
   */
  public record Result(LoadBudgets budgets, List<Problem> problems) {}

  /** Without a file: nothing is judged but whether the run is right. */
  public static LoadBudgets none() {
    return new LoadBudgets(
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }
}
