package sluice.gateway.embedded;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A share of the store: a hash table, items in the order they were used, and the memory of both,
 * outside the heap. Everything but {@link #lock} is called with the lock held.
 *
 * <pre>
 *   an item is a chain of blocks:
 *   0         4          8          12    16   24      28    32     36            40          42    44
 *  +---------+----------+----------+-----+----+-------+-----+------+-------------+-----------+-----+-----+--- - - -
 *  | next in | newer    | older    |hash |cas |expiry |used |flags |value length |key length |state|tail |key, value
 *  | bucket  |          |          |     |    |        seconds     |             | (2)       | (1) |     |
 *  +---------+----------+----------+-----+----+-------+-----+------+-------------+-----------+-----+-----+--- - - -
 * </pre>
 *
 * <p>An item's number is that of its first block; {@link #NONE} is no item. Times are unsigned
 * seconds since the epoch.
 */
final class Segment {
  static final int NONE = BlockArena.NONE;

  /** Somebody has read this item since it was stored. */
  static final int FETCHED = 1;

  /** Marked stale: its value is to be replaced. */
  static final int STALE = 2;

  /** Somebody has been told to replace it. */
  static final int WIN_SENT = 4;

  /** The key is written in base64 where it is printed. */
  static final int ENCODED_KEY = 8;

  private static final int NEWER = 4;
  private static final int OLDER = 8;
  private static final int HASH = 12;
  private static final int CAS = 16;
  private static final int EXPIRY = 24;
  private static final int USED = 28;
  private static final int FLAGS = 32;
  private static final int VALUE_LENGTH = 36;
  private static final int KEY_LENGTH = 40;
  private static final int STATE = 42;
  private static final int TAIL = 44;
  private static final int HEADER = 48;
  private static final int CRAWL_STEPS = 2;

  private final ReentrantLock lock = new ReentrantLock();
  private final EmbeddedStore store;
  private final BlockArena arena;
  private final ByteBuf tableMemory;
  private final ByteBuffer table;
  private final int bucketMask;
  private final long[] counters = new long[Counter.count()];
  private final int[] classItems = new int[ItemSize.MAX_CLASSES];
  private final long[] classBytes = new long[ItemSize.MAX_CLASSES];
  private int newest = NONE;
  private int oldest = NONE;
  private int crawlHand = NONE;
  private int items;
  private long bytes;
  private boolean closed;

  Segment(EmbeddedStore store, ByteBufAllocator allocator, int blocks, int buckets) {
    this.store = store;
    arena = new BlockArena(allocator, blocks);
    bucketMask = buckets - 1;
    tableMemory = allocator.directBuffer(buckets * Integer.BYTES, buckets * Integer.BYTES);
    table = tableMemory.internalNioBuffer(0, buckets * Integer.BYTES).slice();
    emptyTable();
  }

  /** Enters the segment; {@link #unlock} leaves it. */
  Segment lock() {
    lock.lock();
    if (closed) {
      lock.unlock();
      throw new StoreClosedException();
    }
    return this;
  }

  void unlock() {
    lock.unlock();
  }

  /** Gives all memory back; whoever locks afterwards is told. */
  void close() {
    lock.lock();
    try {
      if (!closed) {
        closed = true;
        arena.release();
        tableMemory.release();
      }
    } finally {
      lock.unlock();
    }
  }

  // ---- finding

  /** The item of a key, or {@link #NONE}; one that has expired is removed on the way. */
  int find(Key key, long now) {
    int item = table.getInt(bucket(key.hash()));
    while (item != NONE) {
      ByteBuffer page = arena.page(item);
      int at = arena.position(item);
      if (page.getInt(at + HASH) == key.hash()
          && page.getShort(at + KEY_LENGTH) == key.length()
          && arena.matches(item, HEADER, key.buffer(), key.start(), key.length())) {
        return removeIfDead(item, now) ? NONE : item;
      }
      item = page.getInt(at);
    }
    return NONE;
  }

  /** Whether an item has neither expired nor been flushed. */
  boolean isAlive(int item, long now) {
    return !isExpired(item, now) && !store.isFlushed(lastUse(item), now);
  }

  private boolean isExpired(int item, long now) {
    long expiry = expiry(item);
    return expiry != 0 && expiry <= now;
  }

  private boolean removeIfDead(int item, long now) {
    if (isAlive(item, now)) {
      return false;
    }
    count(isExpired(item, now) ? Counter.GET_EXPIRED : Counter.GET_FLUSHED);
    reclaim(item);
    return true;
  }

  private void reclaim(int item) {
    count(Counter.RECLAIMED);
    if ((state(item) & FETCHED) == 0) {
      count(Counter.EXPIRED_UNFETCHED);
    }
    remove(item);
  }

  /** Marks an item as read just now. */
  void fetched(int item, long now) {
    state(item, state(item) | FETCHED);
    bump(item, now);
  }

  /** Makes an item the last to be evicted. */
  void bump(int item, long now) {
    putInt(item, USED, (int) now);
    if (item != newest) {
      unlinkOrder(item);
      linkNewest(item);
    }
  }

  // ---- changing

  /** Puts a value; request is told what was stored. */
  StoreOutcome put(Key key, StoreRequest request, long now) {
    crawl(now);
    count(Counter.CMD_SET);
    request.storedCas = 0;
    request.storedLength = request.length;
    int old = find(key, now);
    StoreOutcome refusal = refusal(old, request, now);
    if (refusal != null) {
      return refusal;
    }
    if (old != NONE && request.mode.isConcatenation()) {
      return concatenate(key, old, request, now);
    }
    int state = key.isEncoded() ? ENCODED_KEY : 0;
    int expiry = request.expiry;
    if (old != NONE && request.mode == StoreMode.CAS && cas(old) != request.compareCas) {
      expiry = (int) expiry(old); // a stale value keeps the life and the winner of the fresher one
      state |= STALE | (state(old) & WIN_SENT);
    }
    if (old != NONE) {
      remove(old);
    }
    int item = create(key, request.length, request.flags, NONE);
    if (item == NONE) {
      count(Counter.STORE_NO_MEMORY);
      return StoreOutcome.NO_MEMORY;
    }
    putInt(item, EXPIRY, expiry);
    state(item, state);
    arena.write(item, HEADER + key.length(), request.source, request.from, request.length);
    link(item, key.hash(), request.newCas, now);
    request.storedCas = request.newCas;
    return StoreOutcome.STORED;
  }

  /** Why a value is not put, or null. */
  private StoreOutcome refusal(int old, StoreRequest request, long now) {
    if (old == NONE) {
      return switch (request.mode) {
        case CAS -> {
          count(Counter.CAS_MISSES);
          yield StoreOutcome.NOT_FOUND;
        }
        case REPLACE, APPEND, PREPEND -> StoreOutcome.NOT_STORED;
        default -> null;
      };
    }
    boolean matches = request.compareCas == cas(old);
    return switch (request.mode) {
      case ADD -> {
        bump(old, now);
        yield StoreOutcome.NOT_STORED;
      }
      case CAS -> {
        boolean older =
            request.allowStale && Long.compareUnsigned(request.compareCas, cas(old)) < 0;
        boolean fits = request.compareCas != 0 && (matches || older);
        count(fits ? Counter.CAS_HITS : Counter.CAS_BADVAL);
        yield fits ? null : StoreOutcome.EXISTS;
      }
      case SET, REPLACE -> null;
      default -> request.compareCas == 0 || matches ? null : StoreOutcome.EXISTS;
    };
  }

  private StoreOutcome concatenate(Key key, int old, StoreRequest request, long now) {
    int oldLength = valueLength(old);
    long length = (long) oldLength + request.length;
    int flags = flags(old);
    if (ItemSize.of(key.length(), length, flags) > store.itemSizeLimit()) {
      return StoreOutcome.NOT_STORED;
    }
    bump(old, now); // the last to be evicted: making room must not take it
    int item = create(key, (int) length, flags, old);
    if (item == NONE) {
      return StoreOutcome.NOT_STORED;
    }
    int value = HEADER + key.length();
    boolean append = request.mode.isAppend();
    arena.copy(old, value, item, append ? value : value + request.length, oldLength);
    arena.write(
        item, append ? value + oldLength : value, request.source, request.from, request.length);
    putInt(item, EXPIRY, (int) expiry(old));
    state(item, 0);
    remove(old);
    link(item, key.hash(), request.newCas, now);
    request.storedCas = request.newCas;
    request.storedLength = (int) length;
    return StoreOutcome.STORED;
  }

  /**
   * Makes an item of an empty value and links it, as mg N and md x do.
   *
   * @return the item, or {@link #NONE} when there is no memory
   */
  int createEmpty(Key key, int flags, int expiry, long cas, long now) {
    int item = create(key, 0, flags, NONE);
    if (item != NONE) {
      putInt(item, EXPIRY, expiry);
      state(item, 0);
      link(item, key.hash(), cas, now);
    }
    return item;
  }

  /**
   * Gives an item a value of another length; flags and expiry stay.
   *
   * @return the item it is now, or {@link #NONE} when there is no memory, and nothing has changed
   */
  int replaceValue(Key key, int old, ByteBuf source, int length, long cas, long now) {
    bump(old, now);
    int item = create(key, length, flags(old), old);
    if (item == NONE) {
      return NONE;
    }
    putInt(item, EXPIRY, (int) expiry(old));
    state(item, 0);
    writeValue(item, source, 0, length);
    remove(old);
    link(item, key.hash(), cas, now);
    return item;
  }

  private int create(Key key, int valueLength, int flags, int keep) {
    long needed = BlockArena.blocksFor((long) HEADER + key.length() + valueLength);
    if (needed > arena.limit()) {
      return NONE;
    }
    int blocks = (int) needed;
    int item = NONE;
    while (item == NONE) {
      while (!arena.hasRoom(blocks)) {
        if (oldest == NONE || oldest == keep) {
          return NONE;
        }
        evict(oldest);
      }
      item = arena.allocate(blocks);
      if (item == NONE && blocks > arena.limit()) {
        return NONE;
      }
    }
    ByteBuffer page = arena.page(item);
    int at = arena.position(item);
    page.putInt(at + HASH, key.hash());
    page.putInt(at + FLAGS, flags);
    page.putInt(at + VALUE_LENGTH, valueLength);
    page.putShort(at + KEY_LENGTH, (short) key.length());
    page.putInt(at + TAIL, arena.tail());
    arena.write(item, HEADER, key.buffer(), key.start(), key.length());
    return item;
  }

  private void evict(int item) {
    if (!isAlive(item, store.now())) {
      reclaim(item);
      return;
    }
    count(Counter.EVICTIONS);
    if ((state(item) & FETCHED) == 0) {
      count(Counter.EVICTED_UNFETCHED);
    }
    remove(item);
  }

  private void link(int item, int hash, long cas, long now) {
    ByteBuffer page = arena.page(item);
    int at = arena.position(item);
    int bucket = bucket(hash);
    page.putInt(at, table.getInt(bucket));
    table.putInt(bucket, item);
    page.putLong(at + CAS, cas);
    page.putInt(at + USED, (int) now);
    linkNewest(item);
    account(item, 1);
    count(Counter.TOTAL_ITEMS);
  }

  /** Takes an item out and gives its memory back. */
  void remove(int item) {
    account(item, -1);
    int bucket = bucket(getInt(item, HASH));
    int following = getInt(item, 0);
    int other = table.getInt(bucket);
    if (other == item) {
      table.putInt(bucket, following);
    } else {
      while (getInt(other, 0) != item) {
        other = getInt(other, 0);
      }
      putInt(other, 0, following);
    }
    unlinkOrder(item);
    int blocks = (int) BlockArena.blocksFor((long) HEADER + keyLength(item) + valueLength(item));
    arena.free(item, getInt(item, TAIL), blocks);
  }

  private void account(int item, int sign) {
    long size = size(item);
    int slabClass = ItemSize.slabClass(size);
    classItems[slabClass] += sign;
    classBytes[slabClass] += sign * size;
    items += sign;
    bytes += sign * size;
  }

  /** Forgets every item. */
  void clear() {
    emptyTable();
    arena.clear();
    newest = NONE;
    oldest = NONE;
    crawlHand = NONE;
    items = 0;
    bytes = 0;
    java.util.Arrays.fill(classItems, 0);
    java.util.Arrays.fill(classBytes, 0);
  }

  /** Looks at a few items, from the oldest on, and removes those that are dead. */
  void crawl(long now) {
    for (int i = 0; i < CRAWL_STEPS; i++) {
      int item = crawlHand == NONE ? oldest : crawlHand;
      if (item == NONE) {
        return;
      }
      crawlHand = newer(item);
      crawlItem(item, now);
    }
  }

  /** Looks at all items. */
  void crawlAll(long now) {
    int item = oldest;
    while (item != NONE) {
      int newer = newer(item);
      crawlItem(item, now);
      item = newer;
    }
  }

  private void crawlItem(int item, long now) {
    count(Counter.CRAWLER_ITEMS_CHECKED);
    if (!isAlive(item, now)) {
      count(Counter.CRAWLER_RECLAIMED);
      reclaim(item);
    }
  }

  /** Changes how many blocks may be used; what is too much is evicted. */
  void limit(int blocks) {
    arena.limit(blocks);
    while (arena.used() > blocks && oldest != NONE) {
      evict(oldest);
    }
  }

  // ---- an item's fields

  int valueLength(int item) {
    return getInt(item, VALUE_LENGTH);
  }

  int keyLength(int item) {
    return arena.page(item).getShort(arena.position(item) + KEY_LENGTH);
  }

  int flags(int item) {
    return getInt(item, FLAGS);
  }

  long cas(int item) {
    return arena.page(item).getLong(arena.position(item) + CAS);
  }

  void cas(int item, long cas) {
    arena.page(item).putLong(arena.position(item) + CAS, cas);
  }

  /** Second at which the item expires; 0 is never. */
  long expiry(int item) {
    return Integer.toUnsignedLong(getInt(item, EXPIRY));
  }

  void expiry(int item, int expiry) {
    putInt(item, EXPIRY, expiry);
  }

  /** Second of the last use. */
  long lastUse(int item) {
    return Integer.toUnsignedLong(getInt(item, USED));
  }

  int state(int item) {
    return arena.page(item).get(arena.position(item) + STATE);
  }

  void state(int item, int state) {
    arena.page(item).put(arena.position(item) + STATE, (byte) state);
  }

  /** What the item would take in memcached, in bytes. */
  long size(int item) {
    return ItemSize.of(keyLength(item), valueLength(item), flags(item));
  }

  /** Appends the item's key. Borrows out. */
  void readKey(int item, ByteBuf out) {
    arena.read(item, HEADER, keyLength(item), out);
  }

  /** Appends the item's value. Borrows out. */
  void readValue(int item, ByteBuf out) {
    arena.read(item, HEADER + keyLength(item), valueLength(item), out);
  }

  /** Overwrites the start of the item's value, which is at least that long. Borrows source. */
  void writeValue(int item, ByteBuf source, int from, int length) {
    arena.write(item, HEADER + keyLength(item), source, from, length);
  }

  // ---- statistics

  void count(Counter counter) {
    counters[counter.index()]++;
  }

  long counter(Counter counter) {
    return counters[counter.index()];
  }

  void resetCounters() {
    java.util.Arrays.fill(counters, 0);
  }

  int items() {
    return items;
  }

  long bytes() {
    return bytes;
  }

  int usedBlocks() {
    return arena.used();
  }

  int classItems(int slabClass) {
    return classItems[slabClass];
  }

  long classBytes(int slabClass) {
    return classBytes[slabClass];
  }

  /** The item used longest ago, or {@link #NONE}. */
  int oldest() {
    return oldest;
  }

  /** The item used just after this one, or {@link #NONE}. */
  int newer(int item) {
    return getInt(item, NEWER);
  }

  // ---- links

  private void linkNewest(int item) {
    putInt(item, NEWER, NONE);
    putInt(item, OLDER, newest);
    if (newest != NONE) {
      putInt(newest, NEWER, item);
    }
    newest = item;
    if (oldest == NONE) {
      oldest = item;
    }
  }

  private void unlinkOrder(int item) {
    int newer = getInt(item, NEWER);
    int older = getInt(item, OLDER);
    if (crawlHand == item) {
      crawlHand = newer;
    }
    if (newer == NONE) {
      newest = older;
    } else {
      putInt(newer, OLDER, older);
    }
    if (older == NONE) {
      oldest = newer;
    } else {
      putInt(older, NEWER, newer);
    }
  }

  private int getInt(int item, int field) {
    return arena.page(item).getInt(arena.position(item) + field);
  }

  private void putInt(int item, int field, int value) {
    arena.page(item).putInt(arena.position(item) + field, value);
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
