package sluice.gateway.client.text.multiget;

import java.util.Arrays;
import sluice.gateway.loop.MemoryShare;

/**
 * Keys of a read of many, in the requested order, each with its subrequest and the length of its
 * value. A subrequest's keys are chained in the order of its request, so that its replies tell
 * which of them they are.
 */
final class MultiGetKeys {
  static final int MISSED = 0;
  static final int UNKNOWN = -1;
  static final int FAILED = -2;

  /** An index behind the last of a subrequest's keys. */
  static final int ALL = Integer.MAX_VALUE;

  private static final int NO_KEY = Integer.MAX_VALUE;
  private static final int LEAST = 64;
  private static final int LEAST_SUBREQUESTS = 8;
  private static final int BYTES_A_KEY = 3 * Integer.BYTES;
  private static final int BYTES_A_SUBREQUEST = 3 * Integer.BYTES;

  private final MemoryShare memory;
  private int count;
  private int next; // the next key to answer
  private int[] subrequestOf = new int[LEAST];
  private int[] valueBytes = new int[LEAST]; // with their lines; or MISSED, UNKNOWN, FAILED
  private int[] nextOfSubrequest = new int[LEAST]; // the next key of the same subrequest, or NO_KEY
  private int[] lastKey = new int[LEAST_SUBREQUESTS];
  private int[] openKey = new int[LEAST_SUBREQUESTS]; // the first key without a result, and
  private int[] openIndex = new int[LEAST_SUBREQUESTS]; // its index among the subrequest's keys

  MultiGetKeys(MemoryShare memory) {
    this.memory = memory;
    memory.addObjects(bytes());
  }

  /** Bytes of heap that it takes. */
  private long bytes() {
    return (long) BYTES_A_KEY * subrequestOf.length + (long) BYTES_A_SUBREQUEST * lastKey.length;
  }

  /** Ends its use. */
  void drop() {
    memory.addObjects(-bytes());
  }

  // --- asking -----------------------------------------------------------------------------------

  /**
   * Adds the next key.
   *
   * @param isFirst whether it is the first of its subrequest
   */
  void add(int subrequest, boolean isFirst) {
    grow(subrequest);
    if (isFirst) {
      openKey[subrequest] = count;
      openIndex[subrequest] = 0;
    } else {
      nextOfSubrequest[lastKey[subrequest]] = count;
    }
    lastKey[subrequest] = count;
    nextOfSubrequest[count] = NO_KEY;
    subrequestOf[count] = subrequest;
    valueBytes[count++] = UNKNOWN;
  }

  private void grow(int subrequest) {
    long before = bytes();
    if (count == subrequestOf.length) {
      subrequestOf = Arrays.copyOf(subrequestOf, count * 2);
      valueBytes = Arrays.copyOf(valueBytes, count * 2);
      nextOfSubrequest = Arrays.copyOf(nextOfSubrequest, count * 2);
    }
    if (subrequest == lastKey.length) {
      lastKey = Arrays.copyOf(lastKey, subrequest * 2);
      openKey = Arrays.copyOf(openKey, subrequest * 2);
      openIndex = Arrays.copyOf(openIndex, subrequest * 2);
    }
    if (bytes() != before) {
      memory.addObjects(bytes() - before);
    }
  }

  int count() {
    return count;
  }

  /** The subrequest of a key. */
  int subrequestOf(int key) {
    return subrequestOf[key];
  }

  /** Leaves out the keys from a number on. */
  void leaveOut(int from) {
    count = from;
    for (int key = 0; key < count; key++) {
      lastKey[subrequestOf[key]] = key;
      if (nextOfSubrequest[key] >= from) {
        nextOfSubrequest[key] = NO_KEY;
      }
    }
  }

  /** Whether all keys of a subrequest without an answer are behind a number. */
  boolean isBehind(int subrequest, int key) {
    return openKey[subrequest] >= key;
  }

  // --- answers ----------------------------------------------------------------------------------

  /** Sets the length of a key's value with its line; or MISSED or FAILED. */
  void answered(int key, int bytes) {
    valueBytes[key] = bytes;
  }

  /** The value of a subrequest's {@code index}th key has come: earlier ones have none. */
  void value(int subrequest, int index, int bytes) {
    settle(subrequest, index, MISSED);
    int key = openKey[subrequest];
    valueBytes[key] = bytes;
    openKey[subrequest] = nextOfSubrequest[key];
    openIndex[subrequest]++;
  }

  /**
   * Sets the result of the subrequest's keys up to its {@code index}th, from the first without one,
   * to {@code fate}.
   */
  void settle(int subrequest, int index, int fate) {
    while (openIndex[subrequest] < index && openKey[subrequest] != NO_KEY) {
      if (valueBytes[openKey[subrequest]] == UNKNOWN) {
        valueBytes[openKey[subrequest]] = fate;
      }
      openKey[subrequest] = nextOfSubrequest[openKey[subrequest]];
      openIndex[subrequest]++;
    }
  }

  // --- in the order asked -----------------------------------------------------------------------

  /** Whether all keys are answered. */
  boolean areAnswered() {
    return next == count;
  }

  /** Whether the next key to answer has a result. */
  boolean isNextKnown() {
    return next < count && valueBytes[next] != UNKNOWN;
  }

  /** Whether the next key to answer, which has a result, has failed. */
  boolean hasNextFailed() {
    return valueBytes[next] == FAILED;
  }

  /** The subrequest of the next key to answer. */
  int nextSubrequest() {
    return subrequestOf[next];
  }

  /**
   * Answers the next key, which has a result, and those behind it with the same subrequest:
   * adjacent keys here are adjacent there, too.
   *
   * @return length of their values with their lines
   */
  int takeNext() {
    int subrequest = subrequestOf[next];
    int bytes = 0;
    do {
      bytes += valueBytes[next++];
    } while (next < count && subrequestOf[next] == subrequest && valueBytes[next] >= 0);
    return bytes;
  }

  /** Forgets all keys. */
  void clear() {
    count = 0;
    next = 0;
  }
}
