package sluice.config.routing;

import java.util.List;
import java.util.Optional;
import sluice.config.model.Acks;
import sluice.config.model.ExplainedRequest;
import sluice.config.model.PoolDialect;
import sluice.config.model.Reads;
import sluice.config.model.ReplicateConfig;
import sluice.config.model.RuleConfig;
import sluice.config.schema.Checked;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;
import sluice.config.schema.Layout;
import sluice.config.schema.Scalars;
import sluice.config.schema.Type;
import sluice.config.sections.PoolSection;

/**
 * Description of replication: requests go to several pools at the same time, in one canonical form.
 * All pools must use the same dialect.
 */
public final class ReplicatePolicy implements Policy {
  private static final int MOST = 16;

  private static final Key<List<Checked<String>>> POOLS =
      Key.required(
          "pools",
          new Type.Items<>("pool", Scalars.nameOf("pools"), false),
          "Pools that requests go to; at least two.");
  private static final Key<Acks> ACKS =
      Key.optional(
              "acks",
              Scalars.choice(Acks.class),
              "How many pools must acknowledge a change before the client gets its reply.")
          .or("all");
  private static final Key<Reads> READS =
      Key.optional(
              "reads",
              Scalars.choice(Reads.class),
              "`first` reads from all pools, and the first hit is the reply. `nearest` reads from"
                  + " the pool that has recently been fastest.")
          .or("first");
  private static final Layout<ReplicateConfig> LAYOUT =
      Layout.of(ReplicateConfig.class)
          .list(POOLS, replicate -> Optional.of(replicate.pools()))
          .key(ACKS, ReplicateConfig::acks)
          .key(READS, ReplicateConfig::reads);

  /** The key in a rule. */
  public static final Key<Fields> KEY =
      RuleKeys.ofRequests(
          Key.optional(
              "replicate",
              LAYOUT.type(),
              "Several pools that requests are replicated to, instead of `pool`."));

  @Override
  public Key<Fields> key() {
    return KEY;
  }

  @Override
  public Layout<RuleConfig> addTo(Layout<RuleConfig> rule) {
    return rule.section(KEY, LAYOUT, RuleConfig::replicate);
  }

  @Override
  public Optional<ReplicateConfig> bind(Fields rule) {
    return rule.written(KEY)
        .map(
            replicate ->
                new ReplicateConfig(
                    replicate.values(POOLS), replicate.value(ACKS), replicate.value(READS)));
  }

  @Override
  public boolean isInPlaceOfPool() {
    return true;
  }

  @Override
  public List<Checked<String>> pools(Fields rule) {
    return rule.section(KEY).items(POOLS);
  }

  @Override
  public void check(Fields rule, RulePools pools) {
    List<Checked<String>> names = pools(rule);
    Checked<?> list = rule.section(KEY).get(POOLS);
    if (list.value().isPresent() && (names.size() < 2 || names.size() > MOST)) {
      list.refuse(pools.problems(), names.size() + " pools", "2 to " + MOST);
    }
    Checked.requireOnce(names, pools.problems());
    for (Checked<String> name : names) {
      pools.isKnown(name);
      pools.requireServers(name, name);
      requireAlike(names.get(0), name, pools);
    }
  }

  private static void requireAlike(Checked<String> first, Checked<String> name, RulePools pools) {
    Optional<PoolDialect> expected = dialect(first, pools);
    Optional<PoolDialect> found = dialect(name, pools);
    if (expected.isPresent() && found.isPresent() && !expected.equals(found)) {
      name.refuse(
          pools.problems(),
          name.shown() + ", with dialect " + found.get().label(),
          "a pool with dialect " + expected.get().label() + ", as " + first.path());
    }
  }

  private static Optional<PoolDialect> dialect(Checked<String> name, RulePools pools) {
    return pools.find(name).flatMap(pool -> Fields.of(pool).optional(PoolSection.DIALECT));
  }

  @Override
  public void explainOtherPools(RuleConfig rule, ExplainedRequest request) {
    rule.replicate()
        .ifPresent(
            replicate -> {
              for (String pool : replicate.pools().subList(1, replicate.pools().size())) {
                request.say("pool " + pool + " is another replica");
                request.placeAlso(pool);
              }
              request.say(
                  "acknowledgements that a change needs: "
                      + replicate.acks().label()
                      + "; reads go to "
                      + (replicate.reads() == Reads.NEAREST
                          ? "the fastest pool"
                          : "all pools, and the first hit is the reply"));
            });
  }
}
