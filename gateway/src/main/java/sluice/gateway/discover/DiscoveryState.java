package sluice.gateway.discover;

import java.time.Instant;
import java.util.List;
import sluice.config.model.ServerConfig;

/**
 * What is known of where a pool's servers are learned.
 *
 * @param from who is asked for what, for people
 * @param servers as of the last answer that counted; empty before the first
 * @param answered when that came; null before the first
 * @param problem why the latest answer did not count; empty if it did
 * @param since when the latest answers began to count, or to not count
 * @param remark what the last answer that counted had, and was left out; empty for nothing
 */
public record DiscoveryState(
    String from,
    List<ServerConfig> servers,
    Instant answered,
    String problem,
    Instant since,
    String remark) {
  static final String NOT_ASKED = "not asked yet";

  /** Copies the list. */
  public DiscoveryState {
    servers = List.copyOf(servers);
  }

  static DiscoveryState unasked(String from) {
    return new DiscoveryState(from, List.of(), null, NOT_ASKED, Instant.now(), "");
  }

  /** An answer counted. */
  DiscoveryState answered(Found found) {
    Instant now = Instant.now();
    return new DiscoveryState(
        from, found.servers(), now, "", problem.isEmpty() ? since : now, found.remark());
  }

  /** An answer did not count, or did not come. */
  DiscoveryState failed(String reason) {
    boolean anew = problem.isEmpty() || answered == null;
    return new DiscoveryState(
        from, servers, answered, reason, anew ? Instant.now() : since, remark);
  }
}
