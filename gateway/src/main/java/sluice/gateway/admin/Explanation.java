package sluice.gateway.admin;

import java.util.List;

/**
 * The way one request would take.
 *
 * @param rule which rule of the route matched, for people: its number and what it matches
 * @param key the key as the server would see it; null when no server would
 * @param pool null when the rule sends the request to no pool
 * @param server null when there is none to send it to
 * @param fallbacks servers that would be tried after it, in order
 * @param why for people: step by step, how it came to this
 */
public record Explanation(
    String rule, String key, String pool, String server, List<String> fallbacks, List<String> why) {

  /** Copies the lists. */
  public Explanation {
    fallbacks = List.copyOf(fallbacks);
    why = List.copyOf(why);
  }
}
