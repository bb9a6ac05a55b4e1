package sluice.config;

import sluice.config.model.ExplainedRequest;
import sluice.config.model.RuleConfig;
import sluice.config.routing.Policies;

/**
 * Explanation of what the policies of a rule do with a request, in sentences for people. Each kind
 * of policy has its own sentences, in the order of the reference page.
 */
public final class PolicyExplanation {
  private PolicyExplanation() {}

  /** Explains what happens to a request wherever it is sent. */
  public static void explain(RuleConfig rule, ExplainedRequest request) {
    Policies.ALL.forEach(policy -> policy.explain(rule, request));
  }

  /** Explains which pools a request goes to besides the server of its own pool. */
  public static void explainOtherPools(RuleConfig rule, ExplainedRequest request) {
    Policies.ALL.forEach(policy -> policy.explainOtherPools(rule, request));
  }
}
