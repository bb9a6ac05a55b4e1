package sluice.testkit.model;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** State of a model, shared by all its connections: items, settings, connected peers. */
final class Items {
  /** Value of a key. */
  record Item(byte[] value, long flags, long cas) {}

  static final int MAX_VALUE = 1024 * 1024 - 300;

  private final Lines lines;
  private final InstantSource clock;
  private final ModelWrites writes;
  private final Map<String, Item> items = new TreeMap<>();
  private final Map<Integer, Integer> ports = new ConcurrentHashMap<>(); // by connection
  private final AtomicLong flushes = new AtomicLong();
  private long cas = 1;
  private long limit = 64L << 20;
  private long verbosity;

  /**
   * No items.
   *
   * @param writes is told of each write
   */
  Items(Lines lines, InstantSource clock, ModelWrites writes) {
    this.lines = lines;
    this.clock = clock;
    this.writes = writes;
  }

  /** The version whose lines are accepted. */
  Lines lines() {
    return lines;
  }

  void connected(int number, int port) {
    ports.put(number, port);
  }

  void disconnected(int number) {
    ports.remove(number);
  }

  /** Whether a key holds a value. */
  synchronized boolean holds(String key) {
    return items.containsKey(key);
  }

  synchronized @Nullable Item get(String key) {
    return items.get(key);
  }

  synchronized void remove(String key) {
    items.remove(key);
  }

  synchronized Item put(String key, byte[] value, long flags) {
    Item item = hold(key, value, flags);
    writes.stored(key, flags);
    return item;
  }

  /**
   * Replaces a value by one that was made from it.
   *
   * @param added what was appended or prepended; null for another change
   */
  synchronized void change(String key, byte[] value, byte @Nullable [] added) {
    Item held = items.get(key);
    hold(key, value, held == null ? 0 : held.flags());
    if (added != null) {
      writes.joined(key, added);
    }
  }

  private Item hold(String key, byte[] value, long flags) {
    Item item = new Item(value, flags, ++cas);
    items.put(key, item);
    return item;
  }

  /** Sets an item's time to live, if there is an item. */
  synchronized void live(String key, int exptime) {
    writes.lives(key, exptime);
    if (isOver(exptime)) {
      items.remove(key);
    }
  }

  // Whether an item with that time to live expires at once.
  private boolean isOver(int exptime) {
    boolean relative = exptime <= 30 * 24 * 60 * 60;
    return exptime < 0 || (!relative && exptime < clock.instant().getEpochSecond());
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

  /** The reply to a stats line, or to a dump of all keys. */
  synchronized String stats(String what) {
    StringBuilder text = new StringBuilder();
    switch (what) {
      case "" -> text.append("STAT cmd_flush ").append(flushes).append("\r\n");
      case "settings" -> {
        text.append("STAT maxbytes ").append(limit).append("\r\n");
        text.append("STAT verbosity ").append(verbosity).append("\r\n");
      }
      case "conns" ->
          ports.forEach(
              (number, port) ->
                  text.append("STAT ")
                      .append(number)
                      .append(":addr tcp:127.0.0.1:")
                      .append(port)
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
        // nothing to report
      }
    }
    return text.append("END\r\n").toString();
  }
}
