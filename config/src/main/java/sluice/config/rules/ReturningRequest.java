package sluice.config.rules;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import sluice.config.model.MatchConfig;
import sluice.config.rules.OwnListener.Rule;
import sluice.config.rules.OwnListener.Target;
import sluice.names.Command;
import sluice.names.Dialect;

/**
 * Search for a request that the rules send back to where it was, through servers that are listeners
 * of this gateway. It follows sample requests: one for each rule, with the shortest key that the
 * rule matches. If a longer key returns for ever, so does the sample of the rule that reads most of
 * it. What a rule does with a request that may or may not match is not guessed: the search ends
 * there.
 */
final class ReturningRequest {
  private static final int MOST_IN_A_KEY = 250;

  /** A character that no prefix contains. */
  private static final String REST = "\1";

  private final Map<String, OwnListener> listeners;
  private final Set<String> commands = new TreeSet<>(Set.of("get", "mg", "stats"));
  private final boolean identifies;

  ReturningRequest(Map<String, OwnListener> listeners) {
    this.listeners = listeners;
    List<Rule> rules = listeners.values().stream().flatMap(each -> each.rules().stream()).toList();
    rules.forEach(rule -> commands.addAll(rule.match().commands()));
    identifies =
        rules.stream().flatMap(rule -> rule.targets().stream()).anyMatch(Target::identifies);
  }

  /**
   * A request at a listener.
   *
   * @param listener its name
   * @param key empty for a request without one
   * @param command its label; empty if it depends on a bridge to another dialect
   * @param dialect of the request
   * @param token for proxies; empty for none
   */
  private record State(
      String listener, String key, String command, Dialect dialect, Optional<String> token) {}

  /** A way from one listener to the next. */
  private record Step(State from, Rule rule, Target target, State to) {}

  /**
   * Proof that requests return for ever.
   *
   * @param target through which the request returns
   * @param sample of the requests, in words
   * @param rules that it meets on its way, as in {@code routes.cache[0]}
   */
  record Found(Target target, String sample, List<String> rules) {}

  private enum Matches {
    YES,
    NO,
    PERHAPS
  }

  /** Requests that a rule of a listener sends to this gateway again, and that return for ever. */
  Optional<Found> from(OwnListener listener, Rule rule) {
    if (!rule.judged()) {
      return Optional.empty();
    }
    return samples(listener, rule).stream().flatMap(sample -> follow(sample).stream()).findFirst();
  }

  private List<State> samples(OwnListener listener, Rule rule) {
    MatchConfig match = rule.match();
    Set<String> of = new TreeSet<>(match.commands().isEmpty() ? commands : match.commands());
    of.add("");
    List<State> keyed = new ArrayList<>();
    List<State> keyless = new ArrayList<>();
    for (String command : of) {
      for (Dialect dialect : Dialect.values()) {
        boolean meant = match.dialects().isEmpty() || match.dialects().contains(dialect);
        if (!meant || !isIn(dialect, command) || !accepts(listener, dialect)) {
          continue;
        }
        if (command.isEmpty() || hasKey(command)) {
          String key = match.prefix() + REST;
          keyed.add(new State(listener.name(), key, command, dialect, match.token()));
        }
        if (command.isEmpty() || !hasKey(command)) {
          keyless.add(new State(listener.name(), "", command, dialect, Optional.empty()));
        }
      }
    }
    keyed.addAll(keyless);
    return keyed;
  }

  private static boolean isIn(Dialect dialect, String command) {
    return command.isEmpty() || (dialect == Dialect.META) == isMeta(command);
  }

  private static boolean isMeta(String command) {
    return command.equals(Command.ME.label())
        || named(command).filter(Command::takesTokens).isPresent();
  }

  private static boolean hasKey(String command) {
    return named(command).filter(Command::hasKey).isPresent();
  }

  private static Optional<Command> named(String label) {
    return Arrays.stream(Command.values()).filter(c -> c.label().equals(label)).findFirst();
  }

  private static boolean accepts(OwnListener listener, Dialect dialect) {
    return listener.internode() || listener.dialects().contains(dialect);
  }

  private Optional<Found> follow(State sample) {
    Map<State, Optional<Step>> seen = new HashMap<>();
    Deque<State> next = new ArrayDeque<>(List.of(sample));
    seen.put(sample, Optional.empty());
    while (!next.isEmpty()) {
      for (Step step : steps(next.remove())) {
        State to = step.to();
        if (to.equals(sample) || to.key().length() > MOST_IN_A_KEY) {
          return Optional.of(found(step, sample, seen));
        }
        if (seen.putIfAbsent(to, Optional.of(step)) == null) {
          next.add(to);
        }
      }
    }
    return Optional.empty();
  }

  private static Found found(Step last, State sample, Map<State, Optional<Step>> seen) {
    List<String> rules = new ArrayList<>();
    Optional<Step> step = Optional.of(last);
    while (step.isPresent() && !rules.contains(step.get().rule().path())) {
      rules.add(0, step.get().rule().path());
      step = seen.getOrDefault(step.get().from(), Optional.empty());
    }
    return new Found(last.target(), words(sample), rules);
  }

  private static String words(State sample) {
    if (sample.command().isEmpty()) {
      return sample.key().isEmpty() ? "commands without a key" : "requests";
    }
    return sample.command();
  }

  private OwnListener listener(String name) {
    return Objects.requireNonNull(listeners.get(name));
  }

  private List<Step> steps(State at) {
    OwnListener listener = listener(at.listener());
    List<Step> steps = new ArrayList<>();
    for (Rule rule : listener.rules()) {
      Matches matches = listener.internode() ? link(rule) : matches(rule, at);
      boolean last = isLast(rule, at, matches);
      if (matches == Matches.YES) {
        for (Target target : rule.targets()) {
          State to = through(target, rule, at);
          if (accepts(listener(target.to()), to.dialect())) {
            steps.add(new Step(at, rule, target, to));
          }
        }
      }
      if (last) {
        break;
      }
    }
    return steps;
  }

  /** A request with a key ends at its rule, and one without a key at a rule for every key. */
  private static boolean isLast(Rule rule, State at, Matches matches) {
    boolean everyKey = rule.match().prefix().isEmpty() && rule.match().token().isEmpty();
    return matches != Matches.NO && (!at.key().isEmpty() || everyKey);
  }

  /** A link is opened for the messages of all rules, and its pool is that of the last one. */
  private static Matches link(Rule rule) {
    return rule.match().verbs().isEmpty() ? Matches.YES : Matches.NO;
  }

  private Matches matches(Rule rule, State at) {
    MatchConfig match = rule.match();
    boolean keyed = !at.key().isEmpty();
    boolean unnamed = at.command().isEmpty() && !match.commands().isEmpty();
    if ((!unnamed && !isAmong(match.commands(), at.command()))
        || !isAmong(match.dialects(), at.dialect())
        || (match.client().isPresent() && !identifies)
        || (keyed && match.token().isPresent() && !match.token().equals(at.token()))
        || (keyed && !at.key().startsWith(match.prefix()))) {
      return rule.judged() ? Matches.NO : Matches.PERHAPS;
    }
    boolean sure = rule.judged() && !unnamed && match.client().isEmpty();
    return sure ? Matches.YES : Matches.PERHAPS;
  }

  private static <T> boolean isAmong(Set<T> some, T one) {
    return some.isEmpty() || some.contains(one);
  }

  private static State through(Target target, Rule rule, State at) {
    Dialect dialect =
        switch (target.dialect()) {
          case SAME -> at.dialect();
          case TEXT -> Dialect.TEXT;
          case META -> Dialect.META;
          case BINARY -> Dialect.BINARY;
        };
    boolean bridged = dialect != at.dialect();
    String strip = at.key().startsWith(rule.strip()) ? rule.strip() : ""; // else it was refused
    return new State(
        target.to(),
        at.key().isEmpty() ? "" : rule.add() + at.key().substring(strip.length()),
        bridged ? "" : at.command(),
        dialect,
        bridged || rule.stripsToken() ? Optional.empty() : at.token());
  }
}
