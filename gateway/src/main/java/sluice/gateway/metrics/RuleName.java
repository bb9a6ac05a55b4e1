package sluice.gateway.metrics;

import java.util.Comparator;

/**
 * A rule.
 *
 * @param route its route
 * @param index which of the route's rules it is, from 0
 */
record RuleName(String route, int index) implements Comparable<RuleName> {
  private static final Comparator<RuleName> ORDER =
      Comparator.comparing(RuleName::route).thenComparing(RuleName::index);

  @Override
  public int compareTo(RuleName other) {
    return ORDER.compare(this, other);
  }
}
