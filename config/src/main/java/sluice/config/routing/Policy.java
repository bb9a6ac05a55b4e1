package sluice.config.routing;

import java.util.List;
import java.util.Optional;
import sluice.config.model.ExplainedRequest;
import sluice.config.model.PolicyConfig;
import sluice.config.model.RuleConfig;
import sluice.config.problems.Problems;
import sluice.config.schema.Checked;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;
import sluice.config.schema.Layout;

/**
 * Description of one kind of policy, which is what a rule does with requests beyond naming their
 * pool. {@link Policies#ALL} is the source of a rule's keys, its record, its printed form, its
 * checks and its explanation. A new kind is a description here, a record in {@code model} and a
 * line in {@code Policies}.
 */
public interface Policy {
  /** Its key in a rule, including the keys inside. */
  Key<?> key();

  /** Adds its key to a rule's layout, with the record's value for it. */
  Layout<RuleConfig> addTo(Layout<RuleConfig> rule);

  /** The record for a valid rule that has the key; empty if the setting amounts to no policy. */
  Optional<? extends PolicyConfig> bind(Fields rule);

  /** Whether it takes the place of {@code pool}, and names pools itself. */
  default boolean isInPlaceOfPool() {
    return false;
  }

  /** Whether it needs a {@code pool} beside it. */
  default boolean needsPool() {
    return false;
  }

  /** The pools that it names in a rule, as written. */
  default List<Checked<String>> pools(Fields rule) {
    return List.of();
  }

  /**
   * Refuses settings that do not go with its key, judging by the rule alone.
   *
   * @param pools named by the rule; receives the problems
   */
  default void check(Fields rule, RulePools pools) {}

  /**
   * Refuses settings that do not go with its key beside the rule's one pool.
   *
   * @param own the rule's pool, as written
   * @param pools named by the rule; receives the problems
   */
  default void checkBesidePool(Checked<String> own, Fields rule, RulePools pools) {}

  /**
   * Checks a rule with its key against the limits of a listener that leads to it.
   *
   * @param limits the listener's section, where nothing may have been refused yet
   */
  default void checkBehind(Fields limits, Fields rule, Problems problems) {}

  /**
   * Explains what it does with a request of a rule, for any destination; adds nothing if the rule
   * lacks it.
   */
  default void explain(RuleConfig rule, ExplainedRequest request) {}

  /** Explains which servers it sends a request to, besides the one in the rule's pool. */
  default void explainOtherPools(RuleConfig rule, ExplainedRequest request) {}
}
