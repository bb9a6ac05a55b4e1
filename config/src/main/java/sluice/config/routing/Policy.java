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
 * pool. The keys of a rule, its record, its printed form, its checks and its explanation are made
 * from {@link Policies#ALL}. A new kind is a description here, a record in {@code model} and a line
 * in {@code Policies}.
 */
public interface Policy {
  /** Its key in a rule, with the keys inside. */
  Key<?> key();

  /** Adds its key to a rule's, with where the record has it. */
  Layout<RuleConfig> addTo(Layout<RuleConfig> rule);

  /** The record of a rule without fault that has the key; empty if it says that nothing is done. */
  Optional<? extends PolicyConfig> bind(Fields rule);

  /** Whether it stands in the place of {@code pool}, and names pools itself. */
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
   * Refuses what a rule with its key must not say, whatever else the rule says.
   *
   * @param pools those that the rule names; takes the problems
   */
  default void check(Fields rule, RulePools pools) {}

  /**
   * Refuses what a rule with its key must not say beside the one pool of its requests.
   *
   * @param own the rule's pool, as written
   * @param pools those that the rule names; takes the problems
   */
  default void checkBesidePool(Checked<String> own, Fields rule, RulePools pools) {}

  /**
   * Judges a rule with its key by the limits of a listener that leads to it.
   *
   * @param limits the listener's section, where nothing may be refused yet
   */
  default void checkBehind(Fields limits, Fields rule, Problems problems) {}

  /**
   * Says what it does with a request of a rule, wherever that goes; nothing if the rule lacks it.
   */
  default void explain(RuleConfig rule, ExplainedRequest request) {}

  /** Says where it sends a request of a rule beside the server of its pool. */
  default void explainOtherPools(RuleConfig rule, ExplainedRequest request) {}
}
