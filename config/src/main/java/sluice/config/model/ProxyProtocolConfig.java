package sluice.config.model;

import java.net.InetAddress;
import java.util.List;

/**
 * The proxies in front of a listener that say by a PROXY header who the client is.
 *
 * @param from their addresses; never empty
 */
public record ProxyProtocolConfig(List<AddressBlock> from) {
  /** Takes a copy of the list. */
  public ProxyProtocolConfig {
    from = List.copyOf(from);
  }

  /** Whether a connection from that address must begin with a PROXY header, which is believed. */
  public boolean trusts(InetAddress peer) {
    for (AddressBlock block : from) {
      if (block.contains(peer)) {
        return true;
      }
    }
    return false;
  }
}
