package sluice.config.model;

import sluice.names.Labelled;

/** What a read of many keys answers when one of its servers cannot. */
public enum OnFailure implements Labelled {
  /** The read fails. */
  ERROR("error"),

  /** The keys of that server are missed. */
  MISS("miss");

  private final String label;

  OnFailure(String label) {
    this.label = label;
  }

  /** As it is written in the configuration file. */
  @Override
  public String label() {
    return label;
  }
}
