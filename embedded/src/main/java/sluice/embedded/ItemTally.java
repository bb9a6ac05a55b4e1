package sluice.embedded;

import java.util.Arrays;

/**
 * Tally of the items of a segment, by memcached's slab classes: how many there are, and their bytes
 * in memcached. The segment is responsible for the lock.
 */
final class ItemTally {
  /** For each slab class, the number of items, followed by their bytes: both change together. */
  private final long[] counts = new long[2 * ItemSize.MAX_CLASSES];

  /** Counts an item of a size in bytes. */
  void add(long size) {
    int at = 2 * ItemSize.slabClass(size);
    counts[at]++;
    counts[at + 1] += size;
  }

  /** Subtracts an item that was added with that size. */
  void subtract(long size) {
    int at = 2 * ItemSize.slabClass(size);
    counts[at]--;
    counts[at + 1] -= size;
  }

  void clear() {
    Arrays.fill(counts, 0);
  }

  /** Number of items of one class. */
  long items(int slabClass) {
    return counts[2 * slabClass];
  }

  /** Whether there are items of one of the classes; each class has a bit. */
  boolean hasItems(long classes) {
    for (int slabClass = 0; slabClass < ItemSize.MAX_CLASSES; slabClass++) {
      if ((classes >>> slabClass & 1) != 0 && items(slabClass) > 0) {
        return true;
      }
    }
    return false;
  }

  /** Bytes of the items of one class. */
  long bytes(int slabClass) {
    return counts[2 * slabClass + 1];
  }

  /** Number of all items. */
  long items() {
    long sum = 0;
    for (int slabClass = 0; slabClass < ItemSize.MAX_CLASSES; slabClass++) {
      sum += items(slabClass);
    }
    return sum;
  }

  /** Bytes of all items. */
  long bytes() {
    long sum = 0;
    for (int slabClass = 0; slabClass < ItemSize.MAX_CLASSES; slabClass++) {
      sum += bytes(slabClass);
    }
    return sum;
  }
}
