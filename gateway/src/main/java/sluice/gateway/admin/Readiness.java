package sluice.gateway.admin;

import java.util.List;
import java.util.Locale;

/**
 * Readiness of this process for new clients, and the reasons.
 *
 * @param phase phase in the life of the process
 * @param routesMatter {@code admin.ready: routes}: a route without a usable server makes the
 *     process not ready. With {@code ready: process} it is only reported
 * @param unusableRoutes routes without a usable server
 * @param configurationProblems of a changed file that was refused, each with its position; empty if
 *     the file is in use
 * @param inFlight requests without an answer, for which a drain waits
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

  /** Whether {@code /ready} answers 200. */
  public boolean ready() {
    return phase == Phase.RUNNING && (!routesMatter || unusableRoutes.isEmpty());
  }

  /** Phase in the life of the process. */
  public enum Phase {
    /** Not every listener is bound yet. */
    STARTING,
    /** Accepting connections. */
    RUNNING,
    /** Finishing requests in flight, accepting nothing new. */
    DRAINING;

    private final String label = name().toLowerCase(Locale.ROOT);

    /** As it is written in answers. */
    public String label() {
      return label;
    }
  }

  /**
   * Route without a usable server.
   *
   * @param route its name
   * @param why for people: its pools, and their problems
   */
  public record UnusableRoute(String route, String why) {}
}
