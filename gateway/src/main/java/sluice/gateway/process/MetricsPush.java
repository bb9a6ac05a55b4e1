package sluice.gateway.process;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;
import sluice.config.model.Configuration;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.metrics.export.OtlpPush;

/** The gateway's push of metrics to the receiver that the configuration names, if it names one. */
final class MetricsPush {
  /** So many times its timeout the receiver has: to connect, and to respond. */
  private static final int TIMEOUTS = 2;

  private final GatewayMetrics metrics;
  private volatile @Nullable OtlpPush push; // null without a receiver
  private volatile long timeoutMillis;

  MetricsPush(GatewayMetrics metrics) {
    this.metrics = metrics;
  }

  /** Begins to push if there is a receiver. */
  void start(Configuration configuration) {
    configuration
        .metrics()
        .otlp()
        .ifPresent(
            to -> {
              timeoutMillis = to.timeoutMillis();
              push = new OtlpPush(to, metrics::collect);
            });
  }

  /**
   * Pushes a last time, on a worker, and ends; completes also if the push fails, or hangs in a
   * receiver that takes the metrics and does not end its response.
   */
  Future<Void> stop(Vertx vertx) {
    OtlpPush pushing = push;
    if (pushing == null) {
      return Future.succeededFuture();
    }
    Promise<Void> stopped = Promise.promise();
    long limit = vertx.setTimer(TIMEOUTS * timeoutMillis, id -> stopped.tryComplete());
    vertx
        .<Void>executeBlocking(
            () -> {
              pushing.close();
              return null;
            },
            false) // not behind answers of the admin port, which are made one at a time
        .onComplete(
            done -> {
              vertx.cancelTimer(limit);
              stopped.tryComplete();
            });
    return stopped.future();
  }
}
