package sluice.gateway.process;

import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.VertxBuilder;
import io.vertx.core.VertxOptions;
import io.vertx.micrometer.Label;
import io.vertx.micrometer.MicrometerMetricsFactory;
import io.vertx.micrometer.MicrometerMetricsOptions;
import java.util.EnumSet;
import java.util.Set;

/** Vert.x's own meters ({@code metrics.vertx}). */
final class VertxMeters {
  /**
   * Vert.x's default labels without the method of HTTP requests. Callers of the admin port may make
   * up methods, and each would get meters of its own that are never removed. A filter that renames
   * them would not help, because the registry remembers meters by their names before filters, too.
   */
  private static final Set<Label> LABELS =
      EnumSet.of(Label.HTTP_CODE, Label.POOL_TYPE, Label.POOL_NAME, Label.EB_SIDE);

  private VertxMeters() {}

  /** Lets the Vert.x that builder builds with these options put its meters into registry. */
  static void into(MeterRegistry registry, VertxOptions options, VertxBuilder builder) {
    options.setMetricsOptions(new MicrometerMetricsOptions().setEnabled(true).setLabels(LABELS));
    builder.withMetrics(new MicrometerMetricsFactory(registry));
  }
}
