package sluice.config.routing;

import java.util.Optional;
import sluice.config.model.RuleConfig;
import sluice.config.model.StripTokenConfig;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;
import sluice.config.schema.Layout;
import sluice.config.schema.Quantities;

/** Description of removing the token that a rule requires. */
public final class StripTokenPolicy implements Policy {
  private static final Key<Boolean> KEY =
      RuleKeys.ofRequests(
          Key.optional(
              "stripToken",
              Quantities.bool(),
              "Whether the gateway removes `match.token` from requests. Off by default."));

  @Override
  public Key<Boolean> key() {
    return KEY;
  }

  @Override
  public Layout<RuleConfig> addTo(Layout<RuleConfig> rule) {
    return rule.optional(KEY, each -> Optional.of(each.stripToken()).filter(strips -> strips));
  }

  @Override
  public Optional<StripTokenConfig> bind(Fields rule) {
    return rule.optional(KEY).filter(strips -> strips).map(strips -> new StripTokenConfig());
  }

  @Override
  public void check(Fields rule, RulePools pools) {
    if (!rule.section(MatchSection.KEY).isWritten(MatchSection.TOKEN)) {
      pools.refuse(rule.get(KEY), "match.token in the same rule");
    }
  }
}
