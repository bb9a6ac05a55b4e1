package sluice.gateway.admin;

import io.vertx.core.net.SocketAddress;

/**
 * Parser and printer of addresses in the form of {@code admin.bind}: {@code host:port}, {@code
 * [::1]:port}.
 */
final class BindAddress {
  private static final int MAX_PORT = 65_535;

  private BindAddress() {}

  /**
   * Parses an address.
   *
   * @throws IllegalArgumentException if it is invalid
   */
  static SocketAddress parse(String bind) {
    int colon = bind.lastIndexOf(':');
    String host = colon < 0 ? "" : bind.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    } else if (host.indexOf(':') >= 0) {
      throw unexpected(bind);
    }
    if (host.isEmpty()) {
      throw unexpected(bind);
    }
    String port = bind.substring(colon + 1);
    if (port.isEmpty() || port.length() > 5 || !port.chars().allMatch(c -> '0' <= c && c <= '9')) {
      throw unexpected(bind);
    }
    int number = Integer.parseInt(port);
    if (number > MAX_PORT) {
      throw unexpected(bind);
    }
    return SocketAddress.inetSocketAddress(number, host);
  }

  /** The inverse of {@link #parse}. */
  static String format(String host, int port) {
    return host.indexOf(':') >= 0 ? "[" + host + "]:" + port : host + ":" + port;
  }

  private static IllegalArgumentException unexpected(String bind) {
    return new IllegalArgumentException(
        "found '"
            + bind
            + "', expected host:port, or [IPv6 address]:port; port 0 for any free one");
  }
}
