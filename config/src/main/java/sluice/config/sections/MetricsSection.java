package sluice.config.sections;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import sluice.config.model.MetricsConfig;
import sluice.config.model.OtlpConfig;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;
import sluice.config.schema.Layout;
import sluice.config.schema.Quantities;
import sluice.config.schema.Scalars;
import sluice.config.schema.Type;

/** Description of {@code metrics}: its keys, and its record. */
public final class MetricsSection {
  public static final Key<Boolean> VERTX =
      Key.optional(
              "vertx",
              Quantities.bool(),
              "Whether `/metrics` also has the metrics of Vert.x (`vertx_*`).")
          .or("false");
  public static final Key<URI> URL =
      Key.required("url", Scalars.httpUrl(), "URL at which the receiver accepts metrics.");
  public static final Key<Long> INTERVAL =
      Key.optional("interval", Quantities.duration("1s", "1h"), "Time between two pushes.")
          .or("1m");
  public static final Key<Long> TIMEOUT =
      Key.optional(
              "timeout",
              Quantities.duration("100ms", "1m"),
              "How long to wait for a connection, and then for the response.")
          .or("5s");
  public static final Key<List<Type.Pair<String, String>>> HEADERS =
      Key.optional(
          "headers",
          new Type.Pairs<>(
              "HTTP headers", "their values", Scalars.headerName(), Scalars.headerValue()),
          "Headers of each request. `/config` never shows their values.");
  public static final Key<List<Type.Pair<String, String>>> RESOURCE =
      Key.optional(
          "resource",
          new Type.Pairs<>(
              "resource attributes",
              "their values",
              Scalars.attributeName(),
              Scalars.attributeValue()),
          "Attributes of this process. `service.name` is `sluice` unless it is set here or in the"
              + " environment.");

  private static final Layout<OtlpConfig> OTLP_LAYOUT =
      Layout.of(OtlpConfig.class)
          .key(URL, OtlpConfig::url)
          .key(INTERVAL, OtlpConfig::intervalMillis)
          .key(TIMEOUT, OtlpConfig::timeoutMillis)
          .pairs(HEADERS, OtlpConfig::headers)
          .pairs(RESOURCE, OtlpConfig::resource);

  public static final Key<Fields> OTLP =
      Key.optional(
          "otlp",
          OTLP_LAYOUT.type(),
          "Receiver that metrics are pushed to with the OpenTelemetry protocol over HTTP; none by"
              + " default.");

  /** Its keys, and the record's value for each. */
  public static final Layout<MetricsConfig> LAYOUT =
      Layout.of(MetricsConfig.class)
          .key(VERTX, MetricsConfig::vertx)
          .section(OTLP, OTLP_LAYOUT, MetricsConfig::otlp);

  private MetricsSection() {}

  /** The record of a valid section. */
  public static MetricsConfig bind(Fields metrics) {
    return new MetricsConfig(
        metrics.value(VERTX),
        metrics
            .written(OTLP)
            .map(
                otlp ->
                    new OtlpConfig(
                        otlp.value(URL),
                        otlp.value(INTERVAL),
                        otlp.value(TIMEOUT),
                        pairs(otlp.items(HEADERS)),
                        pairs(otlp.items(RESOURCE)))));
  }

  private static Map<String, String> pairs(List<Type.Pair<String, String>> pairs) {
    Map<String, String> byName = new LinkedHashMap<>();
    for (Type.Pair<String, String> pair : pairs) {
      byName.put(pair.key().value().orElseThrow(), pair.value().value().orElseThrow());
    }
    return byName;
  }
}
