package sluice.config.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import sluice.config.model.NodeName;
import sluice.config.problems.Problems;
import sluice.config.routing.MatchSection;
import sluice.config.routing.RuleKeys;
import sluice.config.routing.RuleSection;
import sluice.config.schema.Checked;
import sluice.config.schema.Fields;
import sluice.config.schema.Type.Pair;

/**
 * Checks of rules in internode routes. A link leads to one server, so rules before the last can
 * only remove messages from the link.
 */
final class InternodeRules {
  private final Problems problems;

  InternodeRules(Problems problems) {
    this.problems = problems;
  }

  void check(Fields rule) {
    addresses(rule);
    Checked<?> verbs = rule.section(MatchSection.KEY).get(MatchSection.VERBS);
    Checked<?> reject = rule.get(RuleKeys.REJECT);
    if (rule.isWritten(RuleKeys.POOL) && !reject.written()) {
      if (verbs.isGood()) {
        verbs.refuse(problems, "nothing here: all messages of a link go to one pool");
      }
    } else if (reject.written() && !verbs.written()) {
      reject.refuse(problems, "match.verbs in the same rule");
    }
  }

  /** The replacement must be one to one over both maps; otherwise it could not be undone. */
  private void addresses(Fields rule) {
    Checked<Fields> addresses = rule.get(RuleSection.ADDRESSES);
    if (!addresses.isGood()) {
      return;
    }
    if (rule.isWritten(RuleKeys.REJECT)) {
      addresses.refuse(problems, "no addresses with reject: rejected messages are not sent on");
      return;
    }
    List<Pair<NodeName, NodeName>> pairs =
        new ArrayList<>(Fields.of(addresses).items(RuleSection.FROM));
    pairs.addAll(Fields.of(addresses).items(RuleSection.TO));
    for (int i = 0; i < pairs.size(); i++) {
      Pair<NodeName, NodeName> pair = pairs.get(i);
      if (pair.key().value().isPresent() && pair.value().value().isPresent()) {
        ports(pair.key().value().get(), pair.value());
        List<Pair<NodeName, NodeName>> before = pairs.subList(0, i);
        once(pair.key(), before, Pair::key, "each address only once");
        once(pair.value(), before, Pair::value, "each replacement only once");
      }
    }
  }

  private void ports(NodeName from, Checked<NodeName> to) {
    if (from.hasPort() != to.value().orElseThrow().hasPort()) {
      to.refuse(
          problems,
          "an address " + (from.hasPort() ? "with" : "without") + " a port, like those before it");
    }
  }

  private void once(
      Checked<NodeName> address,
      List<Pair<NodeName, NodeName>> before,
      Function<Pair<NodeName, NodeName>, Checked<NodeName>> side,
      String expected) {
    NodeName name = address.value().orElseThrow();
    before.stream()
        .map(side)
        .filter(other -> other.value().filter(o -> o.overlaps(name)).isPresent())
        .findFirst()
        .ifPresent(
            other -> address.refuse(problems, expected + ": " + other.path() + " is the same"));
  }
}
