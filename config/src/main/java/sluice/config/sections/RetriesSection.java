package sluice.config.sections;

import sluice.config.model.RetriesConfig;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;
import sluice.config.schema.Layout;
import sluice.config.schema.Quantities;

/** Description of a pool's {@code retries}: its keys, and its record. */
public final class RetriesSection {
  public static final Key<Integer> MAX =
      Key.optional("max", Quantities.integer(1, 10), "How many times one read may be retried.")
          .or("1");
  public static final Key<Integer> BUDGET =
      Key.optional(
              "budget",
              Quantities.percent(),
              "Largest share of the pool's requests that may be retried.")
          .or("20%");

  /** Its keys, and the record's value for each. */
  public static final Layout<RetriesConfig> LAYOUT =
      Layout.of(RetriesConfig.class)
          .key(MAX, RetriesConfig::max)
          .key(BUDGET, RetriesConfig::budgetPercent);

  private RetriesSection() {}

  /** The record of a valid section. */
  static RetriesConfig bind(Fields retries) {
    return new RetriesConfig(retries.value(MAX), retries.value(BUDGET));
  }
}
