package sluice.perf.simulation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import sluice.testkit.Opcode;

/**
 * Write of a key that a server carries out late, and answers even later, as if the thread that has
 * its connection did not run. Its other threads do.
 */
final class LateWrite {
  private static final byte REQUEST = (byte) 0x80;
  private static final int EXTRAS = 8; // of a set

  private final byte[] key;
  private final long before;
  private final long behind;
  private final Runnable arrival;
  private boolean arrived;

  /**
   * The next write of a key.
   *
   * @param before nanoseconds from its arrival until it is carried out
   * @param behind nanoseconds from then until its reply
   * @param arrival called when a server has it
   */
  LateWrite(String key, long before, long behind, Runnable arrival) {
    this.key = key.getBytes(ISO_8859_1);
    this.before = before;
    this.behind = behind;
    this.arrival = arrival;
  }

  /** Nanoseconds from its arrival until it is carried out. */
  long before() {
    return before;
  }

  /** Nanoseconds from then until its reply. */
  long behind() {
    return behind;
  }

  /** Whether requests that arrive at a server contain it. Then no others do. */
  boolean arrives(byte[] requests) {
    if (arrived || !isIn(requests)) {
      return false;
    }
    arrived = true;
    arrival.run();
    return true;
  }

  private boolean isIn(byte[] requests) {
    for (int i = 0; i + key.length <= requests.length; i++) {
      if (isKeyAt(requests, i) && isOfWrite(requests, i)) {
        return true;
      }
    }
    return false;
  }

  private boolean isKeyAt(byte[] requests, int at) {
    for (int i = 0; i < key.length; i++) {
      if (requests[at + i] != key[i]) {
        return false;
      }
    }
    return true;
  }

  private boolean isOfWrite(byte[] requests, int at) {
    int header = at - EXTRAS - BinaryReply.HEADER;
    int end = at + key.length;
    boolean ends = end < requests.length && requests[end] == ' ';
    return (header >= 0 && requests[header] == REQUEST && requests[header + 1] == Opcode.SET)
        || (ends && (follows(requests, at, "set ") || follows(requests, at, "ms ")));
  }

  private static boolean follows(byte[] requests, int at, String command) {
    int from = at - command.length();
    return from >= 0 && new String(requests, from, command.length(), ISO_8859_1).equals(command);
  }
}
