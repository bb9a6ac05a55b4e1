package sluice.config.model;

import java.net.InetAddress;
import java.util.List;

/**
 * Proxies in front of a listener that state the client's address in a PROXY header.
 *
 * @param from their addresses; never empty
 */
public record ProxyProtocolConfig(List<AddressBlock> from) {
  /** Takes a copy of the list. */
  public ProxyProtocolConfig {
    from = List.copyOf(from);
  }

  /**
   * Whether a connection from that address must begin with a PROXY header, which is then trusted.
   */
  public boolean trusts(InetAddress peer) {
    for (AddressBlock block : from) {
      if (block.contains(peer)) {
        return true;
      }
    }
    return false;
  }
}
