package sluice.gateway.route;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.text.TextLine;
import sluice.names.Command;
import sluice.names.Dialect;

/** Route: rules in order; the first that matches decides. Immutable. */
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
   * The route without the rules for other clients.
   *
   * @param names in the client's certificate; empty for a client without one
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
   * @param line of a meta request, which has tokens; null for any other
   */
  public @Nullable Rule find(
      Command command, Dialect dialect, ByteBuf key, int from, int to, @Nullable TextLine line) {
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
   * The pools that a command without a key goes to, each once, in order. They are the pools of all
   * rules that may apply to this command with some key. These end at the first rule that matches
   * the command with every key, because later rules never get such a request.
   */
  public int[] keylessPools(Command command, Dialect dialect) {
    return keylessRules(command, dialect).stream()
        .filter(rule -> rule.pool() >= 0)
        .flatMapToInt(rule -> Arrays.stream(rule.action().pools()))
        .distinct()
        .toArray();
  }

  /** The error text of the rule that rejects a command without a key; null if none does. */
  public @Nullable String keylessRejection(Command command, Dialect dialect) {
    for (Rule rule : keylessRules(command, dialect)) {
      if (rule.matchesEveryKey()) {
        return rule.reject();
      }
    }
    return null;
  }

  private List<Rule> keylessRules(Command command, Dialect dialect) {
    List<Rule> met = new ArrayList<>();
    for (Rule rule : rules) {
      if (rule.matchesKeyless(command, dialect)) {
        met.add(rule);
        if (rule.matchesEveryKey()) {
          break;
        }
      }
    }
    return met;
  }
}
