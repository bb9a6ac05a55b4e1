package sluice.config.model;

import sluice.names.Labelled;

/** Reply to a read of many keys when one of its servers fails. */
public enum OnFailure implements Labelled {
  /** The read fails. */
  ERROR("error"),

  /** The keys of that server are misses. */
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
