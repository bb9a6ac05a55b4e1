package sluice.ring;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ObjIntConsumer;

/**
 * Passes bytes on as they come. It stands where the gateway stands to show that what fails with the
 * gateway is the gateway's doing.
 */
final class Relay implements Between {

  private static final int CONNECT_MILLIS = 2_000;
  private static final int BACKLOG = 50;

  /** Is told what initiators send. */
  interface Reads {
    /** Bytes that one read of one connection brought; called by many threads. */
    void read(int connection, byte[] bytes, int length);
  }

  private final List<Link> links;
  private final Reads reads;
  private final AtomicInteger connections = new AtomicInteger();
  private final List<ServerSocket> listeners = new ArrayList<>();
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private volatile boolean running;

  Relay(List<Link> links) {
    this(links, (connection, bytes, length) -> {});
  }

  /** One that tells what it reads before it passes it on. */
  Relay(List<Link> links, Reads reads) {
    this.links = links;
    this.reads = reads;
  }

  @Override
  public Set<Framing> framings() {
    return EnumSet.of(Framing.SAME);
  }

  @Override
  public void start(Framing framing) {
    running = true;
    for (Link link : links) {
      try {
        ServerSocket listener =
            new ServerSocket(link.listener().getPort(), BACKLOG, link.listener().getAddress());
        listeners.add(listener);
        thread("accept " + link.listener(), () -> accept(listener, link));
      } catch (IOException e) {
        kill();
        throw new UncheckedIOException(e);
      }
    }
  }

  @Override
  public void kill() {
    running = false;
    listeners.forEach(Relay::closeQuietly);
    listeners.clear();
    sockets.forEach(this::reset);
  }

  @Override
  public void close() {
    kill();
  }

  private void accept(ServerSocket listener, Link link) {
    while (running) {
      Socket initiator;
      try {
        initiator = listener.accept();
      } catch (IOException e) {
        return; // closed: it was killed
      }
      sockets.add(initiator);
      thread("join " + link.node(), () -> join(initiator, link));
    }
  }

  private void join(Socket initiator, Link link) {
    Socket acceptor = new Socket();
    sockets.add(acceptor);
    try {
      acceptor.connect(link.node(), CONNECT_MILLIS);
      acceptor.setTcpNoDelay(true);
      initiator.setTcpNoDelay(true);
    } catch (IOException e) {
      reset(acceptor); // the node is down; nodes expect to be closed then, and come again
      reset(initiator);
      return;
    }
    if (!running) { // killed meanwhile, perhaps before these two were in the set
      reset(acceptor);
      reset(initiator);
      return;
    }
    int connection = connections.getAndIncrement();
    thread("answers of " + link.node(), () -> copy(acceptor, initiator, (bytes, length) -> {}));
    copy(initiator, acceptor, (bytes, length) -> reads.read(connection, bytes, length));
  }

  private void copy(Socket from, Socket to, ObjIntConsumer<byte[]> read) {
    byte[] buffer = new byte[1 << 16];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int length; (length = in.read(buffer)) >= 0; ) {
        read.accept(buffer, length);
        out.write(buffer, 0, length);
      }
      to.shutdownOutput(); // what is on its way still arrives
      from.shutdownInput();
    } catch (IOException e) {
      reset(from);
      reset(to);
      return;
    }
    if (to.isInputShutdown()) { // the other direction had ended before
      reset(from);
      reset(to);
    }
  }

  private void reset(Socket socket) {
    sockets.remove(socket);
    closeQuietly(socket);
  }

  private static void closeQuietly(AutoCloseable closeable) {
    try {
      closeable.close();
    } catch (Exception e) {
      throw new IllegalStateException("closing " + closeable, e);
    }
  }

  private static void thread(String name, Runnable work) {
    Thread thread = new Thread(work, "relay: " + name);
    thread.setDaemon(true);
    thread.start();
  }
}
