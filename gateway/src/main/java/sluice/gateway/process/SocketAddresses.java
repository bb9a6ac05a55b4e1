package sluice.gateway.process;

import io.vertx.core.net.SocketAddress;
import sluice.config.model.Address;

/** Addresses of the configuration as Vert.x takes them. */
final class SocketAddresses {
  private SocketAddresses() {}

  static SocketAddress of(Address address) {
    if (address instanceof Address.Tcp tcp) {
      return SocketAddress.inetSocketAddress(tcp.port(), tcp.host());
    }
    return SocketAddress.domainSocketAddress(((Address.Unix) address).path());
  }
}
