package sluice.config.routing;

import java.util.List;
import java.util.Optional;
import sluice.config.model.ExplainedRequest;
import sluice.config.model.RuleConfig;
import sluice.config.model.ShadowConfig;
import sluice.config.schema.Checked;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;
import sluice.config.schema.Layout;
import sluice.config.schema.Quantities;
import sluice.config.schema.Scalars;

/** Description of shadowing: another pool gets copies of requests. */
final class ShadowPolicy implements Policy {
  private static final Key<String> POOL =
      Key.required("pool", Scalars.nameOf("pools"), "Pool that the copies go to.");
  private static final Key<Integer> PERCENT =
      Key.optional("percent", Quantities.percent(), "Share of the requests that are copied.")
          .or("100%");
  private static final Layout<ShadowConfig> LAYOUT =
      Layout.of(ShadowConfig.class)
          .key(POOL, ShadowConfig::pool)
          .key(PERCENT, ShadowConfig::percent);

  static final Key<Fields> KEY =
      RuleKeys.ofRequests(
          Key.optional(
              "shadow", LAYOUT.type(), "Pool that gets copies of requests; none by default."));

  @Override
  public Key<Fields> key() {
    return KEY;
  }

  @Override
  public Layout<RuleConfig> addTo(Layout<RuleConfig> rule) {
    return rule.section(KEY, LAYOUT, RuleConfig::shadow);
  }

  @Override
  public Optional<ShadowConfig> bind(Fields rule) {
    return rule.written(KEY)
        .map(shadow -> new ShadowConfig(shadow.value(POOL), shadow.value(PERCENT)));
  }

  @Override
  public boolean needsPool() {
    return true;
  }

  @Override
  public List<Checked<String>> pools(Fields rule) {
    return List.of(rule.section(KEY).get(POOL));
  }

  @Override
  public void checkBesidePool(Checked<String> own, Fields rule, RulePools pools) {
    Checked<String> name = rule.section(KEY).get(POOL);
    if (name.written()) {
      pools.requireOther(own, name);
      pools.requireServers(name, name);
    }
  }

  @Override
  public void explainOtherPools(RuleConfig rule, ExplainedRequest request) {
    rule.shadow()
        .ifPresent(
            shadow -> {
              String server = request.place(shadow.pool());
              request.say(
                  shadow.percent()
                      + "% of the requests are copied to pool "
                      + shadow.pool()
                      + ", server "
                      + server);
            });
  }
}
