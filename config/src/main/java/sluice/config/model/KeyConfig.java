package sluice.config.model;

/**
 * How a rule rewrites a key: what it begins with goes, then something is put in front.
 *
 * @param strip removed from the front; empty for nothing
 * @param add put in front; empty for nothing
 */
public record KeyConfig(String strip, String add) {
  /** Whether neither is there. */
  public boolean isEmpty() {
    return strip.isEmpty() && add.isEmpty();
  }

  /** Whether the key stays as it is. */
  public boolean isUnchanged() {
    return strip.equals(add);
  }
}
