package sluice.gateway.discover;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import javax.net.ServerSocketFactory;
import javax.net.ssl.SSLContext;

/** An ElastiCache cluster's configuration endpoint on a loopback port. */
final class ConfigurationEndpoint implements AutoCloseable {
  private final ServerSocket listener;
  private volatile String answer = "ERROR\r\n";

  /**
   * @param tls null for none
   */
  ConfigurationEndpoint(SSLContext tls) throws IOException {
    ServerSocketFactory factory =
        tls == null ? ServerSocketFactory.getDefault() : tls.getServerSocketFactory();
    listener = factory.createServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread thread = new Thread(this::accept, "configuration endpoint");
    thread.setDaemon(true);
    thread.start();
  }

  int port() {
    return listener.getLocalPort();
  }

  /** The nodes from now on: {@code HOST|IP|PORT HOST||PORT}. */
  void nodes(String nodes) {
    String body = "7\n" + nodes + "\n";
    answer("CONFIG cluster 0 " + body.length() + "\r\n" + body + "\r\nEND\r\n");
  }

  /** What is said from now on; empty to say nothing and close. */
  void answer(String text) {
    answer = text;
  }

  private void accept() {
    while (!listener.isClosed()) {
      try (Socket socket = listener.accept();
          BufferedReader in =
              new BufferedReader(new InputStreamReader(socket.getInputStream(), ISO_8859_1))) {
        if ("config get cluster".equals(in.readLine())) {
          socket.getOutputStream().write(answer.getBytes(ISO_8859_1));
          socket.getOutputStream().flush();
          if (!answer.isEmpty()) {
            in.readLine(); // until the other side closes
          }
        }
      } catch (IOException e) {
        // by either side
      }
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
