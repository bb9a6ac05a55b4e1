package sluice.config.model;

import sluice.names.Labelled;

/** Dialect that is used with a pool's servers. */
public enum PoolDialect implements Labelled {
  /** The client's dialect. */
  SAME("same"),

  /** The classic text commands. */
  TEXT("text"),

  /** The meta commands. */
  META("meta"),

  /** The binary protocol. */
  BINARY("binary");

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
