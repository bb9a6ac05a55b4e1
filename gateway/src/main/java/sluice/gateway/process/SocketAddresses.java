package sluice.gateway.process;

import io.vertx.core.net.SocketAddress;
import sluice.config.model.Address;

/** Conversion of the configuration's addresses to Vert.x's. */
final class SocketAddresses {
  private SocketAddresses() {}

  static SocketAddress of(Address address) {
    if (address instanceof Address.Tcp tcp) {
      return SocketAddress.inetSocketAddress(tcp.port(), tcp.host());
    }
    return SocketAddress.domainSocketAddress(((Address.Unix) address).path());
  }
}
