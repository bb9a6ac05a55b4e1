package sluice.config;

/**
 * A server of a pool.
 *
 * @param address where it listens
 * @param weight its share of the keys, at least 1
 * @param identity its name on the hash ring: the address as written in the file, without the weight
 */
public record ServerConfig(Address address, int weight, String identity) {
  /** As it is written in the configuration file. */
  public String label() {
    return weight == 1 ? identity : identity + " weight=" + weight;
  }
}
