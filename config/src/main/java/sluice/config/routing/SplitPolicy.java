package sluice.config.routing;

import java.util.List;
import java.util.Optional;
import sluice.config.model.ExplainedRequest;
import sluice.config.model.RuleConfig;
import sluice.config.model.SplitConfig;
import sluice.config.problems.Problems;
import sluice.config.schema.Checked;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;
import sluice.config.schema.Layout;
import sluice.config.schema.Quantities;
import sluice.config.schema.Type;
import sluice.config.sections.CompressionSection;
import sluice.config.sections.LimitsSection;
import sluice.config.sections.PoolSection;

/**
 * Description of splitting: large values are stored in chunks. Chunks are items of the same pool,
 * which are requested after the head was read.
 */
final class SplitPolicy implements Policy {
  /** The largest value that memcached accepts by default, in bytes. */
  private static final long WHOLE_IN_MEMCACHED = 1023 << 10;

  private static final Key<Long> ABOVE =
      Key.required(
          "above",
          Quantities.size("1KiB", "1GiB"),
          "Size of the largest value that is stored whole, and of the largest chunk.");
  private static final Key<Integer> FLAG =
      Key.optional(
              "flag", Quantities.flag(), "The bit of an item's flags that marks values in chunks.")
          .or("0x20000");
  private static final Layout<SplitConfig> LAYOUT =
      Layout.of(SplitConfig.class).key(ABOVE, SplitConfig::aboveBytes).key(FLAG, SplitConfig::flag);
  static final Key<Fields> KEY =
      RuleKeys.ofRequests(
          Key.optional(
              "split",
              new Type.Brief<>(LAYOUT.type(), ABOVE),
              "Storage of large values in chunks; off by default."));

  @Override
  public Key<Fields> key() {
    return KEY;
  }

  @Override
  public Layout<RuleConfig> addTo(Layout<RuleConfig> rule) {
    return rule.section(KEY, LAYOUT, RuleConfig::split);
  }

  @Override
  public Optional<SplitConfig> bind(Fields rule) {
    return rule.written(KEY).map(split -> new SplitConfig(split.value(ABOVE), split.value(FLAG)));
  }

  @Override
  public boolean needsPool() {
    return true;
  }

  @Override
  public void check(Fields rule, RulePools pools) {
    Checked<Fields> split = rule.get(KEY);
    for (Key<?> other : List.of(ShadowPolicy.KEY, NearCachePolicy.KEY)) {
      if (rule.isWritten(other)) {
        pools.refuse(rule.get(other), "nothing here with " + split.path());
      }
    }
    pools.names().forEach(name -> pools.requireMemcached(split, name));
    pools.names().forEach(name -> requireOtherBit(rule, name, pools));
    if (rule.section(KEY).optional(ABOVE).orElse(0L) > WHOLE_IN_MEMCACHED) {
      split.warn(
          pools.problems(),
          "at most 1023KiB, unless all servers run with an item size (-I) that has room"
              + " for such a value, its key and 60 bytes");
    }
  }

  /** Compression also marks its values with a bit of their flags. */
  private static void requireOtherBit(Fields rule, Checked<String> name, RulePools pools) {
    Fields compression =
        pools
            .find(name)
            .flatMap(pool -> Fields.of(pool).written(PoolSection.COMPRESSION))
            .orElse(Fields.NONE);
    Checked<Integer> taken = compression.get(CompressionSection.FLAG);
    Checked<Integer> own = rule.section(KEY).get(FLAG);
    if (own.value().isPresent() && taken.value().equals(own.value())) {
      Checked<?> at = own.written() ? own : rule.get(KEY);
      pools.refuse(at, "a flag other than " + taken.path() + ", " + taken.shown());
    }
  }

  /** Splitting is useless if values are refused before they are long enough to be split. */
  @Override
  public void checkBehind(Fields limits, Fields rule, Problems problems) {
    Checked<Long> itemSize = limits.get(LimitsSection.ITEM_SIZE);
    Optional<Long> above = rule.section(KEY).optional(ABOVE);
    if (itemSize.value().isPresent()
        && above.isPresent()
        && above.get() >= itemSize.value().get()
        && above.get() <= WHOLE_IN_MEMCACHED) {
      rule.get(KEY)
          .warn(
              problems,
              "less than " + itemSize.path() + ", " + itemSize.shown() + ": no value is longer");
    }
  }

  @Override
  public void explain(RuleConfig rule, ExplainedRequest request) {
    rule.split()
        .ifPresent(
            split ->
                request.say(
                    "a value of more than "
                        + split.aboveBytes()
                        + " bytes is stored in chunks; each chunk has its own key and server"));
  }
}
