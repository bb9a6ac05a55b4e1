package sluice.gateway.client.text.multiget;

import java.util.Arrays;
import sluice.gateway.loop.MemoryShare;

/**
 * Keys of a read of many, in the requested order, each with its part and the length of its value. A
 * part's keys are chained in the order of its request, so that its replies tell which of them they
 * are.
 */
final class SplitKeys {
  static final int MISSED = 0;
  static final int UNKNOWN = -1;
  static final int FAILED = -2;

  /** An index behind the last of a part's keys. */
  static final int ALL = Integer.MAX_VALUE;

  private static final int NO_KEY = Integer.MAX_VALUE;
  private static final int LEAST = 64;
  private static final int LEAST_PARTS = 8;
  private static final int BYTES_A_KEY = 3 * Integer.BYTES;
  private static final int BYTES_A_PART = 3 * Integer.BYTES;

  private final MemoryShare memory;
  private int count;
  private int next; // the next key to answer
  private int[] partOf = new int[LEAST];
  private int[] valueBytes = new int[LEAST]; // with their lines; or MISSED, UNKNOWN, FAILED
  private int[] nextOfPart = new int[LEAST]; // the next key of the same part, or NO_KEY
  private int[] lastKey = new int[LEAST_PARTS];
  private int[] openKey = new int[LEAST_PARTS]; // the first key without a result, and
  private int[] openIndex = new int[LEAST_PARTS]; // its index among the part's keys

  SplitKeys(MemoryShare memory) {
    this.memory = memory;
    memory.addObjects(bytes());
  }

  /** Bytes of heap that it takes. */
  private long bytes() {
    return (long) BYTES_A_KEY * partOf.length + (long) BYTES_A_PART * lastKey.length;
  }

  /** Ends its use. */
  void drop() {
    memory.addObjects(-bytes());
  }

  // --- asking -----------------------------------------------------------------------------------

  /**
   * Adds the next key.
   *
   * @param isFirst whether it is the first of its part
   */
  void add(int part, boolean isFirst) {
    grow(part);
    if (isFirst) {
      openKey[part] = count;
      openIndex[part] = 0;
    } else {
      nextOfPart[lastKey[part]] = count;
    }
    lastKey[part] = count;
    nextOfPart[count] = NO_KEY;
    partOf[count] = part;
    valueBytes[count++] = UNKNOWN;
  }

  private void grow(int part) {
    long before = bytes();
    if (count == partOf.length) {
      partOf = Arrays.copyOf(partOf, count * 2);
      valueBytes = Arrays.copyOf(valueBytes, count * 2);
      nextOfPart = Arrays.copyOf(nextOfPart, count * 2);
    }
    if (part == lastKey.length) {
      lastKey = Arrays.copyOf(lastKey, part * 2);
      openKey = Arrays.copyOf(openKey, part * 2);
      openIndex = Arrays.copyOf(openIndex, part * 2);
    }
    if (bytes() != before) {
      memory.addObjects(bytes() - before);
    }
  }

  int count() {
    return count;
  }

  /** The part of a key. */
  int partOf(int key) {
    return partOf[key];
  }

  /** Leaves out the keys from a number on. */
  void leaveOut(int from) {
    count = from;
    for (int key = 0; key < count; key++) {
      lastKey[partOf[key]] = key;
      if (nextOfPart[key] >= from) {
        nextOfPart[key] = NO_KEY;
      }
    }
  }

  /** Whether all keys of a part without an answer are behind a number. */
  boolean isBehind(int part, int key) {
    return openKey[part] >= key;
  }

  // --- answers ----------------------------------------------------------------------------------

  /** Sets the length of a key's value with its line; or MISSED or FAILED. */
  void answered(int key, int bytes) {
    valueBytes[key] = bytes;
  }

  /** The value of a part's {@code index}th key has come: earlier ones have none. */
  void value(int part, int index, int bytes) {
    settle(part, index, MISSED);
    int key = openKey[part];
    valueBytes[key] = bytes;
    openKey[part] = nextOfPart[key];
    openIndex[part]++;
  }

  /**
   * Sets the result of the part's keys up to its {@code index}th, from the first without one, to
   * {@code fate}.
   */
  void settle(int part, int index, int fate) {
    while (openIndex[part] < index && openKey[part] != NO_KEY) {
      if (valueBytes[openKey[part]] == UNKNOWN) {
        valueBytes[openKey[part]] = fate;
      }
      openKey[part] = nextOfPart[openKey[part]];
      openIndex[part]++;
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

  /** The part of the next key to answer. */
  int nextPart() {
    return partOf[next];
  }

  /**
   * Answers the next key, which has a result, and those behind it with the same part: adjacent keys
   * here are adjacent there, too.
   *
   * @return length of their values with their lines
   */
  int takeNext() {
    int part = partOf[next];
    int bytes = 0;
    do {
      bytes += valueBytes[next++];
    } while (next < count && partOf[next] == part && valueBytes[next] >= 0);
    return bytes;
  }

  /** Forgets all keys. */
  void clear() {
    count = 0;
    next = 0;
  }
}
