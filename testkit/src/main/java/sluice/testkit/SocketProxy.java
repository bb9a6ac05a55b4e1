package sluice.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;

/** Proxy between clients and one server, with two threads for each connection. */
public final class SocketProxy implements AutoCloseable {
  /** What a proxy passes on; called by several threads. */
  @FunctionalInterface
  public interface Contents {
    /**
     * Passes on what one read brought, or something else.
     *
     * @param requests whether it comes from a client, or else from the server
     * @param bytes the first of which were read
     * @param length how many were read
     * @param out leads to the other side
     */
    void pass(boolean requests, byte[] bytes, int length, OutputStream out) throws IOException;
  }

  private static final int LARGEST_READ = 128 * 1024;

  private final InetSocketAddress server;
  private final String name;
  private final Contents contents;
  private final Acceptor acceptor;

  /**
   * A proxy that accepts clients from now on.
   *
   * @param name of its threads
   */
  public SocketProxy(InetSocketAddress server, String name, Contents contents) throws IOException {
    this.server = server;
    this.name = name;
    this.contents = contents;
    acceptor = Acceptor.onLoopback(0, name, (number, client) -> serve(client));
  }

  /** The address that it listens on. */
  public InetSocketAddress address() {
    return acceptor.address();
  }

  private void serve(Socket client) {
    try (client;
        Socket upstream = new Socket(server.getAddress(), server.getPort())) {
      upstream.setTcpNoDelay(true);
      Acceptor.start(name, () -> pass(false, upstream, client));
      pass(true, client, upstream);
    } catch (IOException e) {
      // the server is not there, and so the client is told
    }
  }

  private void pass(boolean requests, Socket from, Socket to) {
    byte[] buffer = new byte[LARGEST_READ];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
        contents.pass(requests, buffer, length, out);
      }
    } catch (IOException e) {
      // one side is gone, so the other goes
    }
  }

  /** Closes all connections, and the port. */
  @Override
  public void close() throws IOException {
    acceptor.close();
  }
}
