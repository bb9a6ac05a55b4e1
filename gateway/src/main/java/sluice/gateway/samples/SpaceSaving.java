package sluice.gateway.samples;

import java.util.Arrays;

/**
 * Sketch of the most frequent keys of a stream, in bounded memory: the Space-Saving algorithm
 * (Metwally, Agrawal, El Abbadi: Efficient Computation of Frequent and Top-k Elements in Data
 * Streams, 2005). A new key replaces the one with the smallest count and takes over that count,
 * which bounds the new key's error.
 *
 * <p>Every key with more than {@code total / capacity} is included. Not thread safe. It scans all
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

  /** Grows from a small size: many pools get few keys, or are new. */
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

  /** Counts a key with a weight; it is the first length bytes of an array. Borrows key. */
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

  /** The count of the key at an index, which may be too high. */
  long count(int index) {
    return counts[index];
  }

  /** The most by which the count may be too high. */
  long error(int index) {
    return errors[index];
  }

  /** The sum of all weights. */
  long total() {
    return total;
  }

  /** The sum of the squares of all weights. */
  double squares() {
    return squares;
  }

  /** The most occurrences of any key that is not included. */
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
