package sluice.gateway.route.hash;

import java.nio.charset.StandardCharsets;
import java.util.Objects;
import sluice.names.Distribution;
import sluice.names.RingName;

/**
 * Server as a member of a ring.
 *
 * @param name the identity in the configuration: an address such as {@code 10.0.0.1:11211}, or a
 *     display name that stays when the address changes
 * @param host host name or address, or the absolute path of a Unix socket
 * @param port 1 to 65535; 0 for a Unix socket
 * @param weight share of the keys relative to the other members, 1 or more
 */
public record Member(String name, String host, int port, int weight) {
  public Member {
    Objects.requireNonNull(host, "host");
    if (name == null || name.isEmpty()) {
      throw new IllegalArgumentException("name: found none, expected what identifies the server");
    }
    if (weight < 1) {
      throw new IllegalArgumentException(
          "weight of " + name + ": found " + weight + ", expected 1 or more");
    }
  }

  /** The name on a ring of a distribution. */
  String nameIn(Distribution distribution) {
    return ringName().in(distribution);
  }

  /** The text that twemproxy hashes for this server. */
  String twemproxyIdentity() {
    return ringName().twemproxy();
  }

  /** The text that libmemcached hashes for this server. */
  String libmemcachedIdentity() {
    return ringName().libmemcached();
  }

  /** The text that is hashed by clients that name a server as it is written. */
  String clientIdentity() {
    return ringName().ofClients();
  }

  private RingName ringName() {
    return new RingName(name, host, port);
  }

  static byte[] bytes(String identity) {
    return identity.getBytes(StandardCharsets.UTF_8);
  }
}
