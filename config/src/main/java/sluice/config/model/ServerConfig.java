package sluice.config.model;

import java.util.Optional;

/**
 * Server of a pool.
 *
 * @param address that it listens on
 * @param weight its share of the keys, at least 1
 * @param identity its name on the hash ring: the written name, else the address as written or
 *     discovered, without the weight
 * @param host name that its certificate must contain, unless the pool sets one; empty for the host
 *     in its address
 * @param named whether the identity is a name that stays the same when the address changes
 */
public record ServerConfig(
    Address address, int weight, String identity, Optional<String> host, boolean named) {
  /** A server identified by its address. */
  public ServerConfig(Address address, int weight, String identity, Optional<String> host) {
    this(address, weight, identity, host, false);
  }

  /** A server identified by its address, whose certificate names the host in it. */
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
