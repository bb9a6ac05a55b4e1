package sluice.gateway.admin;

import java.util.List;
import java.util.Locale;

/**
 * Whether new clients should be sent to this process, and why.
 *
 * @param phase where in its life the process is
 * @param routesMatter {@code admin.ready: routes}: a route without a usable server makes the
 *     process not ready. With {@code ready: process} it is told, and changes nothing
 * @param unusableRoutes routes none of whose servers can be used
 * @param configurationProblems of a changed file that was refused, each with its position; empty
 *     when what runs is what the file says
 * @param inFlight requests taken in and not answered yet: what a drain waits for
 */
public record Readiness(
    Phase phase,
    boolean routesMatter,
    List<UnusableRoute> unusableRoutes,
    List<String> configurationProblems,
    long inFlight) {

  /** Copies the lists. */
  public Readiness {
    unusableRoutes = List.copyOf(unusableRoutes);
    configurationProblems = List.copyOf(configurationProblems);
  }

  /** Whether {@code /ready} says 200. */
  public boolean ready() {
    return phase == Phase.RUNNING && (!routesMatter || unusableRoutes.isEmpty());
  }

  /** Where in its life the process is. */
  public enum Phase {
    /** Not every listener is bound yet. */
    STARTING,
    /** Taking connections. */
    RUNNING,
    /** Finishing what is in flight, taking nothing new. */
    DRAINING;

    private final String label = name().toLowerCase(Locale.ROOT);

    /** As it is written in answers. */
    public String label() {
      return label;
    }
  }

  /**
   * A route that cannot answer.
   *
   * @param route its name
   * @param why for people: which pools, and what is the matter with them
   */
  public record UnusableRoute(String route, String why) {}
}
