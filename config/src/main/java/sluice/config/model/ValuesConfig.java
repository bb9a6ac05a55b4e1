package sluice.config.model;

import java.util.List;
import java.util.Optional;

/**
 * Changes to values that are read.
 *
 * @param replace replacements inside values; of two that match at one place, the first listed is
 *     used
 * @param plain the layout whose headers are removed; empty if values have none
 */
public record ValuesConfig(List<ReplacementConfig> replace, Optional<PlainValues> plain) {
  /** Takes a copy of the list. */
  public ValuesConfig {
    replace = List.copyOf(replace);
  }
}
