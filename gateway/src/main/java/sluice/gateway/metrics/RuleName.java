package sluice.gateway.metrics;

import java.util.Comparator;

/**
 * Identity of a rule.
 *
 * @param route its route
 * @param index of the rule in its route, from 0
 */
record RuleName(String route, int index) implements Comparable<RuleName> {
  private static final Comparator<RuleName> ORDER =
      Comparator.comparing(RuleName::route).thenComparing(RuleName::index);

  @Override
  public int compareTo(RuleName other) {
    return ORDER.compare(this, other);
  }
}
