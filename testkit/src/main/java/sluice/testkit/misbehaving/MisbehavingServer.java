package sluice.testkit.misbehaving;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A memcached of the few commands that a check needs, which answers rightly from a map or, by
 * chance, does one of the things of {@link Fault} instead. Classic text, meta and binary (or, if
 * told so, Ignite's dialect), told apart by the first byte. One thread a connection; requests are
 * carried out whatever becomes of their replies.
 */
public final class MisbehavingServer implements AutoCloseable {
  private final ServerSocket listener;
  private final long seed;
  private final FakeStore store = new FakeStore();
  private final Faults faults = new Faults();
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger accepted = new AtomicInteger();
  private volatile boolean ignite;
  private volatile boolean closed;

  /** Listens on a free port of the loopback, free of faults until told otherwise. */
  public MisbehavingServer(long seed) throws IOException {
    this.seed = seed;
    listener = new ServerSocket(0, 512, InetAddress.getLoopbackAddress());
    start("fake memcached " + listener.getLocalPort(), this::accept);
  }

  public InetSocketAddress address() {
    return new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort());
  }

  /**
   * From now on, this is what becomes of that share of replies; 0 ends it. Shares add up. Chance
   * decides which, but each fault has been made once when there were half as many replies as one is
   * to be expected in, or 300: a rare one could stay away for a whole run. Replies to version, mn
   * and their binary kin before a connection's first other request are always right: so new
   * connections are probed.
   */
  public MisbehavingServer with(Fault fault, double share) {
    faults.share(fault, share);
    return this;
  }

  /** Whether packets are taken for those of Apache Ignite's dialect; default false. */
  public MisbehavingServer ignite(boolean value) {
    ignite = value;
    return this;
  }

  /** How long {@link Fault#STALL} lasts; default 50 ms. */
  public MisbehavingServer stallMillis(long millis) {
    faults.stallMillis(millis);
    return this;
  }

  /** From now on everything is answered rightly. */
  public void behave() {
    faults.clear();
  }

  /** How often that fault has been served. */
  public int served(Fault fault) {
    return faults.served(fault);
  }

  /** Connections accepted so far. */
  public int accepted() {
    return accepted.get();
  }

  /** Closes what is connected now, without a word; goes on listening. */
  public void closeConnections() {
    for (Socket socket : open) {
      close(socket);
    }
  }

  private void accept() {
    while (!closed) {
      try {
        Socket socket = listener.accept();
        socket.setTcpNoDelay(true);
        open.add(socket);
        long number = accepted.incrementAndGet();
        start(
            "fake memcached connection " + number, () -> serve(socket, new Random(seed + number)));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void serve(Socket socket, Random random) {
    try (socket) {
      BufferedInputStream in = new BufferedInputStream(socket.getInputStream(), 64 * 1024);
      FaultyReplies replies = new FaultyReplies(faults, socket, random);
      in.mark(1);
      int first = in.read();
      in.reset();
      if (first == 0x80) {
        (ignite ? new FakeIgnite(store, in, replies) : new FakeBinary(store, in, replies)).serve();
      } else if (first >= 0) {
        new FakeText(store, in, replies).serve();
      }
    } catch (IOException | UncheckedIOException | FaultyReplies.Closed e) {
      // the connection is over, by either side
    } finally {
      open.remove(socket);
    }
  }

  private static void start(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // it was closed already
    }
  }

  @Override
  public void close() throws IOException {
    closed = true;
    listener.close();
    closeConnections();
  }
}
