package sluice.config.model;

import java.util.Optional;

/**
 * Metrics of the process.
 *
 * @param vertx whether the metrics of Vert.x are exported, too
 * @param otlp the receiver that metrics are sent to; empty for none
 */
public record MetricsConfig(boolean vertx, Optional<OtlpConfig> otlp) {}
