package sluice.gateway.samples;

import java.util.Arrays;

/**
 * The keys that make up most of a stream, in memory that does not grow: the Space-Saving algorithm
 * (Metwally, Agrawal, El Abbadi: Efficient Computation of Frequent and Top-k Elements in Data
 * Streams, 2005). A key that is not among those counted takes the place of the smallest, and its
 * count, which from then on is how much too high its own may be.
 *
 * <p>Every key that has more than {@code total / capacity} is here. Not thread safe. Looks at all
 * counters for each key, which for a few hundred costs less than keeping them sorted.
 */
final class SpaceSaving {
  private static final int FIRST_COUNTERS = 16;

  private final int capacity;
  private byte[][] keys;
  private int[] lengths;
  private int[] hashes;
  private long[] counts;
  private long[] errors;
  private int size;
  private long total;
  private double squares;

  SpaceSaving(int capacity) {
    this.capacity = capacity;
    int counters = Math.min(FIRST_COUNTERS, capacity);
    keys = new byte[counters][];
    lengths = new int[counters];
    hashes = new int[counters];
    counts = new long[counters];
    errors = new long[counters];
  }

  /** Many pools are asked for few keys, or have just come: they cost little. */
  private void grow() {
    int counters = Math.min(2 * counts.length, capacity);
    keys = Arrays.copyOf(keys, counters);
    lengths = Arrays.copyOf(lengths, counters);
    hashes = Arrays.copyOf(hashes, counters);
    counts = Arrays.copyOf(counts, counters);
    errors = Arrays.copyOf(errors, counters);
  }

  void clear() {
    size = 0;
    total = 0;
    squares = 0;
  }

  /** Counts the key that is the first length bytes of an array weight times. Borrows key. */
  void add(byte[] key, int length, long weight) {
    total += weight;
    squares += (double) weight * weight;
    int hash = hash(key, length);
    int smallest = 0;
    for (int i = 0; i < size; i++) {
      if (hashes[i] == hash && isKey(i, key, length)) {
        counts[i] += weight;
        return;
      }
      if (counts[i] < counts[smallest]) {
        smallest = i;
      }
    }
    if (size < capacity) {
      if (size == counts.length) {
        grow();
      }
      smallest = size++;
      counts[smallest] = 0;
    }
    errors[smallest] = counts[smallest];
    counts[smallest] += weight;
    hashes[smallest] = hash;
    lengths[smallest] = length;
    byte[] kept = keys[smallest];
    if (kept == null || kept.length < length) {
      keys[smallest] = Arrays.copyOf(key, length);
    } else {
      System.arraycopy(key, 0, kept, 0, length);
    }
  }

  private static int hash(byte[] key, int length) {
    int hash = length;
    for (int i = 0; i < length; i++) {
      hash = 31 * hash + key[i];
    }
    return hash;
  }

  private boolean isKey(int index, byte[] key, int length) {
    return Arrays.equals(keys[index], 0, lengths[index], key, 0, length);
  }

  int size() {
    return size;
  }

  /** A copy of the key at an index. */
  byte[] key(int index) {
    return Arrays.copyOf(keys[index], lengths[index]);
  }

  /** At least how often the key at an index came, or more. */
  long count(int index) {
    return counts[index];
  }

  /** How much too high the count may be. */
  long error(int index) {
    return errors[index];
  }

  /** All weights together. */
  long total() {
    return total;
  }

  /** The sum of the squares of all weights. */
  double squares() {
    return squares;
  }

  /** At most how often a key came that is not here. */
  long mostOfOthers() {
    if (size < capacity) {
      return 0;
    }
    long least = Long.MAX_VALUE;
    for (int i = 0; i < size; i++) {
      least = Math.min(least, counts[i]);
    }
    return least;
  }
}
