package sluice.embedded;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;

/**
 * Items of a near cache: values from servers, with flags and cas unique, in the memory of a store.
 * If memory is full, the least recently used item is evicted. Not thread-safe: the owner locks.
 *
 * <p>An item's number is valid until the next change. Memory is allocated as it is needed, and kept
 * until {@link #release}.
 */
public final class NearItems extends ItemMemory {
  /** No item. */
  public static final int NONE = ItemMemory.NONE;

  /**
   * Time of expiry in nanoseconds, at the place where a store has the seconds of expiry and use.
   */
  private static final int EXPIRES_AT = EXPIRY;

  /** Set if the reply would have shown that the item is stale, or is to be written: it is not. */
  private static final int KNOWN_FRESH = 1;

  private static final int LEAST_BUCKETS = 64;
  private static final ByteBuffer NO_TABLE = ByteBuffer.allocate(0);

  private final ByteBufAllocator allocator;
  private final int bucketMask;
  private ByteBuf tableMemory = Unpooled.EMPTY_BUFFER;
  private ByteBuffer table = NO_TABLE; // until the first item
  private int nextBlock = NONE; // of the byte that append writes next
  private int nextOffset; // of that byte in its item
  private long evictions;

  /**
   * An empty cache, without memory so far.
   *
   * @param sizeBytes the most memory for items and their table, with all overhead
   * @param allocator of direct buffers, which must outlive the items
   */
  public NearItems(long sizeBytes, ByteBufAllocator allocator) {
    super(new BlockArena(allocator, BlockArena.blocksWithin(sizeBytes)));
    this.allocator = allocator;
    bucketMask = Math.max(LEAST_BUCKETS, Integer.highestOneBit(arena.limit() / 2)) - 1;
  }

  /** The hash of the key [from, to). Borrows key. */
  public static int hash(ByteBuf key, int from, int to) {
    return Key.hash(key, from, to - from);
  }

  /**
   * The item of the key [from, to), or {@link #NONE}. An expired item is removed. Borrows key.
   *
   * @param now in {@link System#nanoTime}'s nanoseconds
   */
  public int find(int hash, ByteBuf key, int from, int to, long now) {
    for (int item = first(hash); item != NONE; item = following(item)) {
      if (getInt(item, HASH) == hash
          && keyLength(item) == to - from
          && arena.matches(item, HEADER, key, from, to - from)) {
        if (now - expiresAt(item) < 0) {
          makeNewest(item);
          return item;
        }
        remove(item);
        return NONE;
      }
    }
    return NONE;
  }

  private int first(int hash) {
    return table == NO_TABLE ? NONE : table.getInt(bucket(hash));
  }

  private int following(int item) {
    return getInt(item, 0);
  }

  private long expiresAt(int item) {
    return arena.page(item).getLong(arena.position(item) + EXPIRES_AT);
  }

  /** The item's client flags. */
  @Override
  public int flags(int item) {
    return super.flags(item);
  }

  /** The item's cas unique. */
  @Override
  public long cas(int item) {
    return super.cas(item);
  }

  /** Whether the item is known to be neither stale nor to be written by a client. */
  public boolean isKnownFresh(int item) {
    return state(item) == KNOWN_FRESH;
  }

  /** Makes the item known to be fresh. */
  public void knownFresh(int item) {
    state(item, KNOWN_FRESH);
  }

  /** Length of the item's value in bytes. */
  @Override
  public int valueLength(int item) {
    return super.valueLength(item);
  }

  /** Appends the item's value. Borrows out. */
  @Override
  public void readValue(int item, ByteBuf out) {
    super.readValue(item, out);
  }

  /**
   * Allocates an item for the value of a key that has none. Evicts the least recently used items if
   * necessary.
   *
   * @param expiresAt in {@link System#nanoTime}'s nanoseconds
   * @return the item, not {@linkplain #isKnownFresh known to be fresh}, whose value must then be
   *     {@linkplain #append appended}; {@link #NONE} if there is no memory
   */
  public int create(int hash, byte[] key, int valueLength, int flags, long cas, long expiresAt) {
    long needed = BlockArena.blocksFor((long) HEADER + key.length + valueLength);
    if (needed > arena.limit() || !hasTable()) {
      return NONE;
    }
    int blocks = (int) needed;
    int item = NONE;
    while (item == NONE) {
      while (!arena.hasRoom(blocks)) {
        if (oldest() == NONE) {
          return NONE;
        }
        remove(oldest());
        evictions++;
      }
      item = arena.allocate(blocks);
      if (item == NONE && blocks > arena.limit()) {
        return NONE;
      }
    }
    ByteBuffer page = arena.page(item);
    int at = arena.position(item);
    page.putInt(at, first(hash));
    page.putInt(at + HASH, hash);
    page.putLong(at + CAS, cas);
    page.putLong(at + EXPIRES_AT, expiresAt);
    page.putInt(at + FLAGS, flags);
    page.putInt(at + VALUE_LENGTH, valueLength);
    page.putShort(at + KEY_LENGTH, (short) key.length);
    page.put(at + STATE, (byte) 0);
    page.putInt(at + TAIL, arena.tail());
    nextBlock = arena.writeOn(item, HEADER, Unpooled.wrappedBuffer(key), 0, key.length);
    nextOffset = HEADER + key.length;
    table.putInt(bucket(hash), item);
    linkNewest(item);
    return item;
  }

  private boolean hasTable() {
    if (table == NO_TABLE) {
      int bytes = (bucketMask + 1) * Integer.BYTES;
      try {
        tableMemory = allocator.directBuffer(bytes, bytes);
      } catch (OutOfMemoryError e) {
        return false; // a JVM flag limits direct memory: in that case, nothing is cached
      }
      table = tableMemory.internalNioBuffer(0, bytes).slice();
      emptyTable();
    }
    return true;
  }

  /** Appends bytes to the value of the item that was created last. Borrows source. */
  public void append(ByteBuf source) {
    int length = source.readableBytes();
    nextBlock = arena.writeOn(nextBlock, nextOffset, source, source.readerIndex(), length);
    nextOffset += length;
  }

  /** Removes all items whose keys have this hash. */
  public void removeAll(int hash) {
    int item = first(hash);
    while (item != NONE) {
      int next = following(item);
      if (getInt(item, HASH) == hash) {
        remove(item);
      }
      item = next;
    }
  }

  private void remove(int item) {
    int bucket = bucket(getInt(item, HASH));
    int next = following(item);
    int other = table.getInt(bucket);
    if (other == item) {
      table.putInt(bucket, next);
    } else {
      while (following(other) != item) {
        other = following(other);
      }
      putInt(other, 0, next);
    }
    unlinkOrder(item);
    int blocks = (int) BlockArena.blocksFor((long) HEADER + keyLength(item) + valueLength(item));
    arena.free(item, getInt(item, TAIL), blocks);
  }

  /** Number of items removed to make room for others. */
  public long evictions() {
    return evictions;
  }

  /** Removes all items. If there are none, the table is not touched, because it may be large. */
  public void clear() {
    if (oldest() != NONE) {
      emptyTable();
      arena.clear();
      forgetOrder();
    }
  }

  /** Releases all memory. */
  public void release() {
    forgetOrder();
    arena.release();
    if (table != NO_TABLE) {
      table = NO_TABLE;
      tableMemory.release();
    }
  }

  private int bucket(int hash) {
    return (hash & bucketMask) * Integer.BYTES;
  }

  private void emptyTable() {
    for (int i = 0; i <= bucketMask; i++) {
      table.putInt(i * Integer.BYTES, NONE);
    }
  }
}
