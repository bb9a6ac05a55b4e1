package sluice.gateway.metrics;

import java.util.Locale;

/** What became of a changed configuration file: the {@code result} label of reloads. */
public enum ReloadResult {
  /** It is valid and runs. */
  APPLIED,
  /** It is not valid; what ran before runs on. */
  REFUSED;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** As it is written in metrics. */
  public String label() {
    return label;
  }
}
