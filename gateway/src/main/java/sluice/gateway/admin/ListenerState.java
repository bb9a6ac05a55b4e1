package sluice.gateway.admin;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A listener as it runs.
 *
 * @param name its name in the configuration
 * @param address what it is bound to, with the real port: {@code host:port} or {@code unix:path}
 * @param protocol {@code memcached}, {@code ignite} or {@code internode}
 * @param dialects of memcached, those it takes; empty for other protocols
 * @param route the route its requests take
 * @param connections open clients
 * @param links of internode, how many of them are of which type; empty for other protocols
 */
public record ListenerState(
    String name,
    String address,
    String protocol,
    List<String> dialects,
    String route,
    long connections,
    Map<String, Long> links) {

  /** Copies the list and the map. */
  public ListenerState {
    dialects = List.copyOf(dialects);
    links = Collections.unmodifiableMap(new LinkedHashMap<>(links));
  }
}
