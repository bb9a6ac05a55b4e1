package sluice.embedded;

/**
 * Size of an item in memcached, for the same limits and statistics. It is the sum of 48 bytes of
 * header, 8 of cas, 4 of client flags unless they are 0, the key and a NUL, the value and CRLF.
 */
final class ItemSize {
  /** Bound of slab class numbers, which start at 1; exclusive. */
  static final int MAX_CLASSES = 64;

  /** memcached stores larger items in chunks, and incr never accepts them. */
  static final int MAX_CHUNK = 512 * 1024;

  private static final int HEADER = 48;
  private static final int SMALLEST_CHUNK = 96;
  private static final double GROWTH = 1.25;
  private static final int[] CHUNKS = chunks();

  private ItemSize() {}

  /** Size of an item with that key, value and flags, in bytes. */
  static long of(int keyLength, long valueLength, int flags) {
    return HEADER + keyLength + 1 + valueLength + 2 + Long.BYTES + (flags == 0 ? 0 : Integer.BYTES);
  }

  /** The slab class of an item of {@code bytes}, from 1. */
  static int slabClass(long bytes) {
    int low = 0;
    int high = CHUNKS.length - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (CHUNKS[middle] < bytes) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low + 1;
  }

  /** The chunk size of a slab class in bytes. */
  static int chunk(int slabClass) {
    return CHUNKS[slabClass - 1];
  }

  /** Number of slab classes. */
  static int classes() {
    return CHUNKS.length;
  }

  private static int[] chunks() {
    int[] sizes = new int[MAX_CLASSES];
    int count = 0;
    int size = SMALLEST_CHUNK;
    while (size <= MAX_CHUNK / GROWTH) {
      sizes[count++] = size;
      size = ((int) (size * GROWTH) + 7) & ~7;
    }
    sizes[count++] = MAX_CHUNK;
    return java.util.Arrays.copyOf(sizes, count);
  }
}
