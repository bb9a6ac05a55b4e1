package sluice.gateway.metrics;

import static sluice.gateway.metrics.Series.counter;
import static sluice.gateway.metrics.Series.counters;
import static sluice.gateway.metrics.Series.gauge;
import static sluice.gateway.metrics.Series.gauges;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.Locale;
import java.util.Map;
import sluice.codecs.internode.Framing;
import sluice.gateway.metrics.InternodeMetrics.Way;
import sluice.names.Verb;

/** Prometheus snapshots of internode links. */
final class InternodeSeries {
  private final CounterSnapshot.Builder messages =
      series("messages", "Messages read from initiators (in) and written to servers (out)");
  private final CounterSnapshot.Builder messageBytes =
      series("message_bytes", "Bytes of these messages, including their headers");
  private final CounterSnapshot.Builder rejected =
      series("rejected_messages", "Messages that a rule rejected");
  private final CounterSnapshot.Builder answers =
      series("failure_responses", "FAILURE_RSPs for messages that a rule rejected");
  private final CounterSnapshot.Builder unread =
      series(
          "unread_addresses",
          "Payloads, params and streams whose addresses were not replaced, by reason");
  private final CounterSnapshot.Builder frames =
      series("frames", "Frames read from initiators (in) and written to servers (out)");
  private final CounterSnapshot.Builder bytes =
      series("framing_bytes", "Bytes of frames before (in) and after (out) reframing");
  private final CounterSnapshot.Builder dropped =
      series("dropped_frames", "Frames that were dropped because their payload was corrupt");
  private final CounterSnapshot.Builder errors =
      series("protocol_errors", "Links closed because of invalid bytes");
  private final CounterSnapshot.Builder handshakes =
      series("handshakes", "Handshakes of links, by outcome");
  private final GaugeSnapshot.Builder links =
      gauges("sluice_internode_links", "Open links, by type");

  private InternodeSeries() {}

  private static CounterSnapshot.Builder series(String name, String help) {
    return counters("sluice_internode_" + name, help);
  }

  /** Adds the series of all listeners. */
  static void collect(Map<String, InternodeMetrics.Sums> listeners, MetricSnapshots.Builder all) {
    InternodeSeries series = new InternodeSeries();
    listeners.forEach(series::add);
    all.metricSnapshot(series.messages.build());
    all.metricSnapshot(series.messageBytes.build());
    all.metricSnapshot(series.rejected.build());
    all.metricSnapshot(series.answers.build());
    all.metricSnapshot(series.unread.build());
    all.metricSnapshot(series.frames.build());
    all.metricSnapshot(series.bytes.build());
    all.metricSnapshot(series.dropped.build());
    all.metricSnapshot(series.errors.build());
    all.metricSnapshot(series.handshakes.build());
    all.metricSnapshot(series.links.build());
  }

  private void add(String listener, InternodeMetrics.Sums sums) {
    Labels one = Labels.of("listener", listener);
    for (Verb verb : InternodeMetrics.VERBS) {
      add(sums, verb, one.add("verb", verb.label()));
    }
    for (Way way : Way.values()) {
      Labels directed = one.add("direction", direction(way));
      for (Framing framing : InternodeMetrics.FRAMINGS) {
        unlessNone(
            frames,
            sums.frames(framing, way),
            directed.add("framing", framing.name().toLowerCase(Locale.ROOT)));
      }
      bytes.dataPoint(counter(sums.bytes(way), directed));
    }
    answers.dataPoint(counter(sums.answered(), one.add("outcome", "sent")));
    answers.dataPoint(counter(sums.unanswered(), one.add("outcome", "unsent")));
    unread.dataPoint(counter(sums.addressesUnparsed(), one.add("reason", "unparsed")));
    unread.dataPoint(counter(sums.addressesNotRead(), one.add("reason", "verb")));
    unread.dataPoint(counter(sums.unreadStreams(), one.add("reason", "stream")));
    dropped.dataPoint(counter(sums.droppedFrames(), one));
    errors.dataPoint(counter(sums.protocolErrors(), one));
    for (LinkOutcome outcome : LinkOutcome.values()) {
      handshakes.dataPoint(counter(sums.outcomes(outcome), one.add("outcome", outcome.label())));
    }
    for (LinkType type : LinkType.values()) {
      links.dataPoint(gauge(sums.links(type), one.add("type", type.label())));
    }
  }

  private void add(InternodeMetrics.Sums sums, Verb verb, Labels labels) {
    for (Way way : Way.values()) {
      Labels directed = labels.add("direction", direction(way));
      unlessNone(messages, sums.messages(verb, way), directed);
      unlessNone(messageBytes, sums.messageBytes(verb, way), directed);
    }
    unlessNone(rejected, sums.rejected(verb), labels);
  }

  private static String direction(Way way) {
    return way == Way.IN ? "in" : "out";
  }

  /** Adds a count unless it is 0: a link uses only a few of hundreds of combinations. */
  private static void unlessNone(CounterSnapshot.Builder series, long count, Labels labels) {
    if (count > 0) {
      series.dataPoint(counter(count, labels));
    }
  }
}
