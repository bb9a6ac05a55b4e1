package sluice.gateway.demo;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Client of the demonstration, which reads keys of unequal popularity, and stores those that it
 * misses. It sends requests in bursts, at a fixed rate.
 */
final class DemoClient implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(DemoClient.class);
  private static final int KEYS = 2_000;
  private static final int VALUE = 100;
  private static final int TURN_MILLIS = 50;
  private static final int RECONNECT_MILLIS = 200;
  private static final int TIMEOUT_MILLIS = 5_000;

  private final InetSocketAddress gateway;
  private final int burst;
  private final LongAdder replies;
  private final Random random = new Random();
  private final CountDownLatch stopped = new CountDownLatch(1);

  /**
   * @param rate requests a second
   * @param replies counts every reply
   */
  DemoClient(InetSocketAddress gateway, int rate, LongAdder replies) {
    this.gateway = gateway;
    this.burst = Math.max(1, rate * TURN_MILLIS / 1000);
    this.replies = replies;
  }

  void stop() {
    stopped.countDown();
  }

  private boolean isStoppedWithin(int millis) throws InterruptedException {
    return stopped.await(millis, TimeUnit.MILLISECONDS);
  }

  @Override
  public void run() {
    try {
      while (!isStoppedWithin(RECONNECT_MILLIS)) {
        talk();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Sends requests until it is stopped, or the connection ends. */
  private void talk() throws InterruptedException {
    try (Socket socket = new Socket()) {
      socket.connect(gateway, TIMEOUT_MILLIS);
      socket.setSoTimeout(TIMEOUT_MILLIS);
      InputStream in = new BufferedInputStream(socket.getInputStream());
      while (!isStoppedWithin(TURN_MILLIS)) {
        turn(in, socket.getOutputStream());
      }
    } catch (IOException e) {
      LOG.debug("a client of the demonstration connects again", e);
    }
  }

  private void turn(InputStream in, OutputStream out) throws IOException {
    List<Integer> keys = new ArrayList<>();
    StringBuilder gets = new StringBuilder();
    for (int i = 0; i < burst; i++) {
      double popular = random.nextDouble();
      int key = (int) (KEYS * popular * popular * popular);
      keys.add(key);
      gets.append("get user:").append(key).append("\r\n");
    }
    out.write(gets.toString().getBytes(US_ASCII));
    StringBuilder sets = new StringBuilder();
    int misses = 0;
    for (int key : keys) {
      if (reply(in).equals("END")) {
        misses++;
        sets.append("set user:").append(key).append(" 0 300 ").append(VALUE).append("\r\n");
        sets.append("x".repeat(VALUE)).append("\r\n");
      }
    }
    out.write(sets.toString().getBytes(US_ASCII));
    for (int i = 0; i < misses; i++) {
      line(in);
    }
    replies.add(keys.size() + misses);
  }

  /** The first line of a reply to a get, which is read to its end. */
  private static String reply(InputStream in) throws IOException {
    String first = line(in);
    if (first.startsWith("VALUE ")) {
      in.skipNBytes(VALUE + 2);
      line(in);
    }
    return first;
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException();
      }
      line.append((char) c);
    }
    return line.substring(0, Math.max(0, line.length() - 1));
  }
}
