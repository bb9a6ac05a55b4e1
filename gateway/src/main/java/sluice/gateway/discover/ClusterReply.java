package sluice.gateway.discover;

import io.netty.util.NetUtil;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
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
  private static final int MAX_HEAD = HEAD.length() + 33;
  private static final String TAIL = "\r\nEND\r\n";
  private static final int SHOWN = 60;

  private ClusterReply() {}

  /**
   * Parses the bytes received so far. The nodes are copied once all of them have come.
   *
   * @return empty if more must follow. Of more than {@link Source#MOST_SERVERS} nodes, the first
   *     ones and one more
   * @throws DiscoveryException if it is no such reply
   */
  static Optional<List<ServerConfig>> read(CharSequence text) throws DiscoveryException {
    String beginning = text.subSequence(0, Math.min(text.length(), MAX_HEAD)).toString();
    int headEnd = beginning.indexOf("\r\n");
    if (headEnd < 0) {
      if (beginning.length() == MAX_HEAD) {
        throw unexpected(beginning);
      }
      return Optional.empty();
    }
    String head = beginning.substring(0, headEnd);
    String[] parts = head.split(" ", -1);
    if (!head.startsWith(HEAD) || parts.length != 4 || !parts[3].matches("[0-9]{1,7}")) {
      throw unexpected(head);
    }
    int length = Integer.parseInt(parts[3]);
    if (length > MAX_BYTES) {
      throw new DiscoveryException(
          "an answer of " + length + " bytes, expected at most " + MAX_BYTES);
    }
    int bodyEnd = headEnd + 2 + length;
    int end = bodyEnd + TAIL.length();
    if (text.length() < end) {
      return Optional.empty();
    }
    if (!TAIL.contentEquals(text.subSequence(bodyEnd, end))) {
      throw new DiscoveryException("an answer whose length is wrong");
    }
    return Optional.of(nodes(text.subSequence(headEnd + 2, bodyEnd).toString()));
  }

  private static DiscoveryException unexpected(String line) {
    String shown = line.substring(0, Math.min(SHOWN, line.length())).replaceAll("[^ -~]", "?");
    return new DiscoveryException(
        "\"" + shown + "\" instead of the nodes: not a configuration endpoint");
  }

  private static List<ServerConfig> nodes(String body) throws DiscoveryException {
    String[] lines = body.split("\n", -1);
    if (lines.length < 2) {
      throw new DiscoveryException("an answer without a line of nodes");
    }
    List<ServerConfig> nodes = new ArrayList<>();
    Set<String> identities = new HashSet<>();
    for (String node : lines[1].trim().split(" +")) {
      if (!node.isEmpty() && nodes.size() <= Source.MOST_SERVERS) {
        ServerConfig server = node(node);
        if (identities.add(server.identity())) {
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
