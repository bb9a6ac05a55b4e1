package sluice.gateway.route;

import java.util.List;
import java.util.Set;
import sluice.names.Verb;

/**
 * Route of links: rules that remove messages by their verbs, then the pool that every link leads
 * to. Immutable.
 *
 * <p>Arrays are indexed by the ordinals of verbs, which have a meaning only in the running process.
 */
public final class VerbRoute {
  /** Returned by {@link #rule} for verbs that no rule removes. */
  public static final int PASSED = -1;

  /**
   * Rule that removes messages.
   *
   * @param verbs of the messages
   * @param reject the reason, for the log
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
   * @param rejections in the order of the route's rules: the first with a message's verb decides
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

  /** The pool that every link leads to. */
  public String pool() {
    return pool;
  }

  /** Whether it can remove messages at all. */
  public boolean rejects() {
    return !rejections.isEmpty();
  }

  /** Whether another route removes the same messages, for the same reasons. */
  public boolean rejectsAs(VerbRoute other) {
    return rejections.equals(other.rejections);
  }

  /** The number of the rule that removes messages of a verb, or {@link #PASSED}. */
  public int rule(Verb verb) {
    return ruleByVerb[index(verb)];
  }

  /** The reason for which the rule of that number removes messages. */
  public String reject(int rule) {
    return rejections.get(rule).reject();
  }
}
