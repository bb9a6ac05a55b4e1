package sluice.testkit.hostile;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/**
 * Clients that send invalid text-protocol lines, each in its own thread, until closed. Their own
 * replies do not matter, but those of other clients do.
 */
public final class HostileClients implements AutoCloseable {
  private static final int MAX_REQUESTS = 12;
  private static final int READ_MILLIS = 30;

  private final InetSocketAddress address;
  private final String prefix;
  private final Pattern without;
  private final long seed;
  private final List<Thread> threads = new ArrayList<>();
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final AtomicLong requests = new AtomicLong();
  private volatile boolean closed;

  /**
   * Clients of the server at address.
   *
   * @param prefix of most of their keys
   * @param without requests that contain one of these are not sent
   */
  public HostileClients(InetSocketAddress address, String prefix, Pattern without, long seed) {
    this.address = address;
    this.prefix = prefix;
    this.without = without;
    this.seed = seed;
  }

  /** Starts a number of clients. */
  public HostileClients start(int count) {
    for (int i = 0; i < count; i++) {
      Random random = new Random(seed + i);
      Thread thread = new Thread(() -> run(random), "hostile client " + i);
      thread.setDaemon(true);
      threads.add(thread);
      thread.start();
    }
    return this;
  }

  /** Number of requests sent. */
  public long requests() {
    return requests.get();
  }

  private void run(Random random) {
    Bender bender = new Bender(random, prefix);
    while (!closed) {
      try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
        open.add(socket);
        socket.setSoTimeout(READ_MILLIS);
        int turns = 1 + random.nextInt(8);
        for (int turn = 0; turn < turns && !closed; turn++) {
          socket.getOutputStream().write(some(random, bender));
          read(socket);
        }
        open.remove(socket);
      } catch (IOException e) {
        pause();
      } finally {
        open.removeIf(Socket::isClosed);
      }
    }
  }

  private byte[] some(Random random, Bender bender) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = 1 + random.nextInt(MAX_REQUESTS); i > 0; i--) {
      byte[] request = bender.next();
      if (!without.matcher(new String(request, ISO_8859_1)).find()) {
        bytes.writeBytes(request);
        requests.incrementAndGet();
      }
    }
    return bytes.toByteArray();
  }

  // Reads everything, until nothing arrives for a while.
  private static void read(Socket socket) throws IOException {
    byte[] ignored = new byte[64 * 1024];
    try {
      while (socket.getInputStream().read(ignored) >= 0) {
        // on
      }
      throw new IOException("closed");
    } catch (java.net.SocketTimeoutException e) {
      // silence
    }
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(20);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    closed = true;
    for (Socket socket : open) {
      try {
        socket.close();
      } catch (IOException e) {
        // it was closed already
      }
    }
  }
}
