package sluice.config.model;

/**
 * Rewriting of keys by a rule: first a prefix is removed, then another is added.
 *
 * @param strip prefix to remove; empty for none
 * @param add prefix to add; empty for none
 */
public record KeyConfig(String strip, String add) {
  /** Whether neither is set. */
  public boolean isEmpty() {
    return strip.isEmpty() && add.isEmpty();
  }

  /** Whether keys stay unchanged. */
  public boolean isUnchanged() {
    return strip.equals(add);
  }
}
