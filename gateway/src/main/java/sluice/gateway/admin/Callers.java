package sluice.gateway.admin;

import io.netty.util.NetUtil;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import java.net.URI;

/** Who may change the state of the process. */
final class Callers {
  private Callers() {}

  /** Whether the peer is on this machine, or in this pod. */
  static boolean isLoopback(SocketAddress peer) {
    String literal = peer == null ? null : peer.hostAddress(); // null too for a name or a path
    InetAddress address =
        literal == null ? null : NetUtil.createInetAddressFromIpAddressString(literal);
    return address != null && address.isLoopbackAddress();
  }

  /**
   * Whether a browser sent this on behalf of a page that is not ours: any page may POST to {@code
   * 127.0.0.1} from a developer's browser, and names its origin when it does.
   */
  static boolean isForeignPage(HttpServerRequest request) {
    String origin = request.getHeader("Origin");
    if (origin == null) {
      return false;
    }
    String host = request.getHeader("Host");
    try {
      return host == null || !host.equalsIgnoreCase(URI.create(origin).getRawAuthority());
    } catch (IllegalArgumentException notAnOrigin) {
      return true;
    }
  }
}
