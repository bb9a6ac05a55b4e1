package sluice.gateway.metrics;

import static sluice.gateway.metrics.Series.counter;
import static sluice.gateway.metrics.Series.counters;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToLongFunction;

/** What is told of rules that shadow, limit or keep replies, as Prometheus' snapshots. */
final class RuleSeries {
  private RuleSeries() {}

  /** Adds the series of what any rule does; none of what none does. */
  static void collect(List<LoopMetrics> loops, MetricSnapshots.Builder all) {
    collectShadows(loops, all);
    collectHedges(loops, all);
    collectLimits(loops, all);
    collectNears(loops, all);
  }

  private static void collectShadows(List<LoopMetrics> loops, MetricSnapshots.Builder all) {
    SortedSet<String> pools = new TreeSet<>();
    loops.forEach(loop -> pools.addAll(loop.shadows().keySet()));
    if (pools.isEmpty()) {
      return;
    }
    CounterSnapshot.Builder requests =
        counters(
            "sluice_shadow_requests",
            "Copies of requests for pools that shadow another, by how they were answered");
    for (String pool : pools) {
      for (ShadowMetrics.Result result : ShadowMetrics.Result.values()) {
        long count =
            loops.stream()
                .map(loop -> loop.shadows().get(pool))
                .filter(Objects::nonNull)
                .mapToLong(shadow -> shadow.counted(result))
                .sum();
        requests.dataPoint(counter(count, Labels.of("pool", pool, "result", result.label())));
      }
    }
    all.metricSnapshot(requests.build());
  }

  private static void collectHedges(List<LoopMetrics> loops, MetricSnapshots.Builder all) {
    SortedSet<String> pools = new TreeSet<>();
    loops.forEach(loop -> pools.addAll(loop.hedges().keySet()));
    if (pools.isEmpty()) {
      return;
    }
    CounterSnapshot.Builder requests =
        counters(
            "sluice_hedged_requests",
            "Reads of a pool that had not begun to answer in time, by what became of them");
    for (String pool : pools) {
      for (HedgeMetrics.Result result : HedgeMetrics.Result.values()) {
        long count =
            loops.stream()
                .map(loop -> loop.hedges().get(pool))
                .filter(Objects::nonNull)
                .mapToLong(hedge -> hedge.counted(result))
                .sum();
        requests.dataPoint(counter(count, Labels.of("pool", pool, "result", result.label())));
      }
    }
    all.metricSnapshot(requests.build());
  }

  private static void collectLimits(List<LoopMetrics> loops, MetricSnapshots.Builder all) {
    SortedMap<RuleName, Long> limited = new TreeMap<>();
    for (LoopMetrics loop : loops) {
      loop.limits().forEach((rule, one) -> limited.merge(rule, one.limited(), Long::sum));
    }
    if (limited.isEmpty()) {
      return;
    }
    CounterSnapshot.Builder requests =
        counters(
            "sluice_limited_requests",
            "Requests, or keys of them, that were over the limit of their rule");
    limited.forEach(
        (rule, count) ->
            requests.dataPoint(
                counter(
                    count,
                    Labels.of("route", rule.route(), "rule", Integer.toString(rule.index())))));
    all.metricSnapshot(requests.build());
  }

  private static void collectNears(List<LoopMetrics> loops, MetricSnapshots.Builder all) {
    SortedSet<String> pools = new TreeSet<>();
    loops.forEach(loop -> pools.addAll(loop.nears().keySet()));
    if (pools.isEmpty()) {
      return;
    }
    CounterSnapshot.Builder requests =
        counters(
            "sluice_near_cache_requests",
            "Reads that a near cache was asked for, by how they were answered");
    CounterSnapshot.Builder kept =
        counters("sluice_near_cache_kept", "Replies that were kept in near caches");
    CounterSnapshot.Builder evictions =
        counters(
            "sluice_near_cache_evictions",
            "Replies that left near caches before their time, for others");
    for (String pool : pools) {
      Labels labels = Labels.of("pool", pool);
      kept.dataPoint(counter(ofNears(loops, pool, NearMetrics::kept), labels));
      evictions.dataPoint(counter(ofNears(loops, pool, NearMetrics::evicted), labels));
      for (NearMetrics.Result result : NearMetrics.Result.values()) {
        requests.dataPoint(
            counter(
                ofNears(loops, pool, near -> near.counted(result)),
                Labels.of("pool", pool, "result", result.label())));
      }
    }
    all.metricSnapshot(requests.build());
    all.metricSnapshot(kept.build());
    all.metricSnapshot(evictions.build());
  }

  private static long ofNears(
      List<LoopMetrics> loops, String pool, ToLongFunction<NearMetrics> count) {
    return loops.stream()
        .map(loop -> loop.nears().get(pool))
        .filter(Objects::nonNull)
        .mapToLong(count)
        .sum();
  }
}
