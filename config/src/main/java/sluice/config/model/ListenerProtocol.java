package sluice.config.model;

import sluice.names.Labelled;

/** What a listener's clients speak. */
public enum ListenerProtocol implements Labelled {
  /** memcached, in the dialects that the listener names. */
  MEMCACHED("memcached"),

  /** What Cassandra's nodes say to each other. */
  INTERNODE("internode"),

  /** Apache Ignite's memcached protocol: binary, its flags the types of values. */
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
