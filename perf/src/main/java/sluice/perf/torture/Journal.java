package sluice.perf.torture;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import sluice.perf.torture.Sent.Write;

/** What one server was asked to write, and what of it it said it has done. For all threads. */
final class Journal {
  /** What a key holds, if the server kept its word. */
  enum Certainty {
    /** The last write is the last that the server did. */
    CERTAIN,
    /** A write had no reply, or two were under way on two connections. */
    UNCERTAIN,
    /** Nothing was written. */
    UNKNOWN
  }

  /** The writes to one key. */
  private static final class Key {
    private final ArrayDeque<Entry> acknowledged = new ArrayDeque<>(2);
    private boolean uncertain;
    private Sent last;
    private Object connection;
    private int open;
  }

  private record Entry(Sent sent, long acknowledgedNanos) {}

  private final Map<String, Key> keys = new ConcurrentHashMap<>();

  /** A write goes to the server, on that connection, which does one after the other. */
  void asked(Sent write, Object connection) {
    Key key = keys.computeIfAbsent(write.key(), name -> new Key());
    synchronized (key) {
      // Which of two connections' writes is done last, nobody knows.
      key.uncertain |= key.open > 0 && key.connection != connection;
      key.connection = connection;
      key.open++;
    }
  }

  /** The server says that it has done it. */
  void acknowledged(Sent write) {
    long now = System.nanoTime();
    Key key = keys.get(write.key());
    if (key == null) {
      return; // retired
    }
    synchronized (key) {
      key.open--;
      key.acknowledged.add(new Entry(write, now));
      key.last = write;
    }
  }

  /** The server answered that it has not done it. */
  void refused(Sent write) {
    Key key = keys.get(write.key());
    if (key != null) {
      synchronized (key) {
        key.open--;
      }
    }
  }

  /** Its connection ended: whether it is done, or will be, nobody knows. */
  void unanswered(Sent write) {
    Key key = keys.get(write.key());
    if (key != null) {
      synchronized (key) {
        key.open--;
        key.uncertain = true;
      }
    }
  }

  /**
   * Takes out the acknowledgement of such a write, asked for and given between the two times.
   *
   * @return whether there is one
   */
  boolean take(Write write, String name, int flags, long fromNanos, long toNanos) {
    Key key = keys.get(name);
    if (key == null) {
      return false;
    }
    synchronized (key) {
      for (Iterator<Entry> i = key.acknowledged.iterator(); i.hasNext(); ) {
        Entry entry = i.next();
        if (entry.sent().write() == write
            && entry.sent().flags() == flags
            && entry.sent().nanos() - fromNanos >= 0
            && entry.acknowledgedNanos() - toNanos <= 0) {
          i.remove();
          return true;
        }
      }
    }
    return false;
  }

  /** How much is known of what a key holds. */
  Certainty certainty(String name) {
    Key key = keys.get(name);
    if (key == null) {
      return Certainty.UNKNOWN;
    }
    synchronized (key) {
      return key.uncertain || key.open > 0
          ? Certainty.UNCERTAIN
          : key.last == null ? Certainty.UNKNOWN : Certainty.CERTAIN;
    }
  }

  /** The flags of what a key holds that is certain; null if it was deleted last. */
  Integer flags(String name) {
    Key key = keys.get(name);
    synchronized (key) {
      return key.last.write() == Write.STORE ? (Integer) key.last.flags() : null;
    }
  }

  /** Nothing will be asked about this key any more. */
  void forget(String name) {
    keys.remove(name);
  }

  /** Keys that are remembered. */
  int size() {
    return keys.size();
  }
}
