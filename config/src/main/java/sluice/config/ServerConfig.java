package sluice.config;

import java.util.Optional;

/**
 * A server of a pool.
 *
 * @param address where it listens
 * @param weight its share of the keys, at least 1
 * @param identity its name on the hash ring: the address as written in the file, without the
 *     weight, or as it was discovered
 * @param host what its certificate must name, unless the pool says what; empty for the host in its
 *     address
 */
public record ServerConfig(Address address, int weight, String identity, Optional<String> host) {
  /** A server whose certificate names the host in its address. */
  public ServerConfig(Address address, int weight, String identity) {
    this(address, weight, identity, Optional.empty());
  }

  /** As it is written in the configuration file. */
  public String label() {
    return weight == 1 ? identity : identity + " weight=" + weight;
  }
}
