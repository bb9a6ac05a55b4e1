package sluice.config.plan;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import sluice.config.problems.Problem;

/**
 * Budgets that {@code ./sluice load} judges a run by; an empty one is not judged.
 *
 * @param addedP50Micros p50 latency that the gateway adds to a direct connection
 * @param addedP99Micros the same for p99
 * @param saturation requests per second that must be reached
 * @param errors share of requests answered with an error, 0 to 1
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
   * Budgets, or the problems of their file.
   *
   * @param budgets null if there are problems
   */
  public record Result(@Nullable LoadBudgets budgets, List<Problem> problems) {}

  /** Budgets without a file: only the validity of the run is judged. */
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
