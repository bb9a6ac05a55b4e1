package sluice.config.model;

import java.net.URI;
import java.util.Map;

/**
 * Receiver of metrics that speaks OTLP over HTTP.
 *
 * @param url where it takes metrics
 * @param intervalMillis between two pushes
 * @param timeoutMillis for a connection, and for the response
 * @param headers of each request, by name; they may be secrets
 * @param resource attributes of this process, by name
 */
public record OtlpConfig(
    URI url,
    long intervalMillis,
    long timeoutMillis,
    Map<String, String> headers,
    Map<String, String> resource) {
  /** Takes copies of the maps. */
  public OtlpConfig {
    headers = Ordered.copyOf(headers);
    resource = Ordered.copyOf(resource);
  }

  /** The receiver only: headers may be secrets. */
  @Override
  public String toString() {
    return "OtlpConfig[" + url + "]";
  }
}
