package sluice.embedded;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Segment of the store: a hash table, items in the order of their last use, and the memory of both,
 * outside the heap. Everything but {@link #lock} is called with the lock held.
 */
final class Segment extends ItemMemory {
  private static final int CRAWL_STEPS = 2;

  /** Seconds within which a change to an item does not change its time of last use. */
  private static final int UPDATE_INTERVAL = 60;

  private final ReentrantLock lock = new ReentrantLock();
  private final EmbeddedStore store;
  private final ByteBuf tableMemory;
  private final ByteBuffer table;
  private final int bucketMask;
  private final long[] counters = new long[Counter.count()];
  private final ItemTally tally = new ItemTally();
  private boolean closed;

  Segment(EmbeddedStore store, ByteBufAllocator allocator, int blocks, int buckets) {
    super(new BlockArena(allocator, blocks));
    this.store = store;
    bucketMask = buckets - 1;
    tableMemory = allocator.directBuffer(buckets * Integer.BYTES, buckets * Integer.BYTES);
    table = tableMemory.internalNioBuffer(0, buckets * Integer.BYTES).slice();
    emptyTable();
  }

  /** Acquires the lock, which {@link #unlock} releases. */
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

  /** Releases all memory; a later lock throws. */
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

  /** The item of a key, or {@link #NONE}. An expired item is removed. */
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

  /**
   * Marks an item as just read. As in memcached (do_item_bump), the first read leaves its time
   * unchanged.
   */
  void fetched(int item, long now) {
    if ((state(item) & FETCHED) == 0) {
      state(item, state(item) | FETCHED);
      makeNewest(item);
    } else {
      bump(item, now);
    }
  }

  /**
   * Marks an item as used in another way than by a read: its time stays unchanged for a while
   * (do_item_update).
   */
  void used(int item, long now) {
    if (now - lastUse(item) > UPDATE_INTERVAL) {
      bump(item, now);
    } else {
      makeNewest(item);
    }
  }

  /** Makes an item the last to be evicted. */
  void bump(int item, long now) {
    putInt(item, USED, (int) now);
    makeNewest(item);
  }

  // ---- changing

  /** Stores a value, and records the result in request. */
  StoreOutcome put(Key key, StoreRequest request, long now) {
    crawl(now);
    count(Counter.CMD_SET);
    request.storedCas = 0;
    request.storedLength = request.length;
    int old = find(key, now);
    StoreOutcome refusal = request.refusal(this, old, now);
    if (refusal != null) {
      return refusal;
    }
    if (old != NONE && request.mode.isConcatenation()) {
      return concatenate(key, old, request, now);
    }
    int state = key.isEncoded() ? ENCODED_KEY : 0;
    int expiry = request.expiry;
    if (old != NONE && request.mode == StoreMode.CAS && cas(old) != request.compareCas) {
      // a stale value keeps the expiry and the winner of the fresher one
      expiry = (int) expiry(old);
      state |= STALE | (state(old) & WIN_SENT);
    }
    boolean fits = arena.canHold(blocks(key, request.length));
    if (old != NONE && (fits || request.mode == StoreMode.SET)) {
      remove(old); // by a failed set, too: as in memcached, no client may then read the older value
    }
    if (!fits) {
      count(Counter.STORE_NO_MEMORY);
      return StoreOutcome.NO_MEMORY;
    }
    int item = create(key, request.length, request.flags, NONE);
    putInt(item, EXPIRY, expiry);
    state(item, state);
    arena.write(item, HEADER + key.length(), request.source, request.from, request.length);
    link(item, key.hash(), request.newCas, now);
    request.storedCas = request.newCas;
    request.storedItem = item;
    return StoreOutcome.STORED;
  }

  private StoreOutcome concatenate(Key key, int old, StoreRequest request, long now) {
    int oldLength = valueLength(old);
    long length = (long) oldLength + request.length;
    int flags = flags(old);
    if (ItemSize.of(key.length(), length, flags) > store.itemSizeLimit()) {
      return StoreOutcome.NOT_STORED;
    }
    bump(old, now); // becomes the last to be evicted, so that it is not removed to make room
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
    request.storedItem = item;
    request.storedLength = (int) length;
    return StoreOutcome.STORED;
  }

  /**
   * Creates and links an item with an empty value, as mg N and md x do.
   *
   * @return the item, or {@link #NONE} if there is no memory
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
   * @return the item's new number, or {@link #NONE} if there is no memory; then nothing has changed
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

  private static long blocks(Key key, int valueLength) {
    return BlockArena.blocksFor((long) HEADER + key.length() + valueLength);
  }

  /** Creates an item, and evicts others for it, unless it has no room beside the item to keep. */
  private int create(Key key, int valueLength, int flags, int keep) {
    long needed = blocks(key, valueLength);
    long kept = keep == NONE ? 0 : blocks(key, valueLength(keep));
    if (!arena.canHold(needed + kept)) {
      return NONE;
    }
    int blocks = (int) needed;
    int item = NONE;
    while (item == NONE) {
      while (!arena.hasRoom(blocks)) {
        if (oldest() == NONE || oldest() == keep) {
          return NONE;
        }
        evict(oldest());
      }
      item = arena.allocate(blocks);
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
    tally.add(size(item));
    count(Counter.TOTAL_ITEMS);
  }

  /** Removes an item and releases its memory. */
  void remove(int item) {
    tally.subtract(size(item));
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

  /** Removes every item. If there are none, the table is not touched, because it may be large. */
  void clear() {
    if (oldest() != NONE) {
      emptyTable();
    }
    arena.clear();
    forgetOrder();
    tally.clear();
  }

  /** Looks at a few items, from the oldest on, and removes dead ones. */
  void crawl(long now) {
    for (int i = 0; i < CRAWL_STEPS; i++) {
      int item = nextToCrawl();
      if (item == NONE) {
        return;
      }
      crawlItem(item, now);
    }
  }

  /** Looks at all items. */
  void crawlAll(long now) {
    int item = oldest();
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

  /** Changes how many blocks may be used; excess items are evicted. */
  void limit(int blocks) {
    arena.limit(blocks);
    while (arena.used() > blocks && oldest() != NONE) {
      evict(oldest());
    }
  }

  // ---- statistics

  int buckets() {
    return bucketMask + 1;
  }

  void count(Counter counter) {
    counters[counter.index()]++;
  }

  long counter(Counter counter) {
    return counters[counter.index()];
  }

  void resetCounters() {
    java.util.Arrays.fill(counters, 0);
  }

  /** Counts of its items. */
  ItemTally tally() {
    return tally;
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
