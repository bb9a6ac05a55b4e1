package sluice.perf.simulation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import sluice.testkit.Opcode;

/**
 * Replies that a binary connection owes its client, whose packets may be bent: what the client has
 * sent, as memcached reads it, and where it closes the connection. An opcode that needs a
 * permission is refused.
 */
final class OwedReplies {
  /** Instead of a status: there are several. */
  private static final int ANY = -1;

  private static final int INVALID = 0x04;
  private static final int NOT_ALLOWED = 0x20;
  private static final int STAT = 0x10;
  private static final byte REQUEST = (byte) 0x80;
  private static final int MOST_KEY = 250;
  private static final int MOST_EXTRAS = 20;
  private static final long MOST_BODY = 1L << 30;

  /** The beginning of the keys and values of clients that send no bent packets. */
  private static final Pattern OF_OTHERS = Pattern.compile("\\b[0-9]+:k[0-9]");

  /**
   * Reply, or silence, that is still to come.
   *
   * @param quiet whether it is silence, unless there is something to tell
   * @param status that it must have, or {@link #ANY}
   */
  private record Owed(int opcode, int opaque, String key, boolean quiet, int status) {
    boolean is(BinaryReply reply) {
      return reply.answers(opcode, opaque);
    }

    /** Whether it has this reply. Of two with the same opaque, a quiet one may have none. */
    boolean has(BinaryReply reply) {
      boolean names = tellsKey() && reply.status() == Opcode.STATUS_OK;
      return is(reply) && (!names || reply.key().equals(key));
    }

    /** Whether it must have this reply. A quiet one with the same opaque may have none. */
    boolean must(BinaryReply reply) {
      return is(reply) && reply.status() == status;
    }

    boolean reads() {
      return switch (Opcode.loud(opcode)) {
        case Opcode.GET, Opcode.GETK, Opcode.GAT, Opcode.GATK -> true;
        default -> false;
      };
    }

    boolean tellsKey() {
      int loud = Opcode.loud(opcode);
      return loud == Opcode.GETK || loud == Opcode.GATK;
    }

    @Override
    public String toString() {
      return "opcode 0x%02x, opaque 0x%08x, key of %d bytes"
          .formatted(opcode, opaque, key.length());
    }
  }

  private final ArrayDeque<Owed> owed = new ArrayDeque<>();
  private final ByteBuffer head = // of the packet that is being sent
      ByteBuffer.allocate(BinaryReply.HEADER + MOST_EXTRAS + MOST_KEY);
  private @Nullable Owed sending; // its head is complete, and its value is not
  private long missing; // bytes of that value
  private boolean ended;

  /** The client sends bytes. */
  void sent(byte[] bytes) {
    for (int at = 0; at < bytes.length && !ended; ) {
      if (sending == null) {
        head.put(bytes[at++]);
        readHead();
      } else {
        int taken = (int) Math.min(missing, bytes.length - at);
        at += taken;
        missing -= taken;
        endValue();
      }
    }
  }

  private void readHead() {
    if (head.get(0) != REQUEST) {
      ended = true; // without an answer
      return;
    }
    if (head.position() < BinaryReply.HEADER) {
      return;
    }
    int keyLength = head.getShort(2) & 0xFFFF;
    int extras = head.get(4) & 0xFF;
    long body = head.getInt(BinaryReply.BODY_LENGTH) & 0xFFFFFFFFL;
    boolean isOne = keyLength <= MOST_KEY && extras <= MOST_EXTRAS && keyLength + extras <= body;
    int behind = isOne ? extras + keyLength : 0;
    if (head.position() < BinaryReply.HEADER + behind) {
      return;
    }
    int keyFrom = BinaryReply.HEADER + extras;
    String key = isOne ? new String(head.array(), keyFrom, keyLength, ISO_8859_1) : "";
    head.clear();
    int opcode = head.get(1) & 0xFF;
    if (keyLength + extras > body) {
      ends(opcode, key, Opcode.STATUS_UNKNOWN_COMMAND);
    } else if (body > MOST_BODY || keyLength > MOST_KEY) {
      ends(opcode, key, INVALID);
    } else if (!isKnown(opcode)) {
      begins(owed(opcode, key, false, Opcode.STATUS_UNKNOWN_COMMAND), body - behind);
    } else if (!isWellFormed(Opcode.loud(opcode), keyLength, extras, body)) {
      ends(opcode, key, INVALID);
    } else if (opcode == Opcode.QUITQ) {
      ended = true;
    } else if (opcode == Opcode.QUIT) {
      ends(opcode, key, Opcode.STATUS_OK);
    } else {
      begins(owed(opcode, key), body - behind);
    }
  }

  private Owed owed(int opcode, String key) {
    int loud = Opcode.loud(opcode);
    return switch (loud) {
      case Opcode.FLUSH -> owed(opcode, key, false, NOT_ALLOWED);
      case Opcode.NOOP -> owed(opcode, key, false, Opcode.STATUS_OK);
      default -> owed(opcode, key, loud != opcode, ANY);
    };
  }

  private Owed owed(int opcode, String key, boolean quiet, int status) {
    return new Owed(opcode, head.getInt(12), key, quiet, status);
  }

  private void ends(int opcode, String key, int status) {
    owed.add(owed(opcode, key, false, status));
    ended = true;
  }

  private void begins(Owed packet, long value) {
    sending = packet;
    missing = value;
    endValue();
  }

  private void endValue() {
    Owed packet = sending;
    if (packet != null && missing == 0) {
      owed.add(packet);
      sending = null;
    }
  }

  private static boolean isKnown(int opcode) {
    return switch (opcode) {
      case STAT, Opcode.TOUCH, Opcode.GAT, Opcode.GATQ, Opcode.GATK, Opcode.GATKQ -> true;
      default -> opcode <= Opcode.PREPENDQ; // not SASL, and Verbosity is not even a command
    };
  }

  private static boolean isWellFormed(int loud, int keyLength, int extras, long body) {
    boolean noValue = body == keyLength + extras;
    return switch (loud) {
      case Opcode.GET, Opcode.GETK, Opcode.DELETE -> keyLength > 0 && extras == 0 && noValue;
      case Opcode.TOUCH, Opcode.GAT, Opcode.GATK -> keyLength > 0 && extras == 4 && noValue;
      case Opcode.SET, Opcode.ADD, Opcode.REPLACE -> keyLength > 0 && extras == 8;
      case Opcode.APPEND, Opcode.PREPEND -> keyLength > 0 && extras == 0;
      case Opcode.INCREMENT, Opcode.DECREMENT -> keyLength > 0 && extras == 20 && noValue;
      case Opcode.FLUSH -> keyLength == 0 && (extras == 0 || extras == 4) && noValue;
      case STAT -> extras == 0 && noValue;
      default -> body == 0;
    };
  }

  /** Whether a reply must come. */
  boolean isOwed() {
    return owed.stream().anyMatch(one -> !one.quiet());
  }

  /** What must come first; null for nothing. */
  @Nullable String first() {
    return owed.stream().filter(one -> !one.quiet()).findFirst().map(Owed::toString).orElse(null);
  }

  /** Whether the connection must be closed behind the replies. */
  boolean isEnded() {
    return ended;
  }

  /** Whether a part of a packet has not been sent. */
  boolean isInside() {
    return isInsideValue() || head.position() > 0;
  }

  /** Whether a part of a value has not been sent. */
  boolean isInsideValue() {
    return sending != null;
  }

  /** Judges a reply: what is wrong; null if nothing is. */
  @Nullable String judge(BinaryReply reply) {
    boolean isNamed = owed.stream().anyMatch(one -> one.has(reply));
    boolean isCertain = owed.stream().anyMatch(one -> one.must(reply));
    Owed next = owed.peek();
    while (next != null
        && next.quiet()
        && (isCertain || !(isNamed ? next.has(reply) : next.is(reply)))) {
      owed.remove();
      next = owed.peek();
    }
    if (next == null) {
      return "a reply without a request";
    }
    if (!next.is(reply)) {
      return "found another request's reply, expected one to " + next;
    }
    boolean succeeds = reply.status() == Opcode.STATUS_OK;
    if (reply.opcode() != STAT || !succeeds || reply.key().isEmpty()) {
      owed.remove(); // of statistics, others follow
    }
    if (next.status() != ANY && next.status() != reply.status()) {
      return "found status " + reply.status() + ", expected " + next.status() + " to " + next;
    }
    if (next.quiet() && (next.reads() ? reply.status() == Opcode.STATUS_NOT_FOUND : succeeds)) {
      return "found a reply, expected silence to " + next;
    }
    if (succeeds && next.tellsKey() && !reply.key().equals(next.key())) {
      return "found key " + reply.key() + " in the reply to " + next;
    }
    return OF_OTHERS.matcher(reply.value()).find() ? "found another's value: " + next : null;
  }
}
