package sluice.gateway.discover;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.util.NetUtil;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ServerSocketFactory;

/** A text memcached in which every key has one value: the server's name. */
final class NamedServer implements AutoCloseable {
  private final String name;
  private final ServerSocket listener;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();

  /**
   * @param port 0 for any
   */
  NamedServer(String name, String host, int port) throws IOException {
    this(name, host, port, ServerSocketFactory.getDefault());
  }

  NamedServer(String name, String host, int port, ServerSocketFactory factory) throws IOException {
    this.name = name;
    listener = factory.createServerSocket();
    listener.setReuseAddress(true);
    listener.bind(new InetSocketAddress(NetUtil.createInetAddressFromIpAddressString(host), port));
    start(this::accept);
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "named server");
    thread.setDaemon(true);
    thread.start();
  }

  String name() {
    return name;
  }

  int port() {
    return listener.getLocalPort();
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = listener.accept();
        socket.setTcpNoDelay(true);
        sockets.add(socket);
        start(() -> serve(socket));
      }
    } catch (IOException closed) {
      // by close
    }
  }

  private void serve(Socket socket) {
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(socket.getInputStream(), ISO_8859_1))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String reply;
        if (line.startsWith("get ")) {
          String key = line.substring("get ".length());
          reply = "VALUE %s 0 %d\r\n%s\r\nEND\r\n".formatted(key, name.length(), name);
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
    listener.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
