package sluice.config.model;

import sluice.names.Labelled;

/** Source of a pool's servers. */
public enum DiscoverSource implements Labelled {
  /** DNS for the addresses of a name: A and AAAA records. */
  DNS("dns"),

  /** DNS for the services behind a name: SRV records (RFC 2782). */
  SRV("srv"),

  /** An ElastiCache cluster's configuration endpoint, by {@code config get cluster}. */
  ELASTICACHE("elasticache");

  private final String label;

  DiscoverSource(String label) {
    this.label = label;
  }

  /** As it is written in the configuration file. */
  @Override
  public String label() {
    return label;
  }
}
