package sluice.gateway.discover;

import io.netty.util.NetUtil;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import sluice.config.model.Address;
import sluice.config.model.ServerConfig;

/**
 * ElastiCache's reply to {@code config get cluster} (Amazon ElastiCache's user guide, "Adding auto
 * discovery to your client library"). It lists each node with its name, its address if it has one
 * of its own, and its port. Google's Memorystore replies in the same form.
 *
 * <pre>
 *   CONFIG cluster 0 LENGTH\r\n
 *   12\n
 *   HOST|IP|PORT HOST||PORT\n\r\n
 *   END\r\n
 * </pre>
 */
final class ClusterReply {
  /** A node takes less than 400 bytes. */
  static final int MAX_BYTES = 1 << 20;

  private static final String HEAD = "CONFIG cluster ";
  private static final String TAIL = "\r\nEND\r\n";
  private static final int SHOWN = 60;

  private ClusterReply() {}

  /**
   * Parses the bytes received so far.
   *
   * @return empty if more must follow
   * @throws DiscoveryException if it is no such reply
   */
  static Optional<List<ServerConfig>> read(String text) throws DiscoveryException {
    int headEnd = text.indexOf("\r\n");
    if (headEnd < 0) {
      if (text.length() > HEAD.length() + 32) {
        throw unexpected(text);
      }
      return Optional.empty();
    }
    String[] head = text.substring(0, headEnd).split(" ", -1);
    if (!text.startsWith(HEAD) || head.length != 4 || !head[3].matches("[0-9]{1,7}")) {
      throw unexpected(text.substring(0, headEnd));
    }
    int length = Integer.parseInt(head[3]);
    if (length > MAX_BYTES) {
      throw new DiscoveryException("an answer of " + length + " bytes");
    }
    int bodyEnd = headEnd + 2 + length;
    if (text.length() < bodyEnd + TAIL.length()) {
      return Optional.empty();
    }
    if (!text.startsWith(TAIL, bodyEnd)) {
      throw new DiscoveryException("an answer that does not end where it says");
    }
    return Optional.of(nodes(text.substring(headEnd + 2, bodyEnd)));
  }

  private static DiscoveryException unexpected(String line) {
    String shown = line.substring(0, Math.min(SHOWN, line.length())).replaceAll("[^ -~]", "?");
    return new DiscoveryException(
        "\"" + shown + "\" in place of the nodes: not a configuration endpoint");
  }

  private static List<ServerConfig> nodes(String body) throws DiscoveryException {
    String[] lines = body.split("\n", -1);
    if (lines.length < 2) {
      throw new DiscoveryException("an answer without a line of nodes");
    }
    List<ServerConfig> nodes = new ArrayList<>();
    for (String node : lines[1].trim().split(" +")) {
      if (!node.isEmpty()) {
        ServerConfig server = node(node);
        if (nodes.stream().noneMatch(n -> n.identity().equals(server.identity()))) {
          nodes.add(server);
        }
      }
    }
    return nodes;
  }

  private static ServerConfig node(String text) throws DiscoveryException {
    String[] parts = text.split("\\|", -1);
    Optional<Address.Tcp> named = parts.length == 3 ? tcp(parts[0], parts[2]) : Optional.empty();
    if (named.isEmpty()) {
      throw unexpected(text);
    }
    String ip = parts[1];
    boolean isIp = NetUtil.isValidIpV4Address(ip) || NetUtil.isValidIpV6Address(ip);
    if (!ip.isEmpty() && !isIp) {
      throw unexpected(text);
    }
    Address.Tcp address =
        ip.isEmpty()
            ? named.get()
            : new Address.Tcp(ip.toLowerCase(Locale.ROOT), named.get().port());
    return new ServerConfig(address, 1, named.get().label(), Optional.of(named.get().host()));
  }

  private static Optional<Address.Tcp> tcp(String host, String port) {
    String bracketed = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    return Address.parse(bracketed + ":" + port)
        .filter(Address.Tcp.class::isInstance)
        .map(Address.Tcp.class::cast)
        .filter(tcp -> tcp.port() > 0);
  }
}
