package sluice.gateway.route.hash;

import java.nio.charset.StandardCharsets;
import java.util.Objects;

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
  private static final int DEFAULT_PORT = 11_211;

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

  /**
   * The text that twemproxy hashes for this server: the display name if there is one, else the
   * address, without the port if that is 11211. A Unix socket's path keeps the colon that separates
   * it from the weight in twemproxy's file.
   */
  String twemproxyIdentity() {
    if (hasDisplayName()) {
      return name;
    }
    if (isUnixSocket()) {
      return host + ":";
    }
    return port == DEFAULT_PORT ? host : host + ":" + port;
  }

  /** The text that libmemcached hashes: as twemproxy's, but a Unix socket has the port 0. */
  String libmemcachedIdentity() {
    return isUnixSocket() && !hasDisplayName() ? host + ":0" : twemproxyIdentity();
  }

  /**
   * The text that clients hash which name a server as it is written, always with its port; a Unix
   * socket by its path.
   */
  String clientIdentity() {
    return hasDisplayName() ? name : isUnixSocket() ? host : host + ":" + port;
  }

  private boolean hasDisplayName() {
    return isUnixSocket()
        ? !name.equals(host) && !name.equals("unix:" + host)
        : !name.equals(host + ":" + port) && !name.equals("[" + host + "]:" + port);
  }

  private boolean isUnixSocket() {
    return host.startsWith("/");
  }

  static byte[] bytes(String identity) {
    return identity.getBytes(StandardCharsets.UTF_8);
  }
}
