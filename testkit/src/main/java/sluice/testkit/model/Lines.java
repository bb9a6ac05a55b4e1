package sluice.testkit.model;

/** Way in which a version reads lines, of which there have been three. */
public enum Lines {
  /** No meta commands; a NUL ends the line. */
  V1_4("1.4.39"),
  /** Meta commands; a NUL ends the line. */
  V1_6_18("1.6.18"),
  /** The parser that the built-in proxy shares: since 1.6.40. */
  V1_6_45("1.6.45");

  private final String version;

  Lines(String version) {
    this.version = version;
  }

  /** The version as memcached reports it. */
  public String version() {
    return version;
  }
}
