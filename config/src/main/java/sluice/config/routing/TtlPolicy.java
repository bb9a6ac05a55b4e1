package sluice.config.routing;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import sluice.config.model.DurationText;
import sluice.config.model.ExplainedRequest;
import sluice.config.model.LimitsConfig;
import sluice.config.model.RuleConfig;
import sluice.config.model.TtlConfig;
import sluice.config.schema.Checked;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;
import sluice.config.schema.Layout;
import sluice.config.schema.Quantities;

/** Description of the bounds of times to live. */
final class TtlPolicy implements Policy {
  private static final Key<Long> MIN =
      Key.optional(
          "min",
          Quantities.duration("1s", "365d"),
          "Minimum time to live; a shorter one is raised to it.");
  private static final Key<Long> MAX =
      Key.optional(
              "max",
              Quantities.durationOrNever("1s", "365d"),
              "Maximum time to live; a longer or infinite one is lowered to it.")
          .or("never");
  private static final Key<Integer> JITTER =
      Key.optional(
          "jitter",
          Quantities.percent(),
          "Times to live are shortened at random by up to this share.");
  private static final Layout<TtlConfig> LAYOUT =
      Layout.of(TtlConfig.class)
          .optional(MIN, ttl -> Optional.of(ttl.minMillis()).filter(min -> min > 0))
          .key(MAX, TtlConfig::maxMillis)
          .optional(JITTER, ttl -> Optional.of(ttl.jitterPercent()).filter(jitter -> jitter > 0));
  private static final Key<Fields> KEY =
      RuleKeys.ofRequests(
          Key.optional("ttl", LAYOUT.type(), "Bounds on times to live; none by default."));

  @Override
  public Key<Fields> key() {
    return KEY;
  }

  @Override
  public Layout<RuleConfig> addTo(Layout<RuleConfig> rule) {
    return rule.section(KEY, LAYOUT, RuleConfig::ttl);
  }

  @Override
  public Optional<TtlConfig> bind(Fields rule) {
    return rule.written(KEY)
        .map(
            ttl ->
                new TtlConfig(
                    ttl.optional(MIN).orElse(0L), ttl.value(MAX), ttl.optional(JITTER).orElse(0)));
  }

  @Override
  public void check(Fields rule, RulePools pools) {
    Checked<Fields> checked = rule.get(KEY);
    Fields ttl = rule.section(KEY);
    if (checked.value().isPresent() && ttl.all().stream().noneMatch(Checked::written)) {
      checked.refuse(pools.problems(), "nothing", "min, max or jitter");
    }
    Optional<Long> min = ttl.optional(MIN);
    Optional<Long> max = ttl.optional(MAX).filter(m -> m != LimitsConfig.NEVER);
    if (min.isPresent() && max.isPresent() && min.get() > max.get()) {
      pools.refuse(ttl.get(MIN), "at most max, " + ttl.get(MAX).shown());
    }
    if (rule.isWritten(RuleKeys.REJECT)) {
      pools.refuse(checked, "no ttl with reject");
    }
    pools.names().forEach(name -> pools.requireServers(checked, name));
  }

  @Override
  public void explain(RuleConfig rule, ExplainedRequest request) {
    rule.ttl()
        .ifPresent(
            ttl -> {
              List<String> bounds = new ArrayList<>();
              if (ttl.minMillis() > 0) {
                bounds.add("at least " + DurationText.of(ttl.minMillis()));
              }
              if (ttl.maxMillis() != LimitsConfig.NEVER) {
                bounds.add("at most " + DurationText.of(ttl.maxMillis()));
              }
              if (ttl.jitterPercent() > 0) {
                bounds.add("shortened at random by up to " + ttl.jitterPercent() + "%");
              }
              request.say("times to live are " + String.join(", ", bounds));
            });
  }
}
