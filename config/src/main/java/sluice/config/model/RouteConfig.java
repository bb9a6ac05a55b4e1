package sluice.config.model;

import java.util.List;

/**
 * Route: a list of rules; the first that matches a request decides.
 *
 * @param name its key under {@code routes}
 * @param rules at least one
 */
public record RouteConfig(String name, List<RuleConfig> rules) {
  /** Takes a copy of the rules. */
  public RouteConfig {
    rules = List.copyOf(rules);
  }
}
