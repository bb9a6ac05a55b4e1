package sluice.gateway.admin;

import java.time.Instant;
import java.util.Locale;

/**
 * A pool's server, over all event loops.
 *
 * @param server its identity in the pool
 * @param condition whether it is used
 * @param why for people: what made it so
 * @param since when it became so
 * @param inFlight requests sent and not answered yet
 * @param connections open connections to it
 * @param version what it says of itself; null until it was asked
 * @param ejections how often it was taken out since the process started
 * @param askedApartSince since when each key is asked for by itself; null if several share a line
 */
public record ServerState(
    String server,
    Condition condition,
    String why,
    Instant since,
    long inFlight,
    long connections,
    String version,
    long ejections,
    Instant askedApartSince) {

  /** Whether a server is used. */
  public enum Condition {
    /** Not asked anything yet: connections are made when they are wanted. */
    UNTRIED,
    /** Takes requests. */
    UP,
    /** Cannot be reached or used; requests to it fail at once. */
    DOWN,
    /** Reachable, but failing or slow; left out for a while. */
    EJECTED,
    /** Left the configuration; finishing what it was sent. */
    DRAINING;

    private final String label = name().toLowerCase(Locale.ROOT);

    /** As it is written in answers. */
    public String label() {
      return label;
    }
  }
}
