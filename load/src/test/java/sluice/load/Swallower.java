package sluice.load;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * A relay of one connection that passes its handshake, one read each way, and nothing behind it.
 */
final class Swallower implements AutoCloseable {
  private final ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  private final InetSocketAddress to;

  Swallower(InetSocketAddress to) throws IOException {
    this.to = to;
    Thread thread = new Thread(this::relay);
    thread.setDaemon(true);
    thread.start();
  }

  InetSocketAddress address() {
    return (InetSocketAddress) listener.getLocalSocketAddress();
  }

  private void relay() {
    try (Socket from = listener.accept();
        Socket behind = new Socket(to.getAddress(), to.getPort())) {
      byte[] bytes = new byte[4096];
      behind.getOutputStream().write(bytes, 0, from.getInputStream().read(bytes));
      from.getOutputStream().write(bytes, 0, behind.getInputStream().read(bytes));
      while (from.getInputStream().read(bytes) >= 0) {
        // that is it
      }
    } catch (IOException e) {
      // closed
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
