package sluice.config.model;

import java.util.Optional;

/**
 * A server of a pool.
 *
 * @param address where it listens
 * @param weight its share of the keys, at least 1
 * @param identity its name on the hash ring: the one written for it, else the address as written in
 *     the file, without the weight, or as it was discovered
 * @param host what its certificate must name, unless the pool says what; empty for the host in its
 *     address
 * @param named whether the identity is a name of its own, that stays when the address changes
 */
public record ServerConfig(
    Address address, int weight, String identity, Optional<String> host, boolean named) {
  /** A server that is known by its address. */
  public ServerConfig(Address address, int weight, String identity, Optional<String> host) {
    this(address, weight, identity, host, false);
  }

  /** The same, whose certificate names the host in its address. */
  public ServerConfig(Address address, int weight, String identity) {
    this(address, weight, identity, Optional.empty());
  }

  /** As it is written in the configuration file. */
  public String label() {
    return (named ? address.label() : identity)
        + (weight == 1 ? "" : " weight=" + weight)
        + (named ? " name=" + identity : "");
  }
}
