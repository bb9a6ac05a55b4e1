package sluice.config.sections;

import sluice.config.model.HashConfig;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;
import sluice.config.schema.Layout;
import sluice.config.schema.Quantities;
import sluice.config.schema.Scalars;
import sluice.names.Distribution;
import sluice.names.HashFunction;

/** Description of a pool's {@code hash}: its keys, and its record. */
public final class HashSection {
  public static final Key<HashFunction> FUNCTION =
      Key.optional("function", Scalars.choice(HashFunction.class), "Hash function for keys.")
          .or("murmur3");
  public static final Key<Distribution> DISTRIBUTION =
      Key.optional(
              "distribution",
              Scalars.choice(Distribution.class),
              "How hashes are assigned to servers.")
          .or("ketama");
  public static final Key<String> TAG =
      Key.optional(
          "tag",
          Scalars.tag(),
          "Two characters, such as `{}`. If a key has both, only the part between them is hashed.");
  public static final Key<Long> SLOW_START =
      Key.optional(
              "slowStart",
              Quantities.duration("0ms", "1h"),
              "Time over which a new server gradually gets its keys.")
          .or("0ms");

  /** Its keys, and the record's value for each. */
  public static final Layout<HashConfig> LAYOUT =
      Layout.of(HashConfig.class)
          .key(FUNCTION, HashConfig::function)
          .key(DISTRIBUTION, HashConfig::distribution)
          .optional(TAG, HashConfig::tag)
          .key(SLOW_START, HashConfig::slowStartMillis);

  private HashSection() {}

  /** The record of a valid section. */
  static HashConfig bind(Fields hash) {
    return new HashConfig(
        hash.value(FUNCTION), hash.value(DISTRIBUTION), hash.optional(TAG), hash.value(SLOW_START));
  }
}
