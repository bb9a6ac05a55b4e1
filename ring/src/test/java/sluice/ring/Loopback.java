package sluice.ring;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A network 127.x.y.0/24 for one ring, so that rings of one machine do not meet although all nodes
 * use the same ports. Linux answers on all of 127.0.0.0/8.
 */
final class Loopback {

  private static final int ATTEMPTS = 50;
  private static final int FIRST_PORT = 20_000;

  /** As in ip_local_port_range. */
  private static final int FIRST_OUTGOING_PORT = 32_768;

  private final int second;
  private final int third;

  private Loopback(int second, int third) {
    this.second = second;
    this.third = third;
  }

  /** A network on whose first hosts nobody listens to {@code port}. */
  static Loopback free(int port) {
    IOException last = null;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      ThreadLocalRandom random = ThreadLocalRandom.current();
      Loopback network = new Loopback(random.nextInt(1, 255), random.nextInt(1, 255));
      try (ServerSocket probe = new ServerSocket()) {
        probe.bind(new InetSocketAddress(network.host(2), port));
        return network;
      } catch (IOException e) {
        last = e;
      }
    }
    throw new IllegalStateException("found no 127.x.y.2 to listen on at port " + port, last);
  }

  /**
   * A port of 127.0.0.1 that was free a moment ago. It is none of those that Linux gives to
   * outgoing connections: such a port could be taken before the process that gets it listens.
   */
  static int freePort() throws IOException {
    BindException last = null;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      int port = ThreadLocalRandom.current().nextInt(FIRST_PORT, FIRST_OUTGOING_PORT);
      try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return probe.getLocalPort();
      } catch (BindException e) {
        last = e;
      }
    }
    throw new IllegalStateException("found no free port", last);
  }

  InetAddress host(int last) {
    try {
      return InetAddress.getByAddress(new byte[] {127, (byte) second, (byte) third, (byte) last});
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }
}
