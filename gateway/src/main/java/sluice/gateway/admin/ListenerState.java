package sluice.gateway.admin;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import sluice.config.model.ListenerConfig;

/**
 * A listener as it runs.
 *
 * @param config what it was configured to be
 * @param address what it is bound to, with the real port: {@code host:port} or {@code unix:path}
 * @param connections open clients
 * @param links of internode, how many of them are of which type; empty for other protocols
 */
public record ListenerState(
    ListenerConfig config, String address, long connections, Map<String, Long> links) {

  /** Copies the map. */
  public ListenerState {
    links = Collections.unmodifiableMap(new LinkedHashMap<>(links));
  }
}
