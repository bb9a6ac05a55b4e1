package sluice.load.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;

/**
 * Ports that stay free while no process listens on them. They are below the kernel's range for
 * outgoing connections; otherwise such a connection could take the port of a server that is being
 * restarted.
 */
public final class Ports {
  private static final int LEAST = 20_000;
  private static final int COUNT = 12_000;

  // Not derived from the seed: two runs on one machine must not collide.
  private final Random random = new Random();
  private final Set<Integer> given = new HashSet<>();

  /** A port on which currently no process listens. */
  public int next() throws IOException {
    for (int i = 0; i < 1000; i++) {
      int port = LEAST + random.nextInt(COUNT);
      if (given.add(port) && isFree(port)) {
        return port;
      }
    }
    throw new IOException("no port is free between " + LEAST + " and " + (LEAST + COUNT));
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
