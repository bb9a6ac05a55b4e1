package sluice.gateway.suite;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import sluice.gateway.fixtures.Vector;

/** A client's connection of raw bytes: sends what it is told to, and hears everything. */
final class Conversation implements AutoCloseable {

  /** How long an expected byte may take; a gateway that is slower than this has lost it. */
  static final Duration PATIENCE = Duration.ofSeconds(20);

  /** How long nothing must come for a reply to be over, once all that was expected is there. */
  static final Duration SURPLUS = Duration.ofMillis(40);

  /** The pause between the writes of a request that was cut: each has to arrive alone. */
  private static final Duration BETWEEN_WRITES = Duration.ofMillis(15);

  /** How long a write may stay unread before the next one is sent all the same. */
  private static final Duration MOST_UNREAD = Duration.ofSeconds(1);

  private final Socket socket;
  private final Duration patience;
  private boolean closedByPeer;

  Conversation(InetSocketAddress address) throws IOException {
    this(address, PATIENCE);
  }

  /** One that waits for expected bytes no longer than this. */
  Conversation(InetSocketAddress address, Duration patience) throws IOException {
    this.patience = patience;
    socket = new Socket();
    socket.setTcpNoDelay(true);
    socket.connect(address, (int) PATIENCE.toMillis());
  }

  /** Sends the request, each piece as a write of its own. */
  void send(List<byte[]> writes) throws IOException, InterruptedException {
    for (int i = 0; i < writes.size() && !closedByPeer; i++) {
      if (i > 0) {
        awaitRead();
        Thread.sleep(Math.max(1, BETWEEN_WRITES.toMillis() * 4 / (writes.size() + 3)));
      }
      try {
        socket.getOutputStream().write(writes.get(i));
      } catch (SocketException e) {
        closedByPeer = true; // what it said before is still there to be read
      }
    }
  }

  /** Waits, for a while, until the peer has read all that was sent. */
  private void awaitRead() throws IOException, InterruptedException {
    long began = System.nanoTime();
    while (isUnread() && System.nanoTime() - began < MOST_UNREAD.toNanos()) {
      Thread.sleep(1);
    }
  }

  /** Whether the kernel has bytes for the peer, as its table of this host's sockets says. */
  private boolean isUnread() throws IOException {
    String peer = String.format(":%04X", socket.getPort());
    String own = String.format(":%04X", socket.getLocalPort());
    for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
      for (String row : Files.readAllLines(Path.of(table))) {
        String[] columns = row.trim().split("\\s+");
        if (columns[1].endsWith(peer) && columns[2].endsWith(own)) {
          return !columns[4].endsWith(":00000000");
        }
      }
    }
    return false;
  }

  /** Sends a line of text. */
  void send(String text) throws IOException, InterruptedException {
    send(List.of(text.getBytes(StandardCharsets.ISO_8859_1)));
  }

  /**
   * Everything that comes until the peer closes, or {@code expected} bytes came and then nothing
   * more, or what is expected does not come in time.
   */
  Vector.Reply hear(int expected, boolean closeExpected) throws IOException {
    return hear(expected, closeExpected, SURPLUS);
  }

  /** The same with another time of silence after the expected bytes. */
  Vector.Reply hear(int expected, boolean closeExpected, Duration silence) throws IOException {
    ByteArrayOutputStream heard = new ByteArrayOutputStream();
    byte[] buffer = new byte[65_536];
    InputStream in = socket.getInputStream();
    while (true) {
      boolean waiting = heard.size() < expected || closeExpected;
      socket.setSoTimeout((int) (waiting ? patience : silence).toMillis());
      try {
        int read = in.read(buffer);
        if (read < 0) {
          return new Vector.Reply(heard.toByteArray(), true);
        }
        heard.write(buffer, 0, read);
      } catch (SocketTimeoutException e) {
        return new Vector.Reply(heard.toByteArray(), false);
      } catch (SocketException e) { // reset: closed with bytes of ours unread
        return new Vector.Reply(heard.toByteArray(), true);
      }
    }
  }

  /** Everything until these bytes end it. */
  byte[] hearUntil(byte[] end) throws IOException {
    ByteArrayOutputStream heard = new ByteArrayOutputStream();
    byte[] buffer = new byte[65_536];
    socket.setSoTimeout((int) patience.toMillis());
    while (true) {
      int read = socket.getInputStream().read(buffer);
      if (read < 0) {
        throw new IOException("closed after " + Escaped.of(heard.toByteArray()));
      }
      heard.write(buffer, 0, read);
      byte[] all = heard.toByteArray();
      int from = all.length - end.length;
      if (from >= 0 && Arrays.equals(all, from, all.length, end, 0, end.length)) {
        return all;
      }
    }
  }

  /** Sends a line of text and returns everything until this text ends it. */
  String ask(String text, String end) throws IOException, InterruptedException {
    send(text);
    byte[] heard = hearUntil(end.getBytes(StandardCharsets.ISO_8859_1));
    return new String(heard, StandardCharsets.ISO_8859_1);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
