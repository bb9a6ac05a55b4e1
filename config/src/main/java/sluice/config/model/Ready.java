package sluice.config.model;

import sluice.names.Labelled;

/** Scope of {@code GET /ready} on the admin port. */
public enum Ready implements Labelled {
  /** The process serves: neither starting nor draining. */
  PROCESS("process"),

  /** The process serves, and every route has a usable server. */
  ROUTES("routes");

  private final String label;

  Ready(String label) {
    this.label = label;
  }

  /** As it is written in the configuration file. */
  @Override
  public String label() {
    return label;
  }
}
