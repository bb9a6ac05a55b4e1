package sluice.config.model;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;

/**
 * Node in a map of addresses, by IP address: nothing is looked up.
 *
 * @param host an IP address, without brackets
 * @param port 1 to 65535, or {@link #ANY_PORT}
 */
public record NodeName(String host, int port) {
  /** Stands for every port, and keeps it. */
  public static final int ANY_PORT = -1;

  /** Parses {@code ADDRESS} or {@code ADDRESS:PORT}; an IPv6 address with a port is in brackets. */
  public static Optional<NodeName> parse(String text) {
    boolean bracketed = text.startsWith("[") && text.endsWith("]");
    String host = bracketed ? text.substring(1, text.length() - 1) : text;
    if (Hosts.isIp(host)) {
      return canonical(host).map(h -> new NodeName(h, ANY_PORT));
    }
    return Address.parse(text)
        .filter(a -> a instanceof Address.Tcp tcp && tcp.isNode())
        .map(Address.Tcp.class::cast)
        .flatMap(tcp -> canonical(tcp.host()).map(h -> new NodeName(h, tcp.port())));
  }

  /** Java's own form of an address that can be written in several. */
  @SuppressWarnings("AddressSelection") // the literal is the only address
  private static Optional<String> canonical(String ip) {
    try {
      return Optional.of(InetAddress.getByName(ip).getHostAddress());
    } catch (UnknownHostException e) {
      return Optional.empty();
    }
  }

  /** As it is written in the configuration file. */
  public String label() {
    return port == ANY_PORT ? host : new Address.Tcp(host, port).label();
  }

  /** Whether it has a single port. */
  public boolean hasPort() {
    return port != ANY_PORT;
  }

  /** Whether some address matches both. */
  public boolean overlaps(NodeName other) {
    return host.equals(other.host) && (port == other.port || !hasPort() || !other.hasPort());
  }
}
