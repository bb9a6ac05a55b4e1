package sluice.gateway.process;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;
import sluice.config.model.Configuration;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.metrics.export.OtlpPush;

/** The gateway's push of metrics to the receiver that the configuration names, if it names one. */
final class MetricsPush {
  private final GatewayMetrics metrics;
  private volatile @Nullable OtlpPush push; // null without a receiver

  MetricsPush(GatewayMetrics metrics) {
    this.metrics = metrics;
  }

  /** Begins to push if there is a receiver. */
  void start(Configuration configuration) {
    configuration.metrics().otlp().ifPresent(to -> push = new OtlpPush(to, metrics::collect));
  }

  /** Pushes a last time, on a worker, and ends; completes also if the push fails. */
  Future<Void> stop(Vertx vertx) {
    OtlpPush pushing = push;
    return pushing == null
        ? Future.succeededFuture()
        : vertx
            .<Void>executeBlocking(
                () -> {
                  pushing.close();
                  return null;
                })
            .otherwiseEmpty();
  }
}
