package sluice.gateway.metrics;

import static sluice.gateway.metrics.Series.counter;
import static sluice.gateway.metrics.Series.counters;
import static sluice.gateway.metrics.Series.gauge;
import static sluice.gateway.metrics.Series.gauges;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import sluice.names.Command;

/** Prometheus snapshots of listeners and their clients. */
final class ListenerSeries {
  private ListenerSeries() {}

  /** Adds the series of all listeners. */
  static void collect(
      List<LoopMetrics> loops, RecentTimes recentTimes, MetricSnapshots.Builder all) {
    SortedMap<String, ListenerSums> listeners = new TreeMap<>();
    TimeSums gatewayLatency = new TimeSums();
    for (LoopMetrics loop : loops) {
      gatewayLatency.add(loop.gatewayLatency());
      loop.listeners()
          .forEach(
              (name, one) -> listeners.computeIfAbsent(name, n -> new ListenerSums()).add(one));
    }
    CounterSnapshot.Builder requests =
        counters("sluice_requests", "Requests of clients, by command and outcome");
    TimeSeries requestTime =
        new TimeSeries(
            recentTimes,
            "sluice_request_time",
            "From a request's last byte in to its reply's last byte out");
    SortedMap<String, Long> connections = new TreeMap<>();
    CounterSnapshot.Builder begun =
        counters("sluice_client_connections", "Connections of memcached clients, by outcome");
    listeners.forEach(
        (name, sums) -> {
          Labels labels = Labels.of("listener", name);
          sums.addRequestsTo(requests, name);
          requestTime.add(sums.requestTime, labels);
          connections.merge(name, sums.connections, Long::sum);
          sums.addConnectionsTo(begun, labels);
        });
    SortedMap<String, InternodeMetrics.Sums> internode = internode(loops);
    internode.forEach((name, sums) -> connections.merge(name, sums.connections(), Long::sum));
    all.metricSnapshot(requests.build());
    all.metricSnapshot(connections(connections));
    all.metricSnapshot(begun.build());
    requestTime.addTo(all);
    TimeSeries own =
        new TimeSeries(
            recentTimes,
            "sluice_own_time",
            "Latency that the gateway adds: request time less the time spent waiting for servers");
    own.add(gatewayLatency, Labels.EMPTY);
    own.addTo(all);
    if (!internode.isEmpty()) {
      TimeSeries linkTime =
          new TimeSeries(
              recentTimes,
              "sluice_internode_own_time",
              "Latency that the gateway adds to internode frames, from read to write");
      internode.forEach(
          (name, sums) -> linkTime.add(sums.gatewayLatency(), Labels.of("listener", name)));
      linkTime.addTo(all);
      InternodeSeries.collect(internode, all);
    }
  }

  /** A reload may have changed the protocol of a name, which has one series all the same. */
  private static GaugeSnapshot connections(SortedMap<String, Long> byListener) {
    GaugeSnapshot.Builder all = gauges("sluice_connections", "Open connections of clients");
    byListener.forEach((name, count) -> all.dataPoint(gauge(count, Labels.of("listener", name))));
    return all.build();
  }

  private static SortedMap<String, InternodeMetrics.Sums> internode(List<LoopMetrics> loops) {
    SortedMap<String, InternodeMetrics.Sums> listeners = new TreeMap<>();
    for (LoopMetrics loop : loops) {
      loop.internode()
          .forEach(
              (name, one) ->
                  listeners.computeIfAbsent(name, n -> new InternodeMetrics.Sums()).add(one));
    }
    return listeners;
  }

  /** Sums of one listener over all loops. */
  private static final class ListenerSums {
    final long[] requests = new long[ListenerMetrics.REQUEST_CELLS];
    final TimeSums requestTime = new TimeSums();
    final long[] begun = new long[ConnectionOutcome.COUNT];
    long connections;

    @SuppressWarnings("EnumOrdinal") // only the running process uses the ordinals
    void add(ListenerMetrics one) {
      one.addRequestsTo(requests);
      requestTime.add(one.requestTime());
      connections += one.connections();
      for (ConnectionOutcome outcome : ConnectionOutcome.values()) {
        begun[outcome.ordinal()] += one.connections(outcome);
      }
    }

    @SuppressWarnings("EnumOrdinal")
    void addConnectionsTo(CounterSnapshot.Builder snapshot, Labels listener) {
      for (ConnectionOutcome outcome : ConnectionOutcome.values()) {
        snapshot.dataPoint(
            counter(begun[outcome.ordinal()], listener.add("outcome", outcome.label())));
      }
    }

    /**
     * Adds the requests with a count above 0: a listener uses only a few of hundreds of
     * combinations.
     */
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
}
