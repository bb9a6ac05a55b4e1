package sluice.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** A port of the loopback address that was free a moment ago, and on which nothing listens. */
public final class FreePort {
  private FreePort() {}

  /** Another port each time, or nearly so. */
  public static int number() throws IOException {
    return address().getPort();
  }

  /** The same, with the address: a connection to it is refused. */
  public static InetSocketAddress address() throws IOException {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return new InetSocketAddress(free.getInetAddress(), free.getLocalPort());
    }
  }
}
