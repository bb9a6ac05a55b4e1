package sluice.names;

/**
 * Name of a server on a hash ring: {@code docs/reference/hashing.md}, names of servers. No two
 * servers of a pool may have the same name.
 *
 * @param identity the identity in the configuration: an address such as {@code 10.0.0.1:11211}, or
 *     a display name that stays when the address changes
 * @param host host name or address, or the absolute path of a Unix socket
 * @param port 1 to 65535; 0 for a Unix socket
 */
public record RingName(String identity, String host, int port) {
  private static final int DEFAULT_PORT = 11_211;

  /** The name in a distribution. */
  public String in(Distribution distribution) {
    return switch (distribution) {
      case KETAMA, MODULA -> twemproxy();
      case KETAMA_LIBMEMCACHED, KETAMA_LIBMEMCACHED_WEIGHTED, MODULA_LIBMEMCACHED -> libmemcached();
      case PYMEMCACHE, KETAMA_SPYMEMCACHED -> ofClients();
      case JUMP, RENDEZVOUS, MAGLEV, CH3 -> identity;
    };
  }

  /**
   * The text that twemproxy hashes for this server: the display name if there is one, else the
   * address, without the port if that is 11211. A Unix socket's path keeps the colon that separates
   * it from the weight in twemproxy's file.
   */
  public String twemproxy() {
    if (isDisplayName()) {
      return identity;
    }
    if (isUnixSocket()) {
      return host + ":";
    }
    return port == DEFAULT_PORT ? host : host + ":" + port;
  }

  /** The text that libmemcached hashes: like twemproxy's, but a Unix socket has the port 0. */
  public String libmemcached() {
    return isUnixSocket() && !isDisplayName() ? host + ":0" : twemproxy();
  }

  /**
   * The text hashed by clients that name a server as it is written, always with its port; a Unix
   * socket by its path.
   */
  public String ofClients() {
    return isDisplayName() ? identity : isUnixSocket() ? host : host + ":" + port;
  }

  private boolean isDisplayName() {
    return isUnixSocket()
        ? !identity.equals(host) && !identity.equals("unix:" + host)
        : !identity.equals(host + ":" + port) && !identity.equals("[" + host + "]:" + port);
  }

  private boolean isUnixSocket() {
    return host.startsWith("/");
  }
}
