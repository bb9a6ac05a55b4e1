package sluice.config.sections;

import sluice.config.model.DurationRange;
import sluice.config.model.HealthConfig;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;
import sluice.config.schema.Layout;
import sluice.config.schema.Quantities;

/** Description of a pool's {@code health}: its keys, and its record. */
public final class HealthSection {
  public static final Key<Integer> FAILURES =
      Key.optional(
              "failures",
              Quantities.integer(1, 1_000_000),
              "Number of consecutive failures after which a server is ejected.")
          .or("3");
  public static final Key<Long> SLOW =
      Key.optional(
              "slow",
              Quantities.durationOrNever("1ms", "1h"),
              "A reply that takes longer counts as a failure.")
          .or("never");
  public static final Key<Long> PROBE =
      Key.optional(
              "probe",
              Quantities.duration("10ms", "1h"),
              "Interval between probes of an ejected server, once its ejection time is over.")
          .or("1s");
  public static final Key<DurationRange> EJECT_FOR =
      Key.optional(
              "ejectFor",
              Quantities.durationRange("10ms", "24h"),
              "Ejection time: starts at the first value, and doubles with each repeated ejection up"
                  + " to the second.")
          .or("1s..30s");
  public static final Key<Integer> MAX_EJECTED =
      Key.optional(
              "maxEjected",
              Quantities.percent(),
              "Largest share of the pool's servers that may be ejected at once, rounded down.")
          .or("50%");
  public static final Key<Boolean> REHASH =
      Key.optional(
              "rehash",
              Quantities.bool(),
              "Whether other servers take over the keys of an ejected server; if false, requests"
                  + " for these keys fail.")
          .or("true");

  /** Its keys, and the record's value for each. */
  public static final Layout<HealthConfig> LAYOUT =
      Layout.of(HealthConfig.class)
          .key(FAILURES, HealthConfig::failures)
          .key(SLOW, HealthConfig::slowMillis)
          .key(PROBE, HealthConfig::probeMillis)
          .key(EJECT_FOR, HealthConfig::ejectFor)
          .key(MAX_EJECTED, HealthConfig::maxEjectedPercent)
          .key(REHASH, HealthConfig::rehash);

  private HealthSection() {}

  /** The record of a valid section. */
  static HealthConfig bind(Fields health) {
    return new HealthConfig(
        health.value(FAILURES),
        health.value(SLOW),
        health.value(PROBE),
        health.value(EJECT_FOR),
        health.value(MAX_EJECTED),
        health.value(REHASH));
  }
}
