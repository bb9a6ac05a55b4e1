package sluice.config.model;

import sluice.names.Labelled;

/** Reply to a read of a value that is marked as compressed and cannot be decompressed. */
public enum OnCorrupt implements Labelled {
  /** An error. */
  ERROR("error"),

  /** The value in its stored form. */
  PASS("pass");

  private final String label;

  OnCorrupt(String label) {
    this.label = label;
  }

  /** As it is written in the configuration file. */
  @Override
  public String label() {
    return label;
  }
}
