package sluice.config.model;

import sluice.names.Labelled;

/** How messages to a Cassandra node are wrapped. */
public enum InternodeFraming implements Labelled {
  /** As the node that sends them chose. */
  SAME("same"),
  CRC("crc"),
  LZ4("lz4"),
  UNPROTECTED("unprotected");

  private final String label;

  InternodeFraming(String label) {
    this.label = label;
  }

  /** As it is written in the configuration file. */
  @Override
  public String label() {
    return label;
  }
}
