package sluice.gateway.admin;

import io.netty.util.NetUtil;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/** Checks of callers that want to change the state of the process. */
final class Callers {
  private Callers() {}

  /**
   * Whether the peer is on this machine, or in this pod. Other addresses of 127.0.0.0/8 are not: a
   * service mesh connects from 127.0.0.6 for callers anywhere (Istio's inbound passthrough).
   */
  static boolean isLoopback(@Nullable SocketAddress peer) {
    String literal = peer == null ? null : peer.hostAddress(); // also null for a name or a path
    InetAddress address =
        literal == null ? null : NetUtil.createInetAddressFromIpAddressString(literal);
    return address != null
        && (address.equals(NetUtil.LOCALHOST4) || address.equals(NetUtil.LOCALHOST6));
  }

  /**
   * Whether a browser sent the request for a page of another site. Any page may POST to {@code
   * 127.0.0.1} from a developer's browser, which then states the page's origin. Sec-Fetch-Site
   * states it, too (Fetch Metadata, W3C).
   */
  static boolean isForeignPage(HttpServerRequest request) {
    String site = request.getHeader("Sec-Fetch-Site");
    if (site != null && !site.equals("same-origin") && !site.equals("none")) {
      return true;
    }
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

  /**
   * Whether a browser reached this port by a name that is not this machine's own. The owner of a
   * name may let it resolve to {@code 127.0.0.1} while a browser shows the owner's page. That page
   * then has this port's origin.
   */
  static boolean isPageByName(HttpServerRequest request) {
    if (request.getHeader("Origin") == null && request.getHeader("Sec-Fetch-Site") == null) {
      return false;
    }
    String host = request.getHeader("Host");
    if (host == null) {
      return true;
    }
    String name = host.replaceFirst(":[0-9]*$", "");
    boolean literal =
        NetUtil.isValidIpV4Address(name)
            || (name.startsWith("[")
                && name.endsWith("]")
                && NetUtil.isValidIpV6Address(name.substring(1, name.length() - 1)));
    return !literal && !name.equalsIgnoreCase("localhost");
  }
}
