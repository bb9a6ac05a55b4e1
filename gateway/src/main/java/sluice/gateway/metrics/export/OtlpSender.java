package sluice.gateway.metrics.export;

import com.google.protobuf.InvalidProtocolBufferException;
import io.micrometer.registry.otlp.OtlpMetricsSender;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.metrics.v1.Metric;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sender of requests that adds the histograms and logs each outage of the receiver once. Called by
 * one thread at a time.
 */
final class OtlpSender implements OtlpMetricsSender {
  private static final Logger LOG = LoggerFactory.getLogger(OtlpSender.class);

  private final OtlpMetricsSender http;
  private final Supplier<List<Metric>> histograms;
  private final String receiver;
  private volatile boolean failing;
  private volatile boolean closing;

  /**
   * @param histograms called for each request
   * @param receiver for the log
   */
  OtlpSender(OtlpMetricsSender http, Supplier<List<Metric>> histograms, String receiver) {
    this.http = http;
    this.histograms = histograms;
    this.receiver = receiver;
  }

  /** The next request is the last, and is not worth a wait for a receiver that is down. */
  void closing() {
    closing = true;
  }

  @Override
  public void send(Request request) throws InvalidProtocolBufferException {
    if (closing && failing) {
      return;
    }
    Request whole =
        Request.builder(withHistograms(request.getMetricsData()))
            .address(Objects.requireNonNull(request.getAddress()))
            .headers(request.getHeaders())
            .build();
    try {
      http.send(whole);
    } catch (Exception e) {
      if (!failing) {
        failing = true;
        LOG.warn("metrics.otlp: {} accepts no metrics: {}", receiver, reason(e));
      }
      return;
    }
    if (failing) {
      failing = false;
      LOG.info("metrics.otlp: {} accepts metrics again", receiver);
    }
  }

  private static String reason(Exception failure) {
    Throwable first = failure;
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      first = cause;
    }
    String message = first.getMessage();
    return message == null ? first.getClass().getSimpleName() : message;
  }

  private byte[] withHistograms(byte[] metrics) throws InvalidProtocolBufferException {
    ExportMetricsServiceRequest.Builder request =
        ExportMetricsServiceRequest.newBuilder().mergeFrom(metrics);
    request.getResourceMetricsBuilder(0).getScopeMetricsBuilder(0).addAllMetrics(histograms.get());
    return request.build().toByteArray();
  }
}
