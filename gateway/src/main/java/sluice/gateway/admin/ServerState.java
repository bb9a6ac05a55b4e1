package sluice.gateway.admin;

import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * State of a pool's server, over all event loops.
 *
 * @param server its identity in the pool
 * @param condition whether it is used
 * @param why the reason for people
 * @param since when the condition began
 * @param inFlight requests sent and not answered yet
 * @param connections open connections to it
 * @param version that it reports; null until it was asked
 * @param ejections number of ejections since the process started
 * @param singleKeyGetsSince since when each key has a request of its own; null if several share a
 *     line
 */
public record ServerState(
    String server,
    Condition condition,
    String why,
    Instant since,
    long inFlight,
    long connections,
    @Nullable String version,
    long ejections,
    @Nullable Instant singleKeyGetsSince) {

  /** Whether a server is used. */
  public enum Condition {
    /** No connection was needed so far. */
    UNTRIED,
    /** Takes requests. */
    UP,
    /** Cannot be reached or used; requests to it fail at once. */
    DOWN,
    /** Reachable, but failing or slow; ejected for a while. */
    EJECTED;

    private final String label = name().toLowerCase(Locale.ROOT);

    /** As it is written in answers. */
    public String label() {
      return label;
    }
  }
}
