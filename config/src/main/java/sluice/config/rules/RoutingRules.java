package sluice.config.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import sluice.config.model.MatchConfig;
import sluice.config.problems.Problems;
import sluice.config.routing.MatchSection;
import sluice.config.routing.Policies;
import sluice.config.routing.Policy;
import sluice.config.routing.ReplicatePolicy;
import sluice.config.routing.RuleKeys;
import sluice.config.routing.RulePools;
import sluice.config.routing.RuleSection;
import sluice.config.schema.Checked;
import sluice.config.schema.Fields;

/** Checks of rules. Each kind of policy checks which settings do not go with it. */
final class RoutingRules {
  private final Problems problems;

  RoutingRules(Problems problems) {
    this.problems = problems;
  }

  void check(Fields file) {
    Map<String, Checked<Fields>> pools = file.named(FileSection.POOLS);
    for (Checked<List<Checked<Fields>>> route : file.named(FileSection.ROUTES).values()) {
      List<Checked<Fields>> rules = route.value().orElse(List.of());
      for (int i = 0; i < rules.size(); i++) {
        // A rule that is no mapping was already refused, and matches nothing.
        if (rules.get(i).value().isPresent()) {
          Fields rule = Fields.of(rules.get(i));
          policies(rule, pools);
          destination(rules.get(i), rule, pools.keySet());
          match(rule.section(MatchSection.KEY));
          key(rule);
          reachable(rules.get(i), rules.subList(0, i));
        }
      }
    }
  }

  private void policies(Fields rule, Map<String, Checked<Fields>> pools) {
    RulePools named = new RulePools(pools, RuleSection.pools(rule), problems);
    Checked<String> own = rule.get(RuleKeys.POOL);
    boolean toOne = own.written() && !rule.isWritten(ReplicatePolicy.KEY);
    for (Policy policy : RuleSection.policies(rule)) {
      if (policy.needsPool() && !own.written()) {
        rule.get(policy.key()).refuse(problems, "a pool in the same rule");
      }
      if (toOne) {
        policy.checkBesidePool(own, rule, named);
      }
      policy.check(rule, named);
    }
  }

  /** A rule must have exactly one of the keys that name a pool or reject the request. */
  private void destination(Checked<Fields> checked, Fields rule, Set<String> pools) {
    Checked<String> pool = rule.get(RuleKeys.POOL);
    Checked<String> reject = rule.get(RuleKeys.REJECT);
    boolean placed = pool.written();
    List<String> before = new ArrayList<>(List.of("a pool"));
    List<String> all = new ArrayList<>(List.of(RuleKeys.POOL.name()));
    for (Policy policy : Policies.ALL) {
      if (policy.isInPlaceOfPool()) {
        Checked<?> there = rule.get(policy.key());
        String name = policy.key().name();
        if (there.written() && placed) {
          there.refuse(problems, "no " + name + " with " + String.join(" or ", before));
        }
        placed |= there.written();
        before.add(name);
        all.add(name);
      }
    }
    if (reject.written() && placed) {
      reject.refuse(problems, "no reject with a pool");
    }
    if (!placed && !reject.written()) {
      checked.refuse(
          problems,
          "a rule without " + String.join(", ", all) + " and " + RuleKeys.REJECT.name(),
          "one of them");
    }
    References.require(pool, pools, FileSection.POOLS, problems);
  }

  private void match(Fields match) {
    MatchSection.check(match, problems);
    Checked.requireOnce(match.items(MatchSection.COMMANDS), problems);
    Checked.requireOnce(match.items(MatchSection.DIALECTS), problems);
    Checked.requireOnce(match.items(MatchSection.VERBS), problems);
  }

  private void key(Fields rule) {
    Checked<Fields> key = rule.get(RuleSection.KEY);
    if (!key.written()) {
      return;
    }
    if (rule.isWritten(RuleKeys.REJECT)) {
      key.refuse(problems, "no key with reject: rejected requests are not sent on");
    }
    Checked<String> strip = Fields.of(key).get(RuleSection.STRIP);
    Checked<String> prefix = rule.section(MatchSection.KEY).get(MatchSection.PREFIX);
    boolean judged = strip.value().isPresent() && !prefix.isRefused();
    if (judged && !prefix.value().orElse("").startsWith(strip.value().get())) {
      strip.refuse(
          problems,
          "the beginning of match.prefix, "
              + (prefix.value().isPresent() ? prefix.shown() : "which is missing"));
    }
  }

  private void reachable(Checked<Fields> rule, List<Checked<Fields>> earlier) {
    if (MatchSection.isPartlyRefused(Fields.of(rule).get(MatchSection.KEY))) {
      return;
    }
    MatchConfig match = match(rule);
    for (Checked<Fields> before : earlier) {
      boolean known =
          before.value().isPresent()
              && !MatchSection.isPartlyRefused(Fields.of(before).get(MatchSection.KEY));
      if (known && match(before).covers(match)) {
        rule.refuse(
            problems,
            "a rule that never applies",
            "this rule before " + before.path() + ", which matches all of its requests");
        return;
      }
    }
  }

  private static MatchConfig match(Checked<Fields> rule) {
    return MatchSection.bind(Fields.of(rule).section(MatchSection.KEY));
  }
}
