package sluice.config.rules;

/**
 * Largest item that an embedded store of a size can hold. The module {@code embedded} has the
 * layout, which this one cannot see; a test of the gateway compares them.
 */
public final class EmbeddedCapacity {
  /** Bytes of items in a page of 256 KiB; the rest of it links the blocks. */
  private static final long PAGE_ITEM_BYTES = 3855L * 64;

  /** Bytes that a page takes, with its part of the hash table. */
  private static final long PAGE_BYTES = 256 * 1024 + 3855L * 2;

  private EmbeddedCapacity() {}

  /**
   * The largest {@code limits.itemSize} that always fits, in bytes. An item lies within a segment,
   * but only a store that is large enough has several: of eight times the item each.
   *
   * @param sizeBytes the store's size, at least 1 MiB
   */
  public static long largestItem(long sizeBytes) {
    return sizeBytes / PAGE_BYTES * PAGE_ITEM_BYTES;
  }
}
