package sluice.gateway.cut;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Stands between the gateway and a memcached and cuts one reply: the bytes behind the cut leave
 * when the gateway has read those before it.
 */
final class CuttingProxy implements AutoCloseable {

  /** Returns when the gateway has read everything that was sent before. */
  interface Barrier {
    void await() throws IOException;
  }

  private static final long NEVER = -1;

  private final ServerSocket listenerView;
  private final InetSocketAddress server;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private Barrier barrier = () -> {};
  private long cut = NEVER;
  private long delivered;
  private boolean closed;

  CuttingProxy(InetSocketAddress server) throws IOException {
    this.server = server;
    listenerView = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
    daemon(this::acceptAll);
  }

  InetSocketAddress address() {
    return (InetSocketAddress) listenerView.getLocalSocketAddress();
  }

  synchronized void barrier(Barrier barrier) {
    this.barrier = barrier;
  }

  /** From now on bytes are counted, and cut behind this many of them; 0: not at all. */
  synchronized void cutBehind(int bytes) {
    delivered = 0;
    cut = bytes == 0 ? NEVER : bytes;
  }

  /** The bytes of replies since {@link #cutBehind}. */
  synchronized int delivered() {
    return (int) delivered;
  }

  private static void daemon(Runnable runnable) {
    Thread thread = new Thread(runnable, "cutting-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  private void acceptAll() {
    try {
      while (true) {
        Socket gateway = listenerView.accept();
        Socket memcached = new Socket(server.getAddress(), server.getPort());
        gateway.setTcpNoDelay(true);
        memcached.setTcpNoDelay(true);
        add(gateway);
        add(memcached);
        daemon(() -> pass(gateway, memcached, false));
        daemon(() -> pass(memcached, gateway, true));
      }
    } catch (IOException e) {
      // closed
    }
  }

  private synchronized void add(Socket socket) throws IOException {
    if (closed) {
      socket.close();
    }
    sockets.add(socket);
  }

  private void pass(Socket from, Socket to, boolean replies) {
    byte[] buffer = new byte[128 * 1024];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      int read;
      while ((read = in.read(buffer)) >= 0) {
        if (replies) {
          deliver(buffer, read, out);
        } else {
          out.write(buffer, 0, read);
        }
      }
    } catch (IOException e) {
      // one side is gone, so the other goes
    } finally {
      sockets.remove(from);
      sockets.remove(to);
    }
  }

  private synchronized void deliver(byte[] bytes, int length, OutputStream out) throws IOException {
    int first = (int) (cut - delivered);
    if (cut != NEVER && first > 0 && first < length) {
      out.write(bytes, 0, first);
      barrier.await();
      out.write(bytes, first, length - first);
    } else {
      out.write(bytes, 0, length);
      if (first == length) {
        barrier.await();
      }
    }
    delivered += length;
  }

  @Override
  public void close() throws IOException {
    listenerView.close();
    synchronized (this) {
      closed = true;
    }
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
