package sluice.config.routing;

import java.util.List;
import java.util.Optional;
import sluice.config.model.DurationText;
import sluice.config.model.ExplainedRequest;
import sluice.config.model.FailoverConfig;
import sluice.config.model.LimitsConfig;
import sluice.config.model.RuleConfig;
import sluice.config.schema.Checked;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;
import sluice.config.schema.Layout;
import sluice.config.schema.Quantities;
import sluice.config.schema.Scalars;
import sluice.config.schema.Type;

/** Description of failover: pools that are tried when the server of a key accepts no requests. */
final class FailoverPolicy implements Policy {
  private static final Key<List<Checked<String>>> POOLS =
      Key.required(
          "pools",
          new Type.Items<>("pool", Scalars.nameOf("pools"), false),
          "Pools in the order in which they are tried.");
  private static final Key<Long> MAX_TTL =
      Key.optional(
              "maxTtl",
              Quantities.durationOrNever("1s", "365d"),
              "Longest time to live of items that are written to these pools.")
          .or("never");
  private static final Layout<FailoverConfig> LAYOUT =
      Layout.of(FailoverConfig.class)
          .list(POOLS, failover -> Optional.of(failover.pools()))
          .key(MAX_TTL, FailoverConfig::maxTtlMillis);
  private static final Key<Fields> KEY =
      RuleKeys.ofRequests(
          Key.optional(
              "failover",
              new Type.Brief<>(LAYOUT.type(), POOLS),
              "Pools tried, in order, when the server of a key accepts no requests."));

  @Override
  public Key<Fields> key() {
    return KEY;
  }

  @Override
  public Layout<RuleConfig> addTo(Layout<RuleConfig> rule) {
    return rule.section(KEY, LAYOUT, RuleConfig::failover);
  }

  @Override
  public Optional<FailoverConfig> bind(Fields rule) {
    return rule.written(KEY)
        .map(failover -> new FailoverConfig(failover.values(POOLS), failover.value(MAX_TTL)));
  }

  @Override
  public boolean needsPool() {
    return true;
  }

  @Override
  public List<Checked<String>> pools(Fields rule) {
    return rule.section(KEY).items(POOLS);
  }

  @Override
  public void checkBesidePool(Checked<String> own, Fields rule, RulePools pools) {
    List<Checked<String>> names = pools(rule);
    names.forEach(name -> pools.requireOther(own, name));
    Checked.requireOnce(names, pools.problems());
    Checked<Long> maxTtl = rule.section(KEY).get(MAX_TTL);
    if (!maxTtl.value().equals(Optional.of(LimitsConfig.NEVER))) {
      names.forEach(name -> pools.requireServers(maxTtl, name));
    }
  }

  @Override
  public void explainOtherPools(RuleConfig rule, ExplainedRequest request) {
    rule.failover()
        .ifPresent(
            failover -> {
              for (String pool : failover.pools()) {
                request.say("if that server accepts no requests, pool " + pool + " is tried");
                request.placeAlso(pool);
              }
              if (failover.maxTtlMillis() != LimitsConfig.NEVER) {
                request.say(
                    "items written there live for at most "
                        + DurationText.of(failover.maxTtlMillis()));
              }
            });
  }
}
