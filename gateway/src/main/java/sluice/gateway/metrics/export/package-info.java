/**
 * The gateway's metrics for receivers other than Prometheus.
 *
 * <p>Here: meters of a Micrometer registry that read the gateway's own counters, and the push to a
 * receiver of the OpenTelemetry protocol (ADR 0065). Not here: the counters, and the text for
 * Prometheus (the metrics package).
 */
@NullMarked
package sluice.gateway.metrics.export;

import org.jspecify.annotations.NullMarked;
