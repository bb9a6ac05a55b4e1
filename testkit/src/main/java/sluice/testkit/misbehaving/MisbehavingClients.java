package sluice.testkit.misbehaving;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import sluice.testkit.Bytes;

/**
 * Clients that harm their server. Each has its own thread, which reconnects whenever its connection
 * has ended, until closed. Their keys start with "bad-".
 */
public final class MisbehavingClients implements AutoCloseable {
  /** Kind of misbehaviour of a client. */
  public enum Kind {
    /**
     * Announces a value, sends a part, and resets or ends the connection; text and binary in turn.
     */
    DIES_MID_VALUE,
    /** Requests a large value again and again and never reads, until it cannot write any more. */
    NEVER_READS,
    /** Sends valid requests one byte at a time, with a pause after each, and reads its replies. */
    ONE_BYTE_AT_A_TIME
  }

  private static final int LARGE = 200_000;
  private static final int SHOWN = 300;

  private final InetSocketAddress address;
  private final long seed;
  private final List<Thread> threads = new ArrayList<>();
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final AtomicLong misdeeds = new AtomicLong();
  private final List<String> wrong = new ArrayList<>();
  private volatile long pauseMillis = 1000;
  private volatile boolean closed;

  public MisbehavingClients(InetSocketAddress address, long seed) {
    this.address = address;
    this.seed = seed;
  }

  /**
   * The pause after each byte, and the time that a client that does not read stays; default 1 s.
   */
  public MisbehavingClients pauseMillis(long millis) {
    pauseMillis = millis;
    return this;
  }

  /** Starts this many clients of that kind. */
  public MisbehavingClients start(Kind kind, int count) {
    for (int i = 0; i < count; i++) {
      Random random = new Random(seed + threads.size());
      Thread thread = new Thread(() -> run(kind, random), "misbehaving client " + kind + ' ' + i);
      thread.setDaemon(true);
      threads.add(thread);
      thread.start();
    }
    return this;
  }

  /** Total of connections that ended, writes that blocked, and slow requests that were answered. */
  public long misdeeds() {
    return misdeeds.get();
  }

  /** Wrong replies to slow but valid requests. */
  public List<String> wrong() {
    synchronized (wrong) {
      return List.copyOf(wrong);
    }
  }

  private void run(Kind kind, Random random) {
    for (long turn = 0; !closed; turn++) {
      try (Socket socket = new Socket()) {
        open.add(socket);
        socket.setTcpNoDelay(true);
        if (kind == Kind.NEVER_READS) {
          socket.setReceiveBufferSize(4096);
        }
        socket.connect(address, 2000);
        switch (kind) {
          case DIES_MID_VALUE -> dieMidValue(socket, random, turn);
          case NEVER_READS -> neverRead(socket);
          case ONE_BYTE_AT_A_TIME -> dribble(socket, random.nextLong());
        }
        open.remove(socket);
      } catch (IOException e) {
        pause(20);
      } catch (InterruptedException e) {
        return;
      } finally {
        open.removeIf(Socket::isClosed);
      }
    }
  }

  private void dieMidValue(Socket socket, Random random, long turn)
      throws IOException, InterruptedException {
    int length = 1 + random.nextInt(random.nextInt(4) == 0 ? LARGE : 2000);
    String key = "bad-" + random.nextInt(100);
    Bytes request = new Bytes();
    if (turn % 2 == 0) {
      request.ascii("set " + key + " 0 0 " + length + "\r\n");
    } else {
      request
          .int16(0x8001)
          .int16(key.length())
          .int32(8 << 24)
          .int32(8 + key.length() + length)
          .int32(random.nextInt())
          .int64(0)
          .int64(0)
          .ascii(key);
    }
    request.bytes(new byte[random.nextInt(length)]);
    OutputStream out = socket.getOutputStream();
    out.write(request.toArray());
    out.flush();
    TimeUnit.MILLISECONDS.sleep(random.nextInt(10));
    if (random.nextBoolean()) {
      socket.setSoLinger(true, 0);
    }
    socket.close();
    misdeeds.incrementAndGet();
  }

  private void neverRead(Socket socket) throws IOException, InterruptedException {
    OutputStream out = socket.getOutputStream();
    Bytes store = new Bytes().ascii("set bad-large 0 0 " + LARGE + "\r\n");
    out.write(store.bytes(new byte[LARGE]).ascii("\r\n").toArray());
    byte[] gets = "get bad-large\r\n".repeat(100).getBytes(StandardCharsets.ISO_8859_1);
    // A write that blocks is ended from outside: a timer closes the socket after the pause.
    Thread watch =
        new Thread(
            () -> {
              pause(pauseMillis);
              closeQuietly(socket);
            });
    watch.setDaemon(true);
    watch.start();
    try {
      while (!closed) {
        out.write(gets);
      }
    } finally {
      misdeeds.incrementAndGet();
      watch.join();
    }
  }

  private void dribble(Socket socket, long number) throws IOException, InterruptedException {
    String key = "bad-slow-" + Long.toUnsignedString(number, 36);
    String value = Long.toUnsignedString(number);
    String expected =
        "STORED\r\nVALUE "
            + key
            + " 5 "
            + value.length()
            + "\r\n"
            + value
            + "\r\nEND\r\nDELETED\r\n";
    String requests =
        ("set " + key + " 5 0 " + value.length() + "\r\n" + value + "\r\n")
            + ("get " + key + "\r\ndelete " + key + "\r\n");
    OutputStream out = socket.getOutputStream();
    for (byte b : requests.getBytes(StandardCharsets.ISO_8859_1)) {
      out.write(b);
      out.flush();
      TimeUnit.MILLISECONDS.sleep(pauseMillis);
    }
    socket.setSoTimeout(10_000);
    InputStream in = socket.getInputStream();
    byte[] reply = in.readNBytes(expected.length());
    // A server with problems of its own may send only part of it, or an error.
    String text = new String(reply, StandardCharsets.ISO_8859_1);
    if (reply.length == expected.length()
        && !text.contains("SERVER_ER") // cut to what was expected
        && !Arrays.equals(reply, expected.getBytes(StandardCharsets.ISO_8859_1))) {
      synchronized (wrong) {
        wrong.add(text.substring(0, Math.min(text.length(), SHOWN)) + " for " + key);
      }
    }
    misdeeds.incrementAndGet();
  }

  private static void pause(long millis) {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // it was closed already
    }
  }

  @Override
  public void close() {
    closed = true;
    threads.forEach(Thread::interrupt);
    open.forEach(MisbehavingClients::closeQuietly);
  }
}
