package sluice.config.model;

import sluice.names.Labelled;

/** Requirement for clients' certificates. */
public enum ClientAuth implements Labelled {
  /** Clients are not asked for a certificate. */
  NONE("none"),

  /** A client may omit its certificate; a certificate that it presents must be valid. */
  REQUEST("request"),

  /** A client without a valid certificate is disconnected. */
  REQUIRE("require");

  private final String label;

  ClientAuth(String label) {
    this.label = label;
  }

  /** As it is written in the configuration file. */
  @Override
  public String label() {
    return label;
  }
}
