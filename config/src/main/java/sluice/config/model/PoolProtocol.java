package sluice.config.model;

import sluice.names.Labelled;

/** Protocol of a pool's servers, or the embedded store. */
public enum PoolProtocol implements Labelled {
  /** memcached servers. */
  MEMCACHED("memcached"),

  /** The store inside this process. */
  EMBEDDED("embedded"),

  /** A Cassandra node's storage port. */
  INTERNODE("internode"),

  /** Apache Ignite nodes, by the memcached protocol of their REST connector. */
  IGNITE("ignite");

  private final String label;

  PoolProtocol(String label) {
    this.label = label;
  }

  /** As it is written in the configuration file. */
  @Override
  public String label() {
    return label;
  }
}
