package sluice.gateway.route;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import sluice.codecs.memcached.text.TextLine;
import sluice.names.Command;
import sluice.names.Dialect;

/** Rules in order; the first that matches decides. Immutable. */
public final class Route {
  private final String name;
  private final Rule[] rules;

  public Route(String name, List<Rule> rules) {
    this.name = name;
    this.rules = rules.toArray(Rule[]::new);
  }

  public String name() {
    return name;
  }

  /**
   * What is left of it for one client: a rule that is for another is none to it.
   *
   * @param names what the client's certificate names; none for a client without
   */
  public Route seenBy(Set<String> names) {
    boolean same = Arrays.stream(rules).noneMatch(Rule::asksForClient);
    return same ? this : new Route(name, rules().stream().filter(r -> r.isFor(names)).toList());
  }

  /** The rules in order. */
  public List<Rule> rules() {
    return List.of(rules);
  }

  /**
   * The rule for a request with the key [from, to), or null if none matches. Borrows key.
   *
   * @param line of a request in meta, which has tokens; null of any other
   */
  public Rule find(Command command, Dialect dialect, ByteBuf key, int from, int to, TextLine line) {
    for (Rule rule : rules) {
      if (rule.matches(command, dialect, key, from, to, line)) {
        return rule;
      }
    }
    return null;
  }

  /** The pools of all rules; each once, in order. */
  public int[] pools() {
    return Arrays.stream(rules)
        .flatMapToInt(rule -> Arrays.stream(rule.action().pools()))
        .distinct()
        .toArray();
  }

  /**
   * The pools that a command without a key goes to: those of all rules that take the command,
   * whatever their prefix; each once, in order.
   */
  public int[] keylessPools(Command command, Dialect dialect) {
    return Arrays.stream(rules)
        .filter(rule -> rule.pool() >= 0 && rule.matchesKeyless(command, dialect))
        .flatMapToInt(rule -> Arrays.stream(rule.action().pools()))
        .distinct()
        .toArray();
  }
}
