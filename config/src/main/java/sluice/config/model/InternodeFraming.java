package sluice.config.model;

import sluice.names.Labelled;

/** Framing of messages to a Cassandra node. */
public enum InternodeFraming implements Labelled {
  /** The framing that the sending node chose. */
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
