package sluice.gateway.admin;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Route that one request would take.
 *
 * @param rule the matching rule for people: its number and its conditions
 * @param key the server key; null if no server would get the request
 * @param pool null if the rule sends the request to no pool
 * @param server null if there is none
 * @param fallbacks servers that would be tried after it, in order
 * @param why the decisions for people, step by step
 */
public record Explanation(
    @Nullable String rule,
    @Nullable String key,
    @Nullable String pool,
    @Nullable String server,
    List<String> fallbacks,
    List<String> why) {

  /** Copies the lists. */
  public Explanation {
    fallbacks = List.copyOf(fallbacks);
    why = List.copyOf(why);
  }
}
