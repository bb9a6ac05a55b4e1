package sluice.config.model;

import java.util.List;
import java.util.Optional;

/**
 * What becomes of values that are read.
 *
 * @param replace what is replaced in them; where two could be at one place, the first listed
 * @param plain the layout whose headers are left out; empty if values have none
 */
public record ValuesConfig(List<ReplacementConfig> replace, Optional<PlainValues> plain) {
  /** Takes a copy of the list. */
  public ValuesConfig {
    replace = List.copyOf(replace);
  }
}
