package sluice.config;

/** What a pool's servers are spoken to in. */
public enum PoolDialect implements Labelled {
  /** What the client speaks. */
  SAME("same");

  private final String label;

  PoolDialect(String label) {
    this.label = label;
  }

  /** As it is written in the configuration file. */
  @Override
  public String label() {
    return label;
  }
}
