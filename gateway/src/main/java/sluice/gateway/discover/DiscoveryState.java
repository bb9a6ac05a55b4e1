package sluice.gateway.discover;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.config.model.ServerConfig;
import sluice.gateway.time.Clocks;

/**
 * State of a pool's discovery.
 *
 * @param from the source and the query, for people
 * @param servers of the last accepted answer; empty before the first
 * @param answered time of that answer; null before the first
 * @param problem why the latest answer was not accepted; empty if it was
 * @param since when answers began to be accepted, or to be refused
 * @param remark what was left out of the last accepted answer; empty for nothing
 */
public record DiscoveryState(
    String from,
    List<ServerConfig> servers,
    @Nullable Instant answered,
    String problem,
    Instant since,
    String remark) {
  static final String NOT_ASKED = "not asked yet";

  /** Copies the list. */
  public DiscoveryState {
    servers = List.copyOf(servers);
  }

  static DiscoveryState unasked(String from) {
    return new DiscoveryState(from, List.of(), null, NOT_ASKED, Clocks.now(), "");
  }

  /** The state after an accepted answer. */
  DiscoveryState answered(Found found) {
    Instant now = Clocks.now();
    return new DiscoveryState(
        from, found.servers(), now, "", problem.isEmpty() ? since : now, found.remark());
  }

  /** The state after a refused or missing answer. */
  DiscoveryState failed(String reason) {
    boolean anew = problem.isEmpty() || answered == null;
    return new DiscoveryState(from, servers, answered, reason, anew ? Clocks.now() : since, remark);
  }
}
