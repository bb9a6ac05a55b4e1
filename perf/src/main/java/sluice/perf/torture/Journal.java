package sluice.perf.torture;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
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
    private final ArrayDeque<Entry> answered = new ArrayDeque<>(2);
    private final ArrayDeque<Entry> taken = new ArrayDeque<>(2);
    private boolean uncertain;
    private @Nullable Sent last; // that the server did
    private @Nullable Object connection; // of the last that was asked for
    private int open;
  }

  /** What the server said of a write, and where: that it has done it, or why it has not. */
  record Entry(Sent sent, Object connection, boolean done, long answeredNanos) {}

  /** More than a client has under way: what no client has asked for until then, none will. */
  private static final int MOST_ANSWERS = 256;

  /** Of what was taken the last are remembered, for who looks at a finding. */
  private static final int MOST_TAKEN = 4;

  private final Map<String, Key> keys = new ConcurrentHashMap<>();

  /** A write goes to the server, on that connection, which does one after the other. */
  void asked(Sent write, Object connection) {
    Key key = keys.computeIfAbsent(write.key(), name -> new Key());
    synchronized (key) {
      // Which of two connections' writes is done last is unknown.
      key.uncertain |= key.open > 0 && key.connection != connection;
      key.connection = connection;
      key.open++;
    }
  }

  /** The server says what has become of it. */
  void answered(Sent write, Object connection, Replies.Outcome outcome) {
    long now = System.nanoTime();
    Key key = keys.get(write.key());
    if (key == null) {
      return; // retired
    }
    synchronized (key) {
      key.open--;
      boolean done = outcome == Replies.Outcome.DONE;
      if (done) {
        key.last = write;
      }
      if (outcome != Replies.Outcome.FAILED) {
        if (key.answered.size() == MOST_ANSWERS) {
          key.answered.remove();
        }
        key.answered.add(new Entry(write, connection, done, now));
      }
    }
  }

  /** Its connection ended: whether it is done, or will be, is unknown. */
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
   * The answers to such a write, asked for and given between the two times, that no entry has
   * taken.
   *
   * @param ignoredFlags bits of the flags that do not count
   */
  List<Entry> answers(Asked asked, String name, int ignoredFlags) {
    Key key = keys.get(name);
    if (key == null) {
      return List.of();
    }
    synchronized (key) {
      return key.answered.stream()
          .filter(
              entry ->
                  entry.sent().write() == asked.write()
                      && ((entry.sent().flags() ^ asked.flags()) & ~ignoredFlags) == 0
                      && entry.sent().nanos() - asked.fromNanos() >= 0
                      && entry.answeredNanos() - asked.toNanos() <= 0)
          .toList();
    }
  }

  /** All answers to writes of a key that are known of, the last of those taken among them. */
  List<Entry> all(String name) {
    Key key = keys.get(name);
    if (key == null) {
      return List.of();
    }
    synchronized (key) {
      return Stream.concat(key.taken.stream(), key.answered.stream()).toList();
    }
  }

  /** Takes an answer out; returns false if it was taken before. */
  boolean take(Entry entry) {
    Key key = keys.get(entry.sent().key());
    if (key == null) {
      return false;
    }
    synchronized (key) {
      if (!key.answered.remove(entry)) {
        return false;
      }
      if (key.taken.size() == MOST_TAKEN) {
        key.taken.remove();
      }
      key.taken.add(entry);
      return true;
    }
  }

  /** Puts back what was taken. */
  void release(Entry entry) {
    Key key = keys.get(entry.sent().key());
    if (key != null) {
      synchronized (key) {
        key.taken.remove(entry);
        key.answered.addFirst(entry);
      }
    }
  }

  /** A write as its client knows it, and when it was asked for and known to be done. */
  record Asked(Write write, int flags, long fromNanos, long toNanos) {}

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
  @SuppressWarnings("NullAway") // a key that is certain was written, and is remembered
  @Nullable Integer flags(String name) {
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
