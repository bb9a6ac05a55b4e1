package sluice.perf.simulation;

import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Rule that lets so many requests pass, and rejects the others.
 *
 * @param route that the rule belongs to
 * @param number of the rule in its route, from 0
 * @param prefix what its keys begin with
 * @param rate requests a second
 * @param burst requests at once
 */
record Limit(String route, int number, String prefix, int rate, int burst) {
  /** The route of clients of memcached's dialects. */
  static final String CACHE = "cache";

  /** The route of clients of Ignite's dialect. */
  static final String ITEMS = "items";

  private static final int MOST_RATE = 12;
  private static final int MOST_BURST = 12;

  /** Two of a route, whose errors differ, and one of the route of Ignite's clients. */
  static List<Limit> choose(RandomGenerator random) {
    int rate = random.nextInt(1, MOST_RATE);
    int other = rate + random.nextInt(1, MOST_RATE);
    return List.of(
        new Limit(CACHE, 1, "limited1:", rate, random.nextInt(1, MOST_BURST)),
        new Limit(CACHE, 2, "limited2:", other, random.nextInt(1, MOST_BURST)),
        new Limit(ITEMS, 0, "limited3:", random.nextInt(1, 4), random.nextInt(1, 4)));
  }

  /** The part that some have in a route. */
  static String yaml(List<Limit> limits, String route) {
    StringBuilder yaml = new StringBuilder();
    for (Limit limit : limits) {
      if (limit.route.equals(route)) {
        yaml.append(limit.yaml());
      }
    }
    return yaml.toString();
  }

  private String yaml() {
    return """
        - match: {prefix: "%s"}
          pool: cache
          limit: {rate: %d, burst: %d}
    """
        .formatted(prefix, rate, burst);
  }

  /** What clients are told whose request is rejected. */
  String error() {
    return "SERVER_ERROR over the limit of " + rate + " requests a second of route " + route;
  }

  /** What a gateway's count of rejected requests begins with. */
  String series() {
    return "sluice_limited_requests_total{route=\"" + route + "\",rule=\"" + number + "\"}";
  }
}
