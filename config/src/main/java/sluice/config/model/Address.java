package sluice.config.model;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Address to listen on or to connect to. */
public sealed interface Address {

  /**
   * {@code host:port} with an IPv6 host in brackets, or {@code unix:PATH}: the form that {@link
   * #parse} accepts.
   */
  String label();

  /**
   * Whether two listeners cannot have these addresses at the same time, however they are written.
   * Nothing is looked up: names are compared as text, and {@code localhost} stands for the loopback
   * addresses. Port 0 never overlaps.
   */
  default boolean overlaps(Address other) {
    if (this instanceof Tcp a && other instanceof Tcp b) {
      return a.port != 0 && a.port == b.port && a.overlapsHostOf(b);
    }
    return equals(other);
  }

  /**
   * Whether connections to this address surely reach a listener with the other one. Nothing is
   * looked up: a name is only compared as text, and an IP address of the machine is known only if
   * it is a loopback address.
   */
  default boolean leadsTo(Address listener) {
    if (this instanceof Tcp to && listener instanceof Tcp bound) {
      return to.port != 0 && to.port == bound.port && to.reachesHostOf(bound);
    }
    return equals(listener);
  }

  /**
   * A TCP port of a host.
   *
   * @param host a name, an IPv4 address, or an IPv6 address without brackets
   * @param port 0 to 65535; 0, for a listener, is any free port
   */
  record Tcp(String host, int port) implements Address {
    @Override
    public String label() {
      return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }

    /**
     * Whether it names one node without a lookup: an IP address that is no wildcard, and a port.
     */
    public boolean isNode() {
      return port > 0 && !isWildcard() && Hosts.isIp(host);
    }

    /** Whether only this machine can reach it. */
    public boolean isLoopback() {
      return host.equals("localhost") || host.equals("::1") || host.startsWith("127.");
    }

    private boolean overlapsHostOf(Tcp other) {
      return host.equals(other.host)
          || isWildcard()
          || other.isWildcard()
          || !Collections.disjoint(literals(), other.literals());
    }

    /** A connection to a wildcard reaches this machine, as one to a loopback address does. */
    private boolean reachesHostOf(Tcp bound) {
      boolean here = isWildcard() || literals().stream().anyMatch(InetAddress::isLoopbackAddress);
      return host.equals(bound.host)
          || (bound.isWildcard() && here)
          || !Collections.disjoint(literals(), bound.literals());
    }

    /** IP addresses of the host without a lookup; a name, except localhost, has none. */
    private Set<InetAddress> literals() {
      Stream<String> hosts =
          host.equals("localhost") ? Stream.of("127.0.0.1", "::1") : Stream.of(host);
      return hosts
          .flatMap(ip -> AddressBlock.parse(ip).stream())
          .map(AddressBlock::first)
          .collect(Collectors.toSet());
    }

    /** Whether it stands for every address of the machine. */
    public boolean isWildcard() {
      return host.equals("0.0.0.0") || (host.indexOf(':') >= 0 && WILDCARD.matcher(host).matches());
    }
  }

  /**
   * A Unix domain socket.
   *
   * @param path of the socket, absolute; {@link #parse} accepts no white space at its end
   */
  record Unix(String path) implements Address {
    @Override
    public String label() {
      return "unix:" + path;
    }
  }

  /** The scheme of a Unix domain socket. */
  String UNIX = "unix:";

  /**
   * Longest path in Linux's {@code sockaddr_un.sun_path}, without the terminating zero: unix(7).
   */
  int MAX_PATH_BYTES = 107;

  /** The unspecified IPv6 address, with any number of its zeros written. */
  Pattern WILDCARD = Pattern.compile("[0:]+");

  /**
   * Parses an address; empty if the text is none. Nothing is looked up: a name is only checked for
   * its characters.
   */
  static Optional<Address> parse(String text) {
    if (text.startsWith(UNIX)) {
      String path = text.substring(UNIX.length());
      boolean fits = path.getBytes(StandardCharsets.UTF_8).length <= MAX_PATH_BYTES;
      boolean clean = path.indexOf(0) < 0 && path.strip().equals(path);
      return path.length() > 1 && path.startsWith("/") && fits && clean
          ? Optional.of(new Unix(path))
          : Optional.empty();
    }
    int colon = text.lastIndexOf(':');
    if (colon <= 0 || !PORT.matcher(text.substring(colon + 1)).matches()) {
      return Optional.empty();
    }
    int port = Integer.parseInt(text.substring(colon + 1));
    String host = text.substring(0, colon);
    boolean bracketed = host.startsWith("[") && host.endsWith("]");
    if (bracketed) {
      host = host.substring(1, host.length() - 1);
    }
    boolean valid = bracketed ? Hosts.isIpv6(host) : Hosts.isNameOrIpv4(host);
    return valid && port <= 65_535
        ? Optional.of(new Tcp(host.toLowerCase(Locale.ROOT), port))
        : Optional.empty();
  }

  /** Up to five digits without leading zeros. */
  Pattern PORT = Pattern.compile("0|[1-9][0-9]{0,4}");
}
