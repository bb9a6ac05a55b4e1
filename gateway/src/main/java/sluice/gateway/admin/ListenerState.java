package sluice.gateway.admin;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import sluice.config.model.ListenerConfig;

/**
 * State of a running listener.
 *
 * @param config its configuration
 * @param address its bound address, with the real port: {@code host:port} or {@code unix:path}
 * @param connections open clients
 * @param links for internode, the number of links of each type; empty for other protocols
 */
public record ListenerState(
    ListenerConfig config, @Nullable String address, long connections, Map<String, Long> links) {

  /** Copies the map. */
  public ListenerState {
    links = Collections.unmodifiableMap(new LinkedHashMap<>(links));
  }
}
