package sluice.load;

import java.util.List;
import sluice.config.plan.LoadBudgets;
import sluice.config.plan.LoadPlan;

/**
 * What a run measured.
 *
 * @param direct of each load, past the gateway
 * @param judged of each load, through it
 * @param saturation of each load, as much as it takes
 * @param profiled of each load, while it was profiled
 * @param allocated bytes on the gateway's heap in the judged phase; negative if it does not say
 * @param messages requests of clients, and requests and answers of nodes, in the judged phase
 * @param throttled the larger share of throttled periods, of the gateway and of this process
 * @param samples of the profile of the processors
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
  /** In nanoseconds: the largest difference of any load. */
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

  /** Requests a second of all loads together, as many as were taken. */
  double saturationPerSecond() {
    return saturation.stream().mapToDouble(Tally::perSecond).sum();
  }

  /** Of all requests that were judged, those that were answered with an error. */
  double errors() {
    long answered = judged.stream().mapToLong(tally -> tally.answered).sum();
    long errors = judged.stream().mapToLong(tally -> tally.errors).sum();
    return answered == 0 ? 0 : (double) errors / answered;
  }

  double bytesPerRequest() {
    return messages == 0 ? 0 : allocated / messages;
  }

  /** Whether these budgets can be judged at all. */
  boolean knowsAllocations(LoadBudgets budgets) {
    return budgets.bytesPerRequest().isEmpty() || allocated >= 0;
  }
}
