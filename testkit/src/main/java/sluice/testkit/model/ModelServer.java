package sluice.testkit.model;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import sluice.testkit.Acceptor;
import sluice.testkit.grammar.Bytes;

/**
 * Model of memcached that reads text and meta lines as one of its versions does, and keeps items.
 *
 * <p>It is as strict as memcached may be: a line longer than 2048 bytes, which memcached takes if
 * it arrives at once, always ends the connection. Packets of the binary protocol end it, too.
 */
public final class ModelServer implements Server {
  /** How a version reads lines: the three ways there have been. */
  public enum Lines {
    /** No meta commands; a NUL ends the line. */
    V1_4("1.4.39"),
    /** Meta commands; a NUL ends the line. */
    V1_6_18("1.6.18"),
    /** The parser that the built-in proxy shares: since 1.6.40. */
    V1_6_45("1.6.45");

    private final String version;

    Lines(String version) {
      this.version = version;
    }

    /** As memcached tells it. */
    public String version() {
      return version;
    }
  }

  /** What a key holds. */
  record Item(byte[] value, long flags, long cas) {}

  static final int MAX_VALUE = 1024 * 1024 - 300;

  private static final int MAX_LINE = 2048;
  private static final int MAX_BUFFERED = 16 * 1024;

  private final Lines lines;
  private final Map<String, Item> items = new TreeMap<>();
  private final Map<Integer, Socket> sockets = new ConcurrentHashMap<>();
  private final AtomicLong flushes = new AtomicLong();
  private final Acceptor acceptor;
  private long cas = 1;
  private long limit = 64L << 20;
  private long verbosity;
  private volatile String closedBehind = "";

  /** A model on any port of the loopback address. */
  public ModelServer(Lines lines) throws IOException {
    this.lines = lines;
    acceptor = Acceptor.onLoopback(0, "model of memcached " + lines.version(), this::serve);
  }

  @Override
  public InetSocketAddress address() {
    return acceptor.address();
  }

  @Override
  public String closedBehind() {
    return closedBehind;
  }

  Lines lines() {
    return lines;
  }

  @Override
  public void close() throws IOException {
    acceptor.close();
  }

  private void serve(int number, Socket socket) {
    sockets.put(number, socket);
    try (socket) {
      InputStream in = new BufferedInputStream(socket.getInputStream(), MAX_BUFFERED);
      Conversation conversation =
          lines == Lines.V1_6_45
              ? new NewLines(this, in, socket.getOutputStream())
              : new OldLines(this, in, socket.getOutputStream());
      boolean more = true;
      while (more) {
        byte[] line = line(in);
        if (line == null) {
          conversation.flush();
          return;
        }
        more = conversation.handle(line);
        if (!more) {
          closedBehind = Bytes.escaped(line);
        }
        conversation.swallow();
        if (in.available() == 0 || conversation.isLarge()) {
          conversation.flush();
        }
      }
      conversation.flush();
    } catch (IOException e) {
      // closed
    } finally {
      sockets.remove(number);
    }
  }

  // The next line with its end; null where memcached closes.
  private byte[] line(InputStream in) throws IOException {
    java.io.ByteArrayOutputStream line = new java.io.ByteArrayOutputStream();
    boolean first = true;
    while (true) {
      int b = in.read();
      if (b < 0 || (first && b == 0x80)) {
        return null;
      }
      first = false;
      line.write(b);
      if (b == '\n') {
        return line.toByteArray();
      }
      if (line.size() > MAX_LINE) {
        String start = line.toString(StandardCharsets.ISO_8859_1).stripLeading();
        if (!start.startsWith("get ") && !start.startsWith("gets ")) {
          closedBehind = Bytes.escaped(line.toByteArray());
          return null;
        }
      }
    }
  }

  // --- what all versions do with items

  /** Whether a key holds a value. */
  public synchronized boolean holds(String key) {
    return items.containsKey(key);
  }

  synchronized Item get(String key) {
    return items.get(key);
  }

  synchronized void remove(String key) {
    items.remove(key);
  }

  synchronized Item put(String key, byte[] value, long flags) {
    Item item = new Item(value, flags, ++cas);
    items.put(key, item);
    return item;
  }

  /** Whether an item that is to live for so long is gone at once. */
  static boolean isOver(int exptime) {
    boolean relative = exptime <= 30 * 24 * 60 * 60;
    return exptime < 0 || (!relative && exptime < Instant.now().getEpochSecond());
  }

  synchronized void flushAll() {
    flushes.incrementAndGet();
    items.clear();
  }

  synchronized void limit(long megabytes) {
    limit = megabytes << 20;
  }

  synchronized void verbosity(long level) {
    verbosity = level;
  }

  /** The answer to a stats line, or to a dump of all keys. */
  synchronized String stats(String what) {
    StringBuilder text = new StringBuilder();
    switch (what) {
      case "" -> text.append("STAT cmd_flush ").append(flushes).append("\r\n");
      case "settings" -> {
        text.append("STAT maxbytes ").append(limit).append("\r\n");
        text.append("STAT verbosity ").append(verbosity).append("\r\n");
      }
      case "conns" ->
          sockets.forEach(
              (number, socket) ->
                  text.append("STAT ")
                      .append(number)
                      .append(":addr tcp:127.0.0.1:")
                      .append(socket.getPort())
                      .append("\r\n"));
      case "metadump" ->
          items
              .keySet()
              .forEach(
                  key ->
                      text.append("key=")
                          .append(URLEncoder.encode(key, StandardCharsets.ISO_8859_1))
                          .append(" exp=-1\n"));
      case "cachedump" ->
          items.forEach(
              (key, item) ->
                  text.append("ITEM ")
                      .append(key)
                      .append(" [")
                      .append(item.value().length)
                      .append(" b; 0 s]\r\n"));
      default -> {
        // nothing to tell
      }
    }
    return text.append("END\r\n").toString();
  }
}
