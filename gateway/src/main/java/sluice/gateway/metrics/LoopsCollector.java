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
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import sluice.codecs.memcached.Command;

/** Turns what the loops counted into Prometheus' snapshots: one pass over all loops per scrape. */
final class LoopsCollector implements MultiCollector {
  private final List<LoopMetrics> loops;
  private final ToLongFunction<ReloadResult> reloads;
  private final Supplier<Map<ServerName, Boolean>> serverStates;

  LoopsCollector(
      List<LoopMetrics> loops,
      ToLongFunction<ReloadResult> reloads,
      Supplier<Map<ServerName, Boolean>> serverStates) {
    this.loops = loops;
    this.reloads = reloads;
    this.serverStates = serverStates;
  }

  @Override
  public MetricSnapshots collect() {
    MetricSnapshots.Builder all = MetricSnapshots.builder();
    collectListeners(all);
    collectServers(all);
    collectProcess(all);
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
    HistogramSnapshot.Builder requestTime =
        HistogramSnapshot.builder()
            .name("sluice_request_time_seconds")
            .help("From a request's last byte in to its reply's last byte out");
    GaugeSnapshot.Builder connections =
        GaugeSnapshot.builder().name("sluice_connections").help("Open connections of clients");
    listeners.forEach(
        (name, sums) -> {
          Labels labels = Labels.of("listener", name);
          sums.addRequestsTo(requests, name);
          requestTime.dataPoint(histogram(sums.requestTime, labels));
          connections.dataPoint(gauge(sums.connections, labels));
        });
    all.metricSnapshot(requests.build());
    all.metricSnapshot(requestTime.build());
    all.metricSnapshot(connections.build());
    all.metricSnapshot(
        HistogramSnapshot.builder()
            .name("sluice_own_time_seconds")
            .help("What the gateway added: request time less the time spent waiting for servers")
            .dataPoint(histogram(ownTime, Labels.EMPTY))
            .build());
  }

  private void collectServers(MetricSnapshots.Builder all) {
    SortedMap<ServerName, ServerSums> servers = new TreeMap<>();
    for (LoopMetrics loop : loops) {
      loop.servers()
          .forEach((name, one) -> servers.computeIfAbsent(name, n -> new ServerSums()).add(one));
    }
    HistogramSnapshot.Builder serverTime =
        HistogramSnapshot.builder()
            .name("sluice_server_time_seconds")
            .help("From a request written to a server to its reply's last byte");
    CounterSnapshot.Builder protocolErrors =
        CounterSnapshot.builder()
            .name("sluice_server_protocol_errors")
            .help("Server connections closed because a reply broke the protocol");
    CounterSnapshot.Builder lateReplies =
        CounterSnapshot.builder()
            .name("sluice_late_replies")
            .help("Replies dropped because nobody waited for them any more");
    servers.forEach(
        (name, sums) -> {
          Labels labels = labels(name);
          serverTime.dataPoint(histogram(sums.serverTime, labels));
          protocolErrors.dataPoint(counter(sums.protocolErrors, labels));
          lateReplies.dataPoint(counter(sums.lateReplies, labels));
        });
    GaugeSnapshot.Builder states =
        GaugeSnapshot.builder()
            .name("sluice_server_state")
            .help("1 for a server that takes requests, 0 for one that does not");
    new TreeMap<>(serverStates.get())
        .forEach((name, up) -> states.dataPoint(gauge(up ? 1 : 0, labels(name))));
    all.metricSnapshot(serverTime.build());
    all.metricSnapshot(protocolErrors.build());
    all.metricSnapshot(lateReplies.build());
    all.metricSnapshot(states.build());
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
    CounterSnapshot.Builder reloadCounts =
        CounterSnapshot.builder()
            .name("sluice_reloads")
            .help("Changed configuration files, by what became of them");
    for (ReloadResult result : ReloadResult.values()) {
      reloadCounts.dataPoint(
          counter(reloads.applyAsLong(result), Labels.of("result", result.label())));
    }
    all.metricSnapshot(bytes.build());
    all.metricSnapshot(reloadCounts.build());
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

  private static Labels labels(ServerName name) {
    return Labels.of("pool", name.pool(), "server", name.server());
  }

  private static CounterDataPointSnapshot counter(long value, Labels labels) {
    return CounterDataPointSnapshot.builder().value((double) value).labels(labels).build();
  }

  private static GaugeDataPointSnapshot gauge(long value, Labels labels) {
    return GaugeDataPointSnapshot.builder().value((double) value).labels(labels).build();
  }

  private static HistogramDataPointSnapshot histogram(TimeSums sums, Labels labels) {
    return HistogramDataPointSnapshot.builder()
        .classicHistogramBuckets(sums.buckets())
        .sum(sums.sumSeconds())
        .labels(labels)
        .build();
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

    void add(ServerMetrics one) {
      serverTime.add(one.serverTime());
      protocolErrors += one.protocolErrors();
      lateReplies += one.lateReplies();
    }
  }
}
