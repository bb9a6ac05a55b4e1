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
 * Fake memcached with the few commands that a check needs. It answers correctly from a map or, at
 * random, makes a {@link Fault} instead. It speaks classic text, meta and binary (or Ignite's
 * dialect if configured), distinguished by the first byte. One thread for each connection; requests
 * are carried out even if their reply gets a fault.
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

  /** Listens on a free port of the loopback address, without faults at first. */
  public MisbehavingServer(long seed) throws IOException {
    this.seed = seed;
    listener = new ServerSocket(0, 512, InetAddress.getLoopbackAddress());
    start("fake memcached " + listener.getLocalPort(), this::accept);
  }

  public InetSocketAddress address() {
    return new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort());
  }

  /**
   * Sets the share of replies that get a fault; 0 ends it. Shares add up. The replies are selected
   * at random. Each fault is made at least once in half the number of replies in which one is
   * expected, or in 300; otherwise, a rare fault could be missing in a whole run. Until the first
   * other request of a connection, replies to version, mn and their binary equivalents are correct,
   * so that probes succeed.
   */
  public MisbehavingServer with(Fault fault, double share) {
    faults.share(fault, share);
    return this;
  }

  /** Whether packets are read as those of Apache Ignite's dialect; default false. */
  public MisbehavingServer ignite(boolean value) {
    ignite = value;
    return this;
  }

  /** How long {@link Fault#STALL} lasts; default 50 ms. */
  public MisbehavingServer stallMillis(long millis) {
    faults.stallMillis(millis);
    return this;
  }

  /** Ends all faults. */
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

  /** Closes all current connections without an answer; continues to listen. */
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
      // either side has ended the connection
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
