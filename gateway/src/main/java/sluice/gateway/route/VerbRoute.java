package sluice.gateway.route;

import java.util.List;
import java.util.Set;
import sluice.names.Verb;

/**
 * A route of links: rules that take messages out by their verbs, then the pool that every link
 * leads to. Immutable.
 *
 * <p>Verbs index arrays by their ordinals, which live no longer than the process.
 */
public final class VerbRoute {
  /** Returned by {@link #rule} for verbs that no rule takes out. */
  public static final int PASSED = -1;

  /**
   * One rule that takes messages out.
   *
   * @param verbs which messages
   * @param reject why, for the log
   */
  public record Rejection(Set<Verb> verbs, String reject) {
    /** Takes a copy of the verbs. */
    public Rejection {
      verbs = Set.copyOf(verbs);
    }
  }

  private final String name;
  private final String pool;
  private final List<Rejection> rejections;
  private final int[] ruleByVerb = new int[Verb.values().length];

  /**
   * A route to one pool.
   *
   * @param rejections in the order of its rules: the first with a message's verb decides
   */
  public VerbRoute(String name, List<Rejection> rejections, String pool) {
    this.name = name;
    this.pool = pool;
    this.rejections = List.copyOf(rejections);
    for (Verb verb : Verb.values()) {
      ruleByVerb[index(verb)] = find(verb);
    }
  }

  private int find(Verb verb) {
    for (int i = 0; i < rejections.size(); i++) {
      if (rejections.get(i).verbs().contains(verb)) {
        return i;
      }
    }
    return PASSED;
  }

  @SuppressWarnings("EnumOrdinal")
  private static int index(Verb verb) {
    return verb.ordinal();
  }

  public String name() {
    return name;
  }

  /** Where every link leads to. */
  public String pool() {
    return pool;
  }

  /** Whether it may take messages out at all. */
  public boolean rejects() {
    return !rejections.isEmpty();
  }

  /** Whether another takes the same messages out, for the same reasons. */
  public boolean rejectsAs(VerbRoute other) {
    return rejections.equals(other.rejections);
  }

  /** The number of the rule that takes messages of a verb out, or {@link #PASSED}. */
  public int rule(Verb verb) {
    return ruleByVerb[index(verb)];
  }

  /** Why the rule of that number takes messages out. */
  public String reject(int rule) {
    return rejections.get(rule).reject();
  }
}
