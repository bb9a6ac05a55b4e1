package sluice.config.routing;

import java.util.List;
import java.util.Optional;
import sluice.config.model.MigrateConfig;
import sluice.config.model.RuleConfig;
import sluice.config.schema.Checked;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;
import sluice.config.schema.Layout;
import sluice.config.schema.Quantities;
import sluice.config.schema.Scalars;

/** Description of migration: a share of the keys, which may grow, goes to another pool. */
final class MigratePolicy implements Policy {
  private static final Key<String> TO =
      Key.required("to", Scalars.nameOf("pools"), "Pool that these keys move to.");
  private static final Key<Integer> PERCENT =
      Key.optional("percent", Quantities.percent(), "Share of the keys that move.").or("100%");
  private static final Key<Long> FROM =
      Key.optional(
          "from",
          Quantities.instant(),
          "Start of the migration; by default, the full share applies immediately.");
  private static final Key<Long> UNTIL =
      Key.optional("until", Quantities.instant(), "Time at which the share reaches `percent`.");
  private static final Layout<MigrateConfig> LAYOUT =
      Layout.of(MigrateConfig.class)
          .key(TO, MigrateConfig::to)
          .key(PERCENT, MigrateConfig::percent)
          .optional(FROM, migrate -> migrate.period().map(MigrateConfig.Period::fromMillis))
          .optional(UNTIL, migrate -> migrate.period().map(MigrateConfig.Period::untilMillis));
  private static final Key<Fields> KEY =
      RuleKeys.ofRequests(
          Key.optional(
              "migrate",
              LAYOUT.type(),
              "Moves a share of the keys to another pool; none by default."));

  @Override
  public Key<Fields> key() {
    return KEY;
  }

  @Override
  public Layout<RuleConfig> addTo(Layout<RuleConfig> rule) {
    return rule.section(KEY, LAYOUT, RuleConfig::migrate);
  }

  @Override
  public Optional<MigrateConfig> bind(Fields rule) {
    return rule.written(KEY)
        .map(
            migrate ->
                new MigrateConfig(
                    migrate.value(TO),
                    migrate.value(PERCENT),
                    migrate
                        .optional(FROM)
                        .map(from -> new MigrateConfig.Period(from, migrate.value(UNTIL)))));
  }

  @Override
  public boolean needsPool() {
    return true;
  }

  @Override
  public List<Checked<String>> pools(Fields rule) {
    return List.of(rule.section(KEY).get(TO));
  }

  @Override
  public void checkBesidePool(Checked<String> own, Fields rule, RulePools pools) {
    Fields migrate = rule.section(KEY);
    if (migrate.isWritten(TO)) {
      pools.requireOther(own, migrate.get(TO));
    }
    Checked<Long> from = migrate.get(FROM);
    Checked<Long> until = migrate.get(UNTIL);
    if (from.written() != until.written()) {
      Checked<Long> there = from.written() ? from : until;
      Key<Long> missing = from.written() ? UNTIL : FROM;
      pools.refuse(there, missing.name() + " too: the share grows between the two times");
    }
    if (from.value().isPresent()
        && until.value().isPresent()
        && from.value().get() >= until.value().get()) {
      pools.refuse(until, "a time after " + from.path() + ", " + from.shown());
    }
  }
}
