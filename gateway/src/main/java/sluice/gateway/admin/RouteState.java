package sluice.gateway.admin;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A route in use, with its rules.
 *
 * @param name its name in the configuration
 * @param listeners names of the listeners whose requests it decides
 * @param rules in the order in which they are tried
 */
public record RouteState(String name, List<String> listeners, List<Rule> rules) {

  /** Copies the lists. */
  public RouteState {
    listeners = List.copyOf(listeners);
    rules = List.copyOf(rules);
  }

  /**
   * A rule of a route.
   *
   * @param match the conditions, for people
   * @param pool pool of its requests; null if it rejects them
   * @param reject the error text for clients; null if it does not reject
   * @param pools every pool that its requests may go to, the rule's own first
   * @param policies names of its policies, as the configuration writes them
   */
  public record Rule(
      String match,
      @Nullable String pool,
      @Nullable String reject,
      List<String> pools,
      List<String> policies) {

    /** Copies the lists. */
    public Rule {
      pools = List.copyOf(pools);
      policies = List.copyOf(policies);
    }
  }
}
