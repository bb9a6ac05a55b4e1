package sluice.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Acceptor of connections for a fake server, with a thread for each connection. */
public final class Acceptor implements AutoCloseable {
  /** Handler of one connection, from its first byte on. */
  @FunctionalInterface
  public interface Service {
    /**
     * Called in the connection's own thread.
     *
     * @param number of the connection, from 1
     * @param socket closed with the acceptor at the latest
     */
    void serve(int number, Socket socket);
  }

  private final ServerSocket listener;
  private final String name;
  private final Service service;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();

  /**
   * An acceptor that accepts from now on.
   *
   * @param listener bound; closed with the acceptor
   * @param name of its threads
   */
  public Acceptor(ServerSocket listener, String name, Service service) {
    this.listener = listener;
    this.name = name;
    this.service = service;
    start(name, this::accept);
  }

  /**
   * A socket that listens on any port of the loopback address, and whose connections take few bytes
   * until they are read.
   *
   * @param receiveBuffer in bytes
   */
  public static ServerSocket listenWithBuffer(int receiveBuffer) throws IOException {
    ServerSocket listener = new ServerSocket();
    listener.setReceiveBufferSize(receiveBuffer);
    listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    return listener;
  }

  /** An acceptor on a port of the loopback address; 0 for any. */
  public static Acceptor onLoopback(int port, String name, Service service) throws IOException {
    return new Acceptor(
        new ServerSocket(port, 64, InetAddress.getLoopbackAddress()), name, service);
  }

  /** The address that it listens on. */
  public InetSocketAddress address() {
    return new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort());
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = listener.accept();
        socket.setTcpNoDelay(true);
        sockets.add(socket);
        if (listener.isClosed()) {
          socket.close(); // accepted while all were being closed
          return;
        }
        int number = sockets.size();
        start(name, () -> service.serve(number, socket));
      }
    } catch (IOException e) {
      // closed
    }
  }

  /** Runs task in a thread that is never joined. */
  public static void start(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
  }

  /** Closes all connections, and the port. */
  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
