package sluice.gateway.metrics.export;

import org.jspecify.annotations.Nullable;

/**
 * Name of a meter: the metric's name for Prometheus with dots, and without its unit. A registry
 * adds the unit again where its own conventions want it in the name.
 *
 * @param name for Micrometer and OpenTelemetry
 * @param unit as Micrometer writes it; null for a number
 */
record MeterName(String name, @Nullable String unit) {
  static final String SECONDS = "seconds";
  static final String BYTES = "bytes";

  /** Prefix of all names; a name does not consist of it alone. */
  private static final String PREFIX = "sluice";

  /** The name of a metric that a scrape calls so, less {@code _total}. */
  static MeterName of(String metric) {
    for (String unit : new String[] {SECONDS, BYTES}) {
      if (metric.endsWith("_" + unit)) {
        String rest = metric.substring(0, metric.length() - unit.length() - 1);
        return new MeterName(dotted(rest.equals(PREFIX) ? metric : rest), unit);
      }
    }
    return new MeterName(dotted(metric), null);
  }

  private static String dotted(String metric) {
    return metric.replace('_', '.');
  }
}
