package sluice.config.routing;

import static sluice.config.model.PoolProtocol.EMBEDDED;
import static sluice.config.model.PoolProtocol.IGNITE;

import java.util.List;
import java.util.Optional;
import sluice.config.model.ExplainedRequest;
import sluice.config.model.PoolDialect;
import sluice.config.model.RuleConfig;
import sluice.config.model.WarmUpConfig;
import sluice.config.schema.Checked;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;
import sluice.config.schema.Layout;
import sluice.config.schema.Scalars;
import sluice.config.sections.PoolSection;

/**
 * Description of warm-up: misses of a cold pool are filled from a warm one. The warm pool is also
 * asked for an item's metadata, which only meta reports.
 */
final class WarmUpPolicy implements Policy {
  private static final Key<String> COLD =
      Key.required("cold", Scalars.nameOf("pools"), "Pool that the requests go to.");
  private static final Key<String> WARM =
      Key.required(
          "warm", Scalars.nameOf("pools"), "Pool in which misses of the cold pool are looked up.");
  private static final Layout<WarmUpConfig> LAYOUT =
      Layout.of(WarmUpConfig.class).key(COLD, WarmUpConfig::cold).key(WARM, WarmUpConfig::warm);
  private static final Key<Fields> KEY =
      RuleKeys.ofRequests(
          Key.optional(
              "warmUp",
              LAYOUT.type(),
              "A cold pool that is filled from a warm one, instead of `pool`."));

  @Override
  public Key<Fields> key() {
    return KEY;
  }

  @Override
  public Layout<RuleConfig> addTo(Layout<RuleConfig> rule) {
    return rule.section(KEY, LAYOUT, each -> each.policy(WarmUpConfig.class));
  }

  @Override
  public Optional<WarmUpConfig> bind(Fields rule) {
    return rule.written(KEY)
        .map(warmUp -> new WarmUpConfig(warmUp.value(COLD), warmUp.value(WARM)));
  }

  @Override
  public boolean isInPlaceOfPool() {
    return true;
  }

  @Override
  public List<Checked<String>> pools(Fields rule) {
    Fields warmUp = rule.section(KEY);
    return List.of(warmUp.get(COLD), warmUp.get(WARM));
  }

  @Override
  public void check(Fields rule, RulePools pools) {
    Checked<String> cold = rule.section(KEY).get(COLD);
    Checked<String> warm = rule.section(KEY).get(WARM);
    pools.requireOther(cold, warm);
    if (pools.isKnown(cold)) {
      requireMeta(cold, pools);
    }
    requireMeta(warm, pools);
  }

  private static void requireMeta(Checked<String> name, RulePools pools) {
    pools.requireServers(name, name);
    Fields pool = pools.find(name).map(Fields::of).orElse(Fields.NONE);
    if (PoolSection.isOf(pool, IGNITE)) {
      pools.refuse(name, "a pool of memcached servers");
      return;
    }
    boolean meta =
        pool.optional(PoolSection.DIALECT)
            .filter(d -> d == PoolDialect.SAME || d == PoolDialect.META)
            .isPresent();
    if (pools.find(name).isPresent() && !meta && !PoolSection.isOf(pool, EMBEDDED)) {
      name.refuse(
          pools.problems(),
          name.shown() + ", with dialect " + pool.get(PoolSection.DIALECT).shown(),
          "a pool with dialect same or meta");
    }
  }

  @Override
  public void explainOtherPools(RuleConfig rule, ExplainedRequest request) {
    rule.warm()
        .ifPresent(
            warm -> {
              String server = request.place(warm);
              request.say("a miss is filled from pool " + warm + ", server " + server);
            });
  }
}
