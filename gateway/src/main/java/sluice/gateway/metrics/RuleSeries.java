package sluice.gateway.metrics;

import static sluice.gateway.metrics.Series.counter;
import static sluice.gateway.metrics.Series.counters;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** Series of what the policies of rules do, as Prometheus' snapshots. */
final class RuleSeries {
  private RuleSeries() {}

  /** Adds the series of what any rule does; none of what none does. */
  static void collect(
      List<LoopMetrics> loops, RecentTimes recentTimes, MetricSnapshots.Builder all) {
    collectRules(loops, recentTimes, all);
    collectResults(
        "sluice_shadow_requests",
        "Copies of requests sent to shadow pools, by result",
        ShadowResult.values(),
        byName(loops, LoopMetrics::shadows),
        Function.identity(),
        all);
    collectResults(
        "sluice_hedged_requests",
        "Reads that were sent to a second pool because the first was slow, by result",
        HedgeResult.values(),
        byName(loops, LoopMetrics::hedges),
        Function.identity(),
        all);
    collectLimits(loops, all);
    collectNears(loops, all);
  }

  private static void collectRules(
      List<LoopMetrics> loops, RecentTimes recentTimes, MetricSnapshots.Builder all) {
    CounterSnapshot.Builder matches =
        counters("sluice_rule_matches", "Keys, and requests without a key, that matched a rule");
    TimeSeries requestTime =
        new TimeSeries(
            recentTimes,
            "sluice_rule_request_time",
            "Request time of one request in 16, by the rule of the last key");
    byName(loops, LoopMetrics::rules)
        .forEach(
            (rule, ofLoops) -> {
              Labels labels =
                  Labels.of("route", rule.route(), "rule", Integer.toString(rule.index()));
              matches.dataPoint(counter(sum(ofLoops, RuleMetrics::matches), labels));
              TimeSums times = new TimeSums();
              ofLoops.forEach(each -> times.add(each.requestTime()));
              requestTime.add(times, labels);
            });
    all.metricSnapshot(matches.build());
    requestTime.addTo(all);
  }

  /** What all loops have under each name, in the order of names. */
  private static <K extends Comparable<K>, M> SortedMap<K, List<M>> byName(
      List<LoopMetrics> loops, Function<LoopMetrics, Map<K, M>> of) {
    SortedMap<K, List<M>> found = new TreeMap<>();
    for (LoopMetrics loop : loops) {
      of.apply(loop)
          .forEach((name, one) -> found.computeIfAbsent(name, key -> new ArrayList<>()).add(one));
    }
    return found;
  }

  /** One series for each pool and result; none if there is no pool. */
  private static <M, R extends Enum<R>> void collectResults(
      String name,
      String help,
      R[] results,
      Map<String, List<M>> pools,
      Function<M, ResultCounters<R>> counters,
      MetricSnapshots.Builder all) {
    if (pools.isEmpty()) {
      return;
    }
    CounterSnapshot.Builder requests = Series.counters(name, help);
    pools.forEach(
        (pool, ofLoops) -> {
          for (R result : results) {
            requests.dataPoint(
                counter(
                    sum(ofLoops, each -> counters.apply(each).counted(result)),
                    Labels.of("pool", pool, "result", Series.label(result))));
          }
        });
    all.metricSnapshot(requests.build());
  }

  private static void collectLimits(List<LoopMetrics> loops, MetricSnapshots.Builder all) {
    Map<RuleName, List<LimitMetrics>> rules = byName(loops, LoopMetrics::limits);
    if (rules.isEmpty()) {
      return;
    }
    CounterSnapshot.Builder requests =
        counters(
            "sluice_limited_requests",
            "Requests, or keys of requests, rejected by the rate limit of their rule");
    rules.forEach(
        (rule, ofLoops) ->
            requests.dataPoint(
                counter(
                    sum(ofLoops, LimitMetrics::limited),
                    Labels.of("route", rule.route(), "rule", Integer.toString(rule.index())))));
    all.metricSnapshot(requests.build());
  }

  private static void collectNears(List<LoopMetrics> loops, MetricSnapshots.Builder all) {
    Map<String, List<NearMetrics>> pools = byName(loops, LoopMetrics::nears);
    collectResults(
        "sluice_near_cache_requests",
        "Reads on rules with a near cache, by result",
        NearResult.values(),
        pools,
        NearMetrics::reads,
        all);
    collectReplies(
        "sluice_near_cache_kept",
        "Replies that were kept in near caches",
        NearMetrics::kept,
        pools,
        all);
    collectReplies(
        "sluice_near_cache_evictions",
        "Near cache entries evicted before they expired",
        NearMetrics::evicted,
        pools,
        all);
  }

  private static void collectReplies(
      String name,
      String help,
      ToLongFunction<NearMetrics> count,
      Map<String, List<NearMetrics>> pools,
      MetricSnapshots.Builder all) {
    if (pools.isEmpty()) {
      return;
    }
    CounterSnapshot.Builder replies = counters(name, help);
    pools.forEach(
        (pool, ofLoops) ->
            replies.dataPoint(counter(sum(ofLoops, count), Labels.of("pool", pool))));
    all.metricSnapshot(replies.build());
  }

  private static <M> long sum(List<M> ofLoops, ToLongFunction<M> count) {
    return ofLoops.stream().mapToLong(count).sum();
  }
}
