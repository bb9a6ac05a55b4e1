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
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Prometheus snapshots of servers. */
final class ServerSeries {
  private ServerSeries() {}

  /** Adds the series of all servers, combined with their conditions. */
  static void collect(
      List<LoopMetrics> loops,
      Map<ServerName, ServerCondition> states,
      RecentTimes recentTimes,
      MetricSnapshots.Builder all) {
    SortedMap<ServerName, ServerSums> servers = new TreeMap<>();
    for (LoopMetrics loop : loops) {
      loop.servers()
          .forEach((name, one) -> servers.computeIfAbsent(name, n -> new ServerSums()).add(one));
    }
    TimeSeries serverTime =
        new TimeSeries(
            recentTimes,
            "sluice_server_time",
            "From a request written to a server to its reply's last byte");
    CounterSnapshot.Builder protocolErrors =
        counters(
            "sluice_server_protocol_errors",
            "Server connections closed because a reply broke the protocol");
    CounterSnapshot.Builder lateReplies =
        counters(
            "sluice_late_replies",
            "Replies dropped because the request had timed out or the client had disconnected");
    CounterSnapshot.Builder attempts =
        counters("sluice_server_connection_attempts", "Attempts to connect, successful or not");
    CounterSnapshot.Builder failures =
        counters(
            "sluice_server_failed_requests", "Requests that timed out or lost their connection");
    CounterSnapshot.Builder retries =
        counters(
            "sluice_retried_requests",
            "Reads that were sent again because their connection was lost");
    servers.forEach(
        (name, sums) -> {
          Labels labels = labels(name);
          failures.dataPoint(counter(sums.failures, labels));
          retries.dataPoint(counter(sums.retries, labels));
          attempts.dataPoint(counter(sums.attempts, labels));
          serverTime.add(sums.serverTime, labels);
          protocolErrors.dataPoint(counter(sums.protocolErrors, labels));
          lateReplies.dataPoint(counter(sums.lateReplies, labels));
        });
    GaugeSnapshot.Builder usable =
        gauges(
            "sluice_server_state", "1 for a server that accepts requests, 0 for one that does not");
    CounterSnapshot.Builder ejections =
        counters("sluice_server_ejections", "Ejections of a server from its pool");
    new TreeMap<>(states)
        .forEach(
            (name, server) -> {
              usable.dataPoint(gauge(server.usable() ? 1 : 0, labels(name)));
              ejections.dataPoint(counter(server.ejections(), labels(name)));
            });
    serverTime.addTo(all);
    all.metricSnapshot(failures.build());
    all.metricSnapshot(retries.build());
    all.metricSnapshot(attempts.build());
    all.metricSnapshot(protocolErrors.build());
    all.metricSnapshot(lateReplies.build());
    all.metricSnapshot(usable.build());
    all.metricSnapshot(ejections.build());
  }

  private static Labels labels(ServerName name) {
    return Labels.of("pool", name.pool(), "server", name.server());
  }

  /** Sums of one server over all loops. */
  private static final class ServerSums {
    final TimeSums serverTime = new TimeSums();
    long protocolErrors;
    long lateReplies;
    long attempts;
    long retries;
    long failures;

    void add(ServerMetrics one) {
      serverTime.add(one.serverTime());
      protocolErrors += one.protocolErrors();
      lateReplies += one.lateReplies();
      failures += one.failures();
      retries += one.retries();
      attempts += one.connectionAttempts();
    }
  }
}
