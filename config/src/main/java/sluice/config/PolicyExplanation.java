package sluice.config;

import sluice.config.model.ExplainedRequest;
import sluice.config.model.RuleConfig;
import sluice.config.routing.Policies;

/**
 * What the policies of a rule do with a request, in sentences for people. Each kind of policy has
 * its own, in the order of the reference page.
 */
public final class PolicyExplanation {
  private PolicyExplanation() {}

  /** Says what is done with a request, wherever it goes. */
  public static void explain(RuleConfig rule, ExplainedRequest request) {
    Policies.ALL.forEach(policy -> policy.explain(rule, request));
  }

  /** Says where a request goes beside the server of its pool. */
  public static void explainOtherPools(RuleConfig rule, ExplainedRequest request) {
    Policies.ALL.forEach(policy -> policy.explainOtherPools(rule, request));
  }
}
