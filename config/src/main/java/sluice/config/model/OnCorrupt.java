package sluice.config.model;

import sluice.names.Labelled;

/** What a read of a value gets that is marked as compressed and cannot be decompressed. */
public enum OnCorrupt implements Labelled {
  /** An error. */
  ERROR("error"),

  /** The value as it is stored. */
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
