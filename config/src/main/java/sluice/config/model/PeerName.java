package sluice.config.model;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;

/**
 * Nodes that the gateway may connect to, by the address that they state as their own: one, or a
 * block.
 *
 * @param host an IP address, without brackets
 * @param bits length of the prefix that must match: all bits for one node
 * @param port 1 to 65535, or {@link NodeName#ANY_PORT} where the file has none: then that of the
 *     listener's node
 */
public record PeerName(String host, int bits, int port) {
  private static final int MOST_DIGITS = 3;

  /** Parses a node as {@link NodeName} does, or {@code ADDRESS/BITS}. */
  public static Optional<PeerName> parse(String text) {
    int slash = text.indexOf('/');
    if (slash < 0) {
      return NodeName.parse(text)
          .map(node -> new PeerName(node.host(), 8 * bytes(node.host()).length, node.port()));
    }
    String digits = text.substring(slash + 1);
    boolean number =
        !digits.isEmpty()
            && digits.length() <= MOST_DIGITS
            && digits.chars().allMatch(c -> c >= '0' && c <= '9');
    return number
        ? NodeName.parse(text.substring(0, slash))
            .filter(node -> !node.hasPort())
            .map(node -> new PeerName(node.host(), Integer.parseInt(digits), node.port()))
            .filter(peer -> peer.bits <= 8 * bytes(peer.host).length)
        : Optional.empty();
  }

  @SuppressWarnings("AddressSelection") // the literal is the only address
  private static byte[] bytes(String ip) {
    try {
      return InetAddress.getByName(ip).getAddress();
    } catch (UnknownHostException e) {
      throw new IllegalStateException(ip, e);
    }
  }

  /** Whether an address matches, with any port. */
  public boolean covers(InetAddress address) {
    byte[] ours = bytes(host);
    byte[] theirs = address.getAddress();
    if (ours.length != theirs.length) {
      return false;
    }
    int left = bits;
    for (int i = 0; left > 0; i++, left -= 8) {
      int ignored = Math.max(0, 8 - left);
      if ((ours[i] & 0xFF) >>> ignored != (theirs[i] & 0xFF) >>> ignored) {
        return false;
      }
    }
    return true;
  }

  /** As it is written in the configuration file. */
  public String label() {
    return bits == 8 * bytes(host).length ? new NodeName(host, port).label() : host + '/' + bits;
  }
}
