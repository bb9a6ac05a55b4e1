package sluice.config.model;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;

/**
 * A node as a map of addresses names it: nothing is looked up.
 *
 * @param host an IP address, without brackets
 * @param port 1 to 65535, or {@link #ANY_PORT}
 */
public record NodeName(String host, int port) {
  /** Stands for every port, and keeps it. */
  public static final int ANY_PORT = -1;

  /** {@code ADDRESS} or {@code ADDRESS:PORT}, of IPv6 in brackets where there is a port. */
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

  /** The one way in which Java writes an address that may be written in several. */
  @SuppressWarnings("AddressSelection") // of an address there is nothing to select
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

  /** Whether one port is meant. */
  public boolean hasPort() {
    return port != ANY_PORT;
  }

  /** Whether some address is meant by both. */
  public boolean overlaps(NodeName other) {
    return host.equals(other.host) && (port == other.port || !hasPort() || !other.hasPort());
  }
}
