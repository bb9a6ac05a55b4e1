package sluice.perf.simulation;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What nodes have sent each other, and what of it must arrive: all of it, unchanged, in order. */
final class NodeLinks {
  /** Bytes of one connection's messages, or of its stream, that were sent and must arrive. */
  static final class Sent {
    private final ArrayDeque<byte[]> parts = new ArrayDeque<>();
    private int offset; // in the first of the parts
    private long sent;
    private long received;
    private boolean cut; // its last message, or frame, was not sent whole
    private Runnable whenLeft = () -> {};

    /** Further bytes are sent. */
    void add(byte[] bytes) {
      parts.add(bytes);
      sent += bytes.length;
    }

    /** Further bytes have arrived: whether they are those that had to come next. */
    boolean isNext(byte[] bytes) {
      for (int at = 0; at < bytes.length; ) {
        byte[] first = parts.peek();
        if (first == null) {
          return false;
        }
        int here = Math.min(bytes.length - at, first.length - offset);
        if (!Arrays.equals(bytes, at, at + here, first, offset, offset + here)) {
          return false;
        }
        at += here;
        offset += here;
        received += here;
        if (offset == first.length) {
          parts.remove();
          offset = 0;
        }
      }
      return true;
    }

    /** Nothing further is sent, although a message has begun. */
    void cut() {
      cut = true;
    }

    /** Whether a message that has begun is not sent whole. */
    boolean isCut() {
      return cut;
    }

    /** Calls back when the receiver ends the connection. */
    void whenLeft(Runnable told) {
      whenLeft = told;
    }

    /** The receiver ends the connection. */
    void left() {
      whenLeft.run();
    }

    /** The bytes that were sent. */
    long sent() {
      return sent;
    }

    /** The bytes that have arrived. */
    long received() {
      return received;
    }
  }

  private final Map<Long, Sent> byFirst = new HashMap<>();
  // who sent a rejected message that asked for an answer, by its id
  private final Map<Long, String> unanswered = new HashMap<>();
  private long lastId;

  /** An id that no other message has. */
  long nextId() {
    return ++lastId;
  }

  /** The first message that must arrive on a connection has this id. */
  void begins(long id, Sent sent) {
    byFirst.put(id, sent);
  }

  /** The connection whose first message has this id; null for none that has not arrived yet. */
  @Nullable Sent begun(long id) {
    return byFirst.remove(id);
  }

  /** A host sends a message that a rule rejects, and may get an answer. */
  void asksForAnswer(long id, String host) {
    unanswered.put(id, host);
  }

  /** A host gets an answer to a rejected message: whether it asked, and had none before. */
  boolean isAnswered(long id, String host) {
    return unanswered.remove(id, host);
  }
}
