package sluice.testkit.misbehaving;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import sluice.testkit.Bytes;

/**
 * Clients that do not wait. They write without requesting a reply and close, or they end their side
 * of the connection after requests and read the replies. They check that all of these requests are
 * carried out. Each has its own thread, until closed.
 */
public final class ImpatientClients implements AutoCloseable {
  private static final int MOST = 200;

  private static final int LEAST_PATIENCE_MILLIS = 5_000;

  private final InetSocketAddress address;
  private final String prefix;
  private final Supplier<Duration> limit;
  private final long seed;
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicLong writes = new AtomicLong();
  private final AtomicLong lost = new AtomicLong();
  private final AtomicLong asked = new AtomicLong();
  private final AtomicLong unanswered = new AtomicLong();
  private final AtomicLong silences = new AtomicLong();
  private volatile boolean closed;

  /**
   * Clients of the server at address.
   *
   * @param prefix of their keys, which no other client uses
   * @param limit time within which a write must be visible after its client has closed; a client
   *     that waits for replies gives up after the same time without a byte, but not before five
   *     seconds
   */
  public ImpatientClients(
      InetSocketAddress address, String prefix, Supplier<Duration> limit, long seed) {
    this.address = address;
    this.prefix = prefix;
    this.limit = limit;
    this.seed = seed;
  }

  /** Starts a number of clients. */
  public ImpatientClients start(int count) {
    for (int i = 0; i < count; i++) {
      Random random = new Random(seed + i);
      String keys = prefix + i + '-';
      Thread thread = new Thread(() -> run(random, keys), "impatient client " + i);
      thread.setDaemon(true);
      threads.add(thread);
      thread.start();
    }
    return this;
  }

  /** Writes without a reply whose client had closed, and which could be verified. */
  public long writes() {
    return writes.get();
  }

  /** Those of these writes that were not carried out in time. */
  public long lost() {
    return lost.get();
  }

  /** Requests after which their client ended its side of the connection. */
  public long asked() {
    return asked.get();
  }

  /** Those of these requests that got no reply, or an error. */
  public long unanswered() {
    return unanswered.get();
  }

  /** Connections on which neither a reply nor the end arrived before their client gave up. */
  public long silences() {
    return silences.get();
  }

  private void run(Random random, String keys) {
    while (!closed) {
      int count = 1 + random.nextInt(random.nextInt(8) == 0 ? MOST : 8);
      String value = Long.toString(random.nextLong() >>> 1, 36);
      try {
        if (random.nextBoolean()) {
          writeAndClose(keys, count, value);
        } else {
          askAndHalfClose(keys, count, value);
        }
      } catch (IOException e) {
        pause(20); // no client listens, or the client that verified was closed
      }
    }
  }

  private void writeAndClose(String keys, int count, String value) throws IOException {
    Bytes requests = new Bytes();
    for (int i = 0; i < count; i++) {
      requests.ascii("set " + keys + i + " 0 0 " + value.length() + " noreply\r\n");
      requests.ascii(value + "\r\n");
    }
    try (Socket socket = connect()) {
      socket.getOutputStream().write(requests.toArray());
    }
    long end = System.nanoTime() + limit.get().toNanos();
    int found = found(keys, count, value);
    while (found < count && System.nanoTime() < end && !closed) {
      pause(5);
      found = found(keys, count, value);
    }
    if (!closed) {
      writes.addAndGet(count);
      lost.addAndGet(count - found);
    }
    forget(keys, count);
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(address.getAddress(), address.getPort());
    socket.setSoTimeout(LEAST_PATIENCE_MILLIS);
    return socket;
  }

  // How many of the keys hold value.
  private int found(String keys, int count, String value) throws IOException {
    Bytes requests = new Bytes();
    for (int i = 0; i < count; i++) {
      requests.ascii("get " + keys + i + "\r\n");
    }
    String replies = askAll(requests.ascii("mn\r\n").toArray(), false);
    return replies.split("\r\n" + value + "\r\n", -1).length - 1;
  }

  private void forget(String keys, int count) throws IOException {
    Bytes requests = new Bytes();
    for (int i = 0; i < count; i++) {
      requests.ascii("delete " + keys + i + "\r\n");
    }
    askAll(requests.ascii("mn\r\n").toArray(), false);
  }

  private void askAndHalfClose(String keys, int count, String value) throws IOException {
    Bytes requests = new Bytes();
    StringBuilder expected = new StringBuilder();
    for (int i = 0; i < count; i++) {
      String key = keys + "h" + i;
      requests.ascii("set " + key + " 0 0 " + value.length() + "\r\n" + value + "\r\n");
      requests.ascii("get " + key + "\r\ndelete " + key + "\r\n");
      expected.append("STORED\r\nVALUE ").append(key).append(" 0 ").append(value.length());
      expected.append("\r\n").append(value).append("\r\nEND\r\nDELETED\r\n");
    }
    String replies = askAll(requests.toArray(), true);
    if (!closed) {
      asked.addAndGet(3L * count);
      if (!replies.contentEquals(expected)) {
        unanswered.addAndGet(3L * count - replies.split("STORED|END|DELETED", -1).length + 1);
      }
    }
  }

  // All replies, up to that of the fence; for a client that has ended its side, until the other
  // side closes.
  private String askAll(byte[] requests, boolean ends) throws IOException {
    ByteArrayOutputStream replies = new ByteArrayOutputStream();
    byte[] some = new byte[16 * 1024];
    try (Socket socket = connect()) {
      socket.getOutputStream().write(requests);
      if (ends) {
        socket.shutdownOutput();
      }
      InputStream in = socket.getInputStream();
      int read = read(in, some);
      while (read > 0) {
        replies.write(some, 0, read);
        String text = replies.toString(ISO_8859_1);
        if (!ends && text.endsWith("MN\r\n")) {
          return text;
        }
        read = read(in, some);
      }
      if (!ends) {
        throw new IOException("closed");
      }
    } catch (SocketTimeoutException e) {
      silences.incrementAndGet();
      if (!ends) {
        throw e;
      }
    }
    return replies.toString(ISO_8859_1);
  }

  /** Reads; the limit may rise meanwhile. */
  private int read(InputStream in, byte[] some) throws IOException {
    long since = System.nanoTime();
    while (true) {
      try {
        return in.read(some);
      } catch (SocketTimeoutException silence) {
        if (closed || System.nanoTime() - since >= limit.get().toNanos()) {
          throw silence;
        }
      }
    }
  }

  private static void pause(long millis) {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    closed = true;
    threads.forEach(Thread::interrupt);
  }
}
