package sluice.gateway.discover;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.util.NetUtil;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import javax.net.ServerSocketFactory;
import sluice.testkit.Acceptor;

/** A text memcached in which every key has one value: the server's name. */
final class NamedServer implements AutoCloseable {
  private final String name;
  private final Acceptor acceptor;

  /**
   * @param port 0 for any
   */
  NamedServer(String name, String host, int port) throws IOException {
    this(name, host, port, ServerSocketFactory.getDefault());
  }

  NamedServer(String name, String host, int port, ServerSocketFactory factory) throws IOException {
    this.name = name;
    ServerSocket listener = factory.createServerSocket();
    listener.setReuseAddress(true);
    listener.bind(new InetSocketAddress(NetUtil.createInetAddressFromIpAddressString(host), port));
    acceptor = new Acceptor(listener, "named server", (number, socket) -> serve(socket));
  }

  String name() {
    return name;
  }

  int port() {
    return acceptor.address().getPort();
  }

  private void serve(Socket socket) {
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(socket.getInputStream(), ISO_8859_1))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String reply;
        if (line.startsWith("get ")) {
          StringBuilder values = new StringBuilder();
          for (String key : line.substring("get ".length()).split(" ", -1)) {
            values.append("VALUE %s 0 %d\r\n%s\r\n".formatted(key, name.length(), name));
          }
          reply = values.append("END\r\n").toString();
        } else {
          reply = line.equals("version") ? "VERSION 1.6.18\r\n" : "ERROR\r\n";
        }
        socket.getOutputStream().write(reply.getBytes(ISO_8859_1));
      }
    } catch (IOException closed) {
      // by either side
    }
  }

  @Override
  public void close() throws IOException {
    acceptor.close();
  }
}
