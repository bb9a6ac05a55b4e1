package sluice.config.sections;

import java.util.List;
import sluice.config.model.PlainValues;
import sluice.config.model.ReplacementConfig;
import sluice.config.model.ValuesConfig;
import sluice.config.schema.Checked;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;
import sluice.config.schema.Layout;
import sluice.config.schema.Scalars;
import sluice.config.schema.Type;

/** Description of a pool's {@code values}: its keys, and its record. */
public final class ValuesSection {
  public static final Key<String> FIND =
      Key.required("find", Scalars.find(), "Text to search for.");
  public static final Key<String> WITH =
      Key.required("with", Scalars.with(), "Text that replaces it.");

  private static final Layout<ReplacementConfig> REPLACEMENT =
      Layout.of(ReplacementConfig.class)
          .key(FIND, ReplacementConfig::find)
          .key(WITH, ReplacementConfig::with);

  public static final Key<List<Checked<Fields>>> REPLACE =
      Key.optional(
          "replace",
          new Type.Items<>("replacement", REPLACEMENT.type(), false),
          "Replacements in these values. If several match at the same place, the first in the list"
              + " is used.");
  public static final Key<PlainValues> PLAIN =
      Key.optional(
          "plain",
          Scalars.choice(PlainValues.class),
          "Layout in which Kafka Streams stored the values; their headers are removed.");

  /** Its keys, and the record's value for each. */
  public static final Layout<ValuesConfig> LAYOUT =
      Layout.of(ValuesConfig.class)
          .sections(REPLACE, REPLACEMENT, ValuesConfig::replace)
          .optional(PLAIN, ValuesConfig::plain);

  private ValuesSection() {}

  /** The record of a valid section. */
  static ValuesConfig bind(Fields values) {
    return new ValuesConfig(
        values.values(REPLACE).stream()
            .map(each -> new ReplacementConfig(each.value(FIND), each.value(WITH)))
            .toList(),
        values.optional(PLAIN));
  }
}
