package sluice.config.model;

import sluice.names.Labelled;

/** Whether those who connect must show a certificate. */
public enum ClientAuth implements Labelled {
  /** None is asked for. */
  NONE("none"),

  /** Who has none may come; one that is shown must be good. */
  REQUEST("request"),

  /** Who shows no good one is closed. */
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
