package sluice.names;

/**
 * Dialects of memcached's protocol, recognised by a connection's first byte or a request's command.
 */
public enum Dialect implements Labelled {
  /** The classic text commands. */
  TEXT("text"),

  /** The meta commands: mg, ms, md, ma, mn, me. */
  META("meta"),

  /** The binary protocol. */
  BINARY("binary");

  private final String label;

  Dialect(String label) {
    this.label = label;
  }

  /** As it is written in the configuration file. */
  @Override
  public String label() {
    return label;
  }
}
