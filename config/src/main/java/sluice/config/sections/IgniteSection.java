package sluice.config.sections;

import sluice.config.model.Counters;
import sluice.config.model.IgniteConfig;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;
import sluice.config.schema.Layout;
import sluice.config.schema.Scalars;

/** Description of a pool's {@code ignite}: its keys, and its record. */
public final class IgniteSection {
  public static final Key<String> CACHE_NAME =
      Key.optional(
              "cacheName", Scalars.cacheName(), "Name of the Ignite cache that holds the items.")
          .or("default");
  public static final Key<Counters> COUNTERS =
      Key.optional(
              "counters",
              Scalars.choice(Counters.class),
              "Whether incr and decr are refused, or change an atomic long of Ignite, outside the"
                  + " cache.")
          .or("refuse");

  /** Its keys, and the record's value for each. */
  public static final Layout<IgniteConfig> LAYOUT =
      Layout.of(IgniteConfig.class)
          .key(CACHE_NAME, IgniteConfig::cacheName)
          .key(COUNTERS, IgniteConfig::counters);

  private IgniteSection() {}

  /** The record of a valid section. */
  static IgniteConfig bind(Fields ignite) {
    return new IgniteConfig(ignite.value(CACHE_NAME), ignite.value(COUNTERS));
  }
}
