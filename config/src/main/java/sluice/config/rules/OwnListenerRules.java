package sluice.config.rules;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import sluice.config.problems.Problems;
import sluice.config.rules.OwnListener.Rule;
import sluice.config.rules.OwnListener.Target;
import sluice.config.schema.Checked;
import sluice.config.schema.Fields;

/**
 * Check that no server leads requests back to where they came from: each would be received and sent
 * for ever. Servers that are discovered, and other gateways that send requests back, are not known.
 */
final class OwnListenerRules {
  private final Problems problems;

  /** A way from a listener, by a rule of its route, to another one. */
  private record Way(OwnListener from, Rule rule, Target target) {}

  OwnListenerRules(Problems problems) {
    this.problems = problems;
  }

  void check(Fields file) {
    Map<String, OwnListener> listeners = OwnListener.of(file);
    List<Way> returning = returning(listeners);
    ReturningRequest requests = new ReturningRequest(listeners);
    Set<String> judged = new HashSet<>();
    for (Way way : returning) {
      if (!judged.contains(way.target().server().path())) {
        requests.from(way.from(), way.rule()).ifPresent(found -> refuse(found, judged));
      }
    }
    for (Way way : returning) {
      if (judged.add(way.target().server().path())) {
        warn(way.target(), way.rule());
      }
    }
  }

  /** The ways from a listener to one whose rules lead to it again. */
  private static List<Way> returning(Map<String, OwnListener> listeners) {
    Map<String, Set<String>> reached = new HashMap<>();
    List<Way> ways = new ArrayList<>();
    for (OwnListener listener : listeners.values()) {
      for (Rule rule : listener.rules()) {
        for (Target target : rule.targets()) {
          if (reached
              .computeIfAbsent(target.to(), from -> reachedFrom(from, listeners))
              .contains(listener.name())) {
            ways.add(new Way(listener, rule, target));
          }
        }
      }
    }
    return ways;
  }

  /** The listener, and those to which its rules lead, by any number of steps. */
  private static Set<String> reachedFrom(String listener, Map<String, OwnListener> listeners) {
    Set<String> reached = new HashSet<>(List.of(listener));
    Deque<String> next = new ArrayDeque<>(reached);
    while (!next.isEmpty()) {
      for (Rule rule : Objects.requireNonNull(listeners.get(next.remove())).rules()) {
        rule.targets().stream().map(Target::to).filter(reached::add).forEach(next::add);
      }
    }
    return reached;
  }

  private void refuse(ReturningRequest.Found found, Set<String> judged) {
    Checked<?> server = found.target().server();
    if (judged.add(server.path())) {
      server.refuse(
          problems,
          outside(found.target())
              + ", and "
              + String.join(" and ", found.rules())
              + " would send "
              + found.sample()
              + " to it for ever");
    }
  }

  private void warn(Target target, Rule rule) {
    target
        .server()
        .warn(
            problems,
            outside(target)
                + ", so unless a rewritten key leads elsewhere, "
                + rule.path()
                + " sends requests to it for ever");
  }

  private static String outside(Target target) {
    return "a server outside this gateway: listeners." + target.to() + " listens here";
  }
}
