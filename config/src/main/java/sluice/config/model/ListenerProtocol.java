package sluice.config.model;

import sluice.names.Labelled;

/** Protocol of a listener's clients. */
public enum ListenerProtocol implements Labelled {
  /** memcached, in the dialects that the listener names. */
  MEMCACHED("memcached"),

  /** The protocol between Cassandra nodes. */
  INTERNODE("internode"),

  /** Apache Ignite's memcached protocol: binary, with types of values as flags. */
  IGNITE("ignite");

  private final String label;

  ListenerProtocol(String label) {
    this.label = label;
  }

  /** As it is written in the configuration file. */
  @Override
  public String label() {
    return label;
  }
}
