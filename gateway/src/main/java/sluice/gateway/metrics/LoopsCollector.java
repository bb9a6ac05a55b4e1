package sluice.gateway.metrics;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import sluice.codecs.memcached.Command;

/** Turns what the loops counted into Prometheus' snapshots: one pass over all loops per scrape. */
final class LoopsCollector implements MultiCollector {
  private static final Map<String, Double> QUANTILES =
      new TreeMap<>(Map.of("0.5", 0.5, "0.99", 0.99, "0.999", 0.999));

  private final List<LoopMetrics> loops;
  private final ToLongFunction<ReloadResult> reloads;
  private final Map<GatewayMetrics.Discovered, LongAdder> discoveries;
  private final Supplier<Map<ServerName, ServerCondition>> serverStates;
  private final LongSupplier bufferLimit;
  private final RecentTimes recentTimes;
  private final ProcessMemory memory = new ProcessMemory();

  LoopsCollector(
      List<LoopMetrics> loops,
      ToLongFunction<ReloadResult> reloads,
      Map<GatewayMetrics.Discovered, LongAdder> discoveries,
      Supplier<Map<ServerName, ServerCondition>> serverStates,
      LongSupplier bufferLimit,
      LongSupplier nanoClock) {
    this.loops = loops;
    this.reloads = reloads;
    this.discoveries = discoveries;
    this.serverStates = serverStates;
    this.bufferLimit = bufferLimit;
    this.recentTimes = new RecentTimes(nanoClock);
  }

  /** Two scrapes at once would disturb each other's idea of what is recent: one after the other. */
  @Override
  public synchronized MetricSnapshots collect() {
    MetricSnapshots.Builder all = MetricSnapshots.builder();
    collectListeners(all);
    collectServers(all);
    collectShadows(all);
    collectLimits(all);
    collectNears(all);
    collectProcess(all);
    collectLoops(all);
    ProcessSeries.collectValues(loops, all);
    ProcessSeries.collectMemory(loops, memory, bufferLimit.getAsLong(), all);
    recentTimes.scraped();
    return all.build();
  }

  private void collectListeners(MetricSnapshots.Builder all) {
    SortedMap<String, ListenerSums> listeners = new TreeMap<>();
    TimeSums ownTime = new TimeSums();
    for (LoopMetrics loop : loops) {
      ownTime.add(loop.ownTime());
      loop.listeners()
          .forEach(
              (name, one) -> listeners.computeIfAbsent(name, n -> new ListenerSums()).add(one));
    }
    CounterSnapshot.Builder requests =
        CounterSnapshot.builder()
            .name("sluice_requests")
            .help("Requests of clients, by what they asked for and how they ended");
    TimeSeries requestTime =
        new TimeSeries(
            "sluice_request_time", "From a request's last byte in to its reply's last byte out");
    GaugeSnapshot.Builder connections =
        GaugeSnapshot.builder().name("sluice_connections").help("Open connections of clients");
    listeners.forEach(
        (name, sums) -> {
          Labels labels = Labels.of("listener", name);
          sums.addRequestsTo(requests, name);
          requestTime.add(sums.requestTime, labels);
          connections.dataPoint(gauge(sums.connections, labels));
        });
    SortedMap<String, InternodeMetrics.Sums> internode = internode();
    internode.forEach(
        (name, sums) ->
            connections.dataPoint(gauge(sums.connections(), Labels.of("listener", name))));
    all.metricSnapshot(requests.build());
    all.metricSnapshot(connections.build());
    requestTime.addTo(all);
    TimeSeries own =
        new TimeSeries(
            "sluice_own_time",
            "What the gateway added: request time less the time spent waiting for servers");
    own.add(ownTime, Labels.EMPTY);
    own.addTo(all);
    if (!internode.isEmpty()) {
      TimeSeries linkTime =
          new TimeSeries(
              "sluice_internode_own_time",
              "What the gateway added: from frames read to their having left");
      internode.forEach((name, sums) -> linkTime.add(sums.ownTime(), Labels.of("listener", name)));
      linkTime.addTo(all);
      InternodeSeries.collect(internode, all);
    }
  }

  private SortedMap<String, InternodeMetrics.Sums> internode() {
    SortedMap<String, InternodeMetrics.Sums> listeners = new TreeMap<>();
    for (LoopMetrics loop : loops) {
      loop.internode()
          .forEach(
              (name, one) ->
                  listeners.computeIfAbsent(name, n -> new InternodeMetrics.Sums()).add(one));
    }
    return listeners;
  }

  private void collectServers(MetricSnapshots.Builder all) {
    SortedMap<ServerName, ServerSums> servers = new TreeMap<>();
    for (LoopMetrics loop : loops) {
      loop.servers()
          .forEach((name, one) -> servers.computeIfAbsent(name, n -> new ServerSums()).add(one));
    }
    TimeSeries serverTime =
        new TimeSeries(
            "sluice_server_time", "From a request written to a server to its reply's last byte");
    CounterSnapshot.Builder protocolErrors =
        CounterSnapshot.builder()
            .name("sluice_server_protocol_errors")
            .help("Server connections closed because a reply broke the protocol");
    CounterSnapshot.Builder lateReplies =
        CounterSnapshot.builder()
            .name("sluice_late_replies")
            .help("Replies dropped because nobody waited for them any more");
    CounterSnapshot.Builder attempts =
        CounterSnapshot.builder()
            .name("sluice_server_connection_attempts")
            .help("Connections that were begun, whatever became of them");
    servers.forEach(
        (name, sums) -> {
          Labels labels = labels(name);
          attempts.dataPoint(counter(sums.attempts, labels));
          serverTime.add(sums.serverTime, labels);
          protocolErrors.dataPoint(counter(sums.protocolErrors, labels));
          lateReplies.dataPoint(counter(sums.lateReplies, labels));
        });
    GaugeSnapshot.Builder states =
        GaugeSnapshot.builder()
            .name("sluice_server_state")
            .help("1 for a server that takes requests, 0 for one that does not");
    CounterSnapshot.Builder ejections =
        CounterSnapshot.builder()
            .name("sluice_server_ejections")
            .help("How often a server was taken out of its pool for a while");
    new TreeMap<>(serverStates.get())
        .forEach(
            (name, server) -> {
              states.dataPoint(gauge(server.usable() ? 1 : 0, labels(name)));
              ejections.dataPoint(counter(server.ejections(), labels(name)));
            });
    serverTime.addTo(all);
    all.metricSnapshot(attempts.build());
    all.metricSnapshot(protocolErrors.build());
    all.metricSnapshot(lateReplies.build());
    all.metricSnapshot(states.build());
    all.metricSnapshot(ejections.build());
  }

  private void collectShadows(MetricSnapshots.Builder all) {
    SortedSet<String> pools = new TreeSet<>();
    loops.forEach(loop -> pools.addAll(loop.shadows().keySet()));
    if (pools.isEmpty()) {
      return;
    }
    CounterSnapshot.Builder requests =
        CounterSnapshot.builder()
            .name("sluice_shadow_requests")
            .help("Copies of requests for pools that shadow another, by how they were answered");
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

  private void collectLimits(MetricSnapshots.Builder all) {
    SortedMap<RuleName, Long> limited = new TreeMap<>();
    for (LoopMetrics loop : loops) {
      loop.limits().forEach((rule, one) -> limited.merge(rule, one.limited(), Long::sum));
    }
    if (limited.isEmpty()) {
      return;
    }
    CounterSnapshot.Builder requests =
        CounterSnapshot.builder()
            .name("sluice_limited_requests")
            .help("Requests, or keys of them, that were over the limit of their rule");
    limited.forEach(
        (rule, count) ->
            requests.dataPoint(
                counter(
                    count,
                    Labels.of("route", rule.route(), "rule", Integer.toString(rule.index())))));
    all.metricSnapshot(requests.build());
  }

  private void collectNears(MetricSnapshots.Builder all) {
    SortedSet<String> pools = new TreeSet<>();
    loops.forEach(loop -> pools.addAll(loop.nears().keySet()));
    if (pools.isEmpty()) {
      return;
    }
    CounterSnapshot.Builder requests =
        CounterSnapshot.builder()
            .name("sluice_near_cache_requests")
            .help("Reads that a near cache was asked for, by how they were answered");
    CounterSnapshot.Builder kept =
        CounterSnapshot.builder()
            .name("sluice_near_cache_kept")
            .help("Replies that were kept in near caches");
    CounterSnapshot.Builder evictions =
        CounterSnapshot.builder()
            .name("sluice_near_cache_evictions")
            .help("Replies that left near caches before their time, for others");
    for (String pool : pools) {
      Labels labels = Labels.of("pool", pool);
      kept.dataPoint(counter(ofNears(pool, NearMetrics::kept), labels));
      evictions.dataPoint(counter(ofNears(pool, NearMetrics::evicted), labels));
      for (NearMetrics.Result result : NearMetrics.Result.values()) {
        requests.dataPoint(
            counter(
                ofNears(pool, near -> near.counted(result)),
                Labels.of("pool", pool, "result", result.label())));
      }
    }
    all.metricSnapshot(requests.build());
    all.metricSnapshot(kept.build());
    all.metricSnapshot(evictions.build());
  }

  private long ofNears(String pool, ToLongFunction<NearMetrics> count) {
    return loops.stream()
        .map(loop -> loop.nears().get(pool))
        .filter(Objects::nonNull)
        .mapToLong(count)
        .sum();
  }

  private void collectProcess(MetricSnapshots.Builder all) {
    CounterSnapshot.Builder bytes =
        CounterSnapshot.builder().name("sluice_bytes").help("Bytes read and written");
    for (Direction direction : Direction.values()) {
      bytes.dataPoint(
          counter(
              loops.stream().mapToLong(loop -> loop.bytes(direction)).sum(),
              Labels.of("direction", direction.label())));
    }
    CounterSnapshot.Builder compression =
        CounterSnapshot.builder()
            .name("sluice_compression_bytes")
            .help("Bytes of values, before and after they were compressed or decompressed");
    for (CompressionStage stage : CompressionStage.values()) {
      compression.dataPoint(
          counter(
              loops.stream().mapToLong(loop -> loop.compressed(stage)).sum(),
              Labels.of("stage", stage.label())));
    }
    CounterSnapshot.Builder reloadCounts =
        CounterSnapshot.builder()
            .name("sluice_reloads")
            .help("Changed configuration files, by what became of them");
    for (ReloadResult result : ReloadResult.values()) {
      reloadCounts.dataPoint(
          counter(reloads.applyAsLong(result), Labels.of("result", result.label())));
    }
    CounterSnapshot.Builder dropped =
        CounterSnapshot.builder()
            .name("sluice_samples_dropped")
            .help("Requests picked for hot keys or a log, for which there was no room");
    for (SampleKind kind : SampleKind.values()) {
      dropped.dataPoint(
          counter(
              loops.stream().mapToLong(loop -> loop.samplesDropped(kind)).sum(),
              Labels.of("kind", kind.label())));
    }
    all.metricSnapshot(dropped.build());
    all.metricSnapshot(bytes.build());
    all.metricSnapshot(compression.build());
    all.metricSnapshot(reloadCounts.build());
    collectDiscoveries(all);
    all.metricSnapshot(
        GaugeSnapshot.builder()
            .name("sluice_buffered_bytes")
            .help("Bytes held in memory for all connections together")
            .dataPoint(
                gauge(loops.stream().mapToLong(LoopMetrics::bufferedBytes).sum(), Labels.EMPTY))
            .build());
    all.metricSnapshot(
        GaugeSnapshot.builder()
            .name("sluice_in_flight")
            .help("Requests taken in and not answered yet")
            .dataPoint(gauge(loops.stream().mapToLong(LoopMetrics::inFlight).sum(), Labels.EMPTY))
            .build());
  }

  private void collectLoops(MetricSnapshots.Builder all) {
    TimeSeries lag =
        new TimeSeries("sluice_loop_lag", "How late an event loop runs what is to be run at once");
    for (LoopMetrics loop : loops) {
      TimeSums sums = new TimeSums();
      sums.add(loop.lag());
      lag.add(sums, Labels.of("loop", loop.name()));
    }
    lag.addTo(all);
    ProcessSeries.collectProcessors(loops, memory, all);
  }

  private void collectDiscoveries(MetricSnapshots.Builder all) {
    CounterSnapshot.Builder counts =
        CounterSnapshot.builder()
            .name("sluice_discoveries")
            .help("Times that a pool's servers were asked for, by what became of it");
    discoveries.forEach(
        (key, count) ->
            counts.dataPoint(
                counter(
                    count.sum(), Labels.of("pool", key.pool(), "result", key.result().label()))));
    all.metricSnapshot(counts.build());
  }

  private static Labels labels(ServerName name) {
    return Labels.of("pool", name.pool(), "server", name.server());
  }

  static CounterDataPointSnapshot counter(long value, Labels labels) {
    return CounterDataPointSnapshot.builder().value((double) value).labels(labels).build();
  }

  static GaugeDataPointSnapshot gauge(long value, Labels labels) {
    return GaugeDataPointSnapshot.builder().value((double) value).labels(labels).build();
  }

  /** Times of one kind: a histogram since the start, and quantiles of the recent past. */
  private final class TimeSeries {
    private final String name;
    private final HistogramSnapshot.Builder histogram;
    private final GaugeSnapshot.Builder quantiles;

    TimeSeries(String name, String help) {
      this.name = name;
      histogram = HistogramSnapshot.builder().name(name + "_seconds").help(help);
      quantiles =
          GaugeSnapshot.builder()
              .name(name + "_quantile_seconds")
              .help(help + "; of the last half minute or more");
    }

    void add(TimeSums sums, Labels labels) {
      histogram.dataPoint(
          HistogramDataPointSnapshot.builder()
              .classicHistogramBuckets(sums.buckets())
              .sum(sums.sumSeconds())
              .labels(labels)
              .build());
      TimeSums recent = recentTimes.recent(List.of(name, labels), sums);
      if (recent.count() > 0) {
        QUANTILES.forEach(
            (label, quantile) ->
                quantiles.dataPoint(
                    GaugeDataPointSnapshot.builder()
                        .value(recent.quantileSeconds(quantile))
                        .labels(labels.add("quantile", label))
                        .build()));
      }
    }

    void addTo(MetricSnapshots.Builder all) {
      all.metricSnapshot(histogram.build());
      all.metricSnapshot(quantiles.build());
    }
  }

  /** One listener over all loops. */
  private static final class ListenerSums {
    final long[] requests = new long[ListenerMetrics.REQUEST_CELLS];
    final TimeSums requestTime = new TimeSums();
    long connections;

    void add(ListenerMetrics one) {
      one.addRequestsTo(requests);
      requestTime.add(one.requestTime());
      connections += one.connections();
    }

    /** Of hundreds of combinations a listener sees a handful: the others are left out. */
    void addRequestsTo(CounterSnapshot.Builder snapshot, String listener) {
      for (Command command : ListenerMetrics.COMMANDS) {
        for (Outcome outcome : Outcome.values()) {
          long count = requests[ListenerMetrics.cell(command, outcome)];
          if (count > 0) {
            snapshot.dataPoint(
                counter(
                    count,
                    Labels.of(
                        "listener", listener,
                        "command", command.label(),
                        "outcome", outcome.label())));
          }
        }
      }
    }
  }

  /** One server over all loops. */
  private static final class ServerSums {
    final TimeSums serverTime = new TimeSums();
    long protocolErrors;
    long lateReplies;
    long attempts;

    void add(ServerMetrics one) {
      serverTime.add(one.serverTime());
      protocolErrors += one.protocolErrors();
      lateReplies += one.lateReplies();
      attempts += one.connectionAttempts();
    }
  }
}
