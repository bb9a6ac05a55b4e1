package sluice.config.routing;

import java.util.Optional;
import sluice.config.model.ExplainedRequest;
import sluice.config.model.LimitConfig;
import sluice.config.model.RuleConfig;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;
import sluice.config.schema.Layout;
import sluice.config.schema.Quantities;

/** Description of the rate limit for a rule's requests. */
final class LimitPolicy implements Policy {
  private static final Key<Integer> RATE =
      Key.required(
          "rate",
          Quantities.integer(1, 10_000_000),
          "Requests per second. In a read of many keys, each key counts.");
  private static final Key<Integer> BURST =
      Key.optional(
              "burst",
              Quantities.integer(1, 10_000_000),
              "Requests that may pass at once after a pause.")
          .orElse("as `rate`");
  private static final Layout<LimitConfig> LAYOUT =
      Layout.of(LimitConfig.class).key(RATE, LimitConfig::rate).key(BURST, LimitConfig::burst);
  private static final Key<Fields> KEY =
      RuleKeys.ofRequests(
          Key.optional(
              "limit", LAYOUT.type(), "Rate limit on the rule's requests; none by default."));

  @Override
  public Key<Fields> key() {
    return KEY;
  }

  @Override
  public Layout<RuleConfig> addTo(Layout<RuleConfig> rule) {
    return rule.section(KEY, LAYOUT, RuleConfig::limit);
  }

  @Override
  public Optional<LimitConfig> bind(Fields rule) {
    return rule.written(KEY)
        .map(
            limit ->
                new LimitConfig(
                    limit.value(RATE), limit.optional(BURST).orElse(limit.value(RATE))));
  }

  @Override
  public void check(Fields rule, RulePools pools) {
    if (rule.isWritten(RuleKeys.REJECT)) {
      pools.refuse(rule.get(KEY), "no limit with reject");
    }
  }

  @Override
  public void explain(RuleConfig rule, ExplainedRequest request) {
    rule.limit()
        .ifPresent(
            limit ->
                request.say(
                    "at most "
                        + limit.rate()
                        + " of its requests pass per second, and "
                        + limit.burst()
                        + " at once after a pause"));
  }
}
