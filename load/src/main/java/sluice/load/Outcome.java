package sluice.load;

import java.util.List;
import sluice.config.plan.LoadBudgets;
import sluice.config.plan.LoadPlan;

/**
 * Measurements of a run.
 *
 * @param direct for each load, bypassing the gateway
 * @param judged for each load, through the gateway
 * @param saturation for each load, at the highest rate
 * @param profiled for each load, while the gateway was profiled
 * @param allocated bytes on the gateway's heap in the judged phase; negative if it does not report
 *     them
 * @param messages requests of clients, and requests and answers of nodes, in the judged phase
 * @param throttled the largest share of throttled periods: of the gateway in the judged phase, and
 *     of this process in the direct and in the judged phase
 * @param samples of the CPU profile
 */
record Outcome(
    LoadPlan plan,
    List<Tally> direct,
    List<Tally> judged,
    List<Tally> saturation,
    List<Tally> profiled,
    double allocated,
    long messages,
    double throttled,
    Samples samples) {
  /** The largest latency difference of any load, in nanoseconds. */
  long added(double percentile) {
    long added = Long.MIN_VALUE;
    for (int i = 0; i < judged.size(); i++) {
      added =
          Math.max(
              added,
              judged.get(i).latency.getValueAtPercentile(percentile)
                  - direct.get(i).latency.getValueAtPercentile(percentile));
    }
    return added;
  }

  /** The highest rate of all loads together, in requests per second. */
  double saturationPerSecond() {
    return saturation.stream().mapToDouble(Tally::perSecond).sum();
  }

  /** The share of judged requests that were answered with an error. */
  double errors() {
    long answered = judged.stream().mapToLong(tally -> tally.answered).sum();
    long errors = judged.stream().mapToLong(tally -> tally.errors).sum();
    return answered == 0 ? 0 : (double) errors / answered;
  }

  double bytesPerRequest() {
    return messages == 0 ? 0 : allocated / messages;
  }

  /** Whether the measurements suffice to judge these budgets. */
  boolean knowsAllocations(LoadBudgets budgets) {
    return budgets.bytesPerRequest().isEmpty() || allocated >= 0;
  }
}
