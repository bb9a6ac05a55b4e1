package sluice.embedded;

import io.netty.buffer.ByteBufAllocator;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Store of one embedded pool's items, shared by all event loops: a memcached without sockets.
 *
 * <p>Thread-safe: keys are distributed over segments, each with a lock that is held for one
 * operation. Items lie in direct buffers, which are allocated 256 KiB at a time up to {@code
 * sizeBytes} and kept until {@link #close}. The heap holds nothing per item.
 *
 * <p>A full segment evicts the least recently used items. An expired item is removed when it is
 * accessed, when memory is needed, or by the crawler, which looks at two items for every one
 * stored.
 */
public final class EmbeddedStore implements AutoCloseable {
  /** The memcached version whose answers the store gives. */
  public static final String VERSION = "1.6.45";

  /** memcached's default limit of an item, in bytes, header and key included. */
  public static final long DEFAULT_ITEM_SIZE_LIMIT = 1024 * 1024;

  private static final int MAX_SEGMENTS = 16;
  private static final long SEGMENT_BYTES_PER_ITEM_LIMIT = 8;
  private static final int MAX_BUCKETS = 1 << 28;
  private static final long REALTIME_MAX_DELTA = 60L * 60 * 24 * 30;
  private static final int EXPIRED = 1;

  // The first id is 2, as on a freshly started 1.6.45.
  private final AtomicLong casIds = new AtomicLong(1);
  private final Segment[] segments;
  private long itemSizeLimit; // each thread that stores has set it, so no synchronization is needed
  private final InstantSource clock;
  private final long started;
  private final Settings settings;
  private final Supplier<Clients> clients;
  private volatile Clients clientsAtReset = Clients.NONE;
  private volatile long oldestLive;

  /**
   * A store.
   *
   * @param sizeBytes the most memory for items and tables; at least about 0.3 MiB
   * @param itemSizeLimit the largest item in bytes, counted as in memcached: about 60 bytes more
   *     than key and value; see {@link #DEFAULT_ITEM_SIZE_LIMIT}
   * @param clock of the current time, used in whole seconds
   * @param allocator of direct buffers, which must outlive the store
   * @throws OutOfMemoryError if there is no direct memory for the tables
   */
  public EmbeddedStore(
      long sizeBytes, long itemSizeLimit, InstantSource clock, ByteBufAllocator allocator) {
    this(sizeBytes, itemSizeLimit, clock, allocator, () -> Clients.NONE);
  }

  /**
   * A store whose statistics include numbers of clients.
   *
   * @param clients called on any thread
   */
  public EmbeddedStore(
      long sizeBytes,
      long itemSizeLimit,
      InstantSource clock,
      ByteBufAllocator allocator,
      Supplier<Clients> clients) {
    this.clients = clients;
    this.itemSizeLimit = itemSizeLimit;
    this.clock = clock;
    started = now();
    settings = new Settings(sizeBytes);
    int count = 1;
    while (count < MAX_SEGMENTS
        && sizeBytes / (count * 2L)
            >= SEGMENT_BYTES_PER_ITEM_LIMIT * Math.max(itemSizeLimit, BlockArena.PAGE_BYTES)) {
      count *= 2;
    }
    segments = new Segment[count];
    int blocks = blocksPerSegment(sizeBytes);
    int buckets = Math.min(MAX_BUCKETS, Math.max(64, Integer.highestOneBit(blocks / 2)));
    try {
      for (int i = 0; i < count; i++) {
        segments[i] = new Segment(this, allocator, blocks, buckets);
      }
    } catch (OutOfMemoryError e) {
      close(); // otherwise only the garbage collector would release the tables made so far
      throw e;
    }
  }

  /**
   * Drops everything and releases all memory. A session that is used afterwards answers {@code
   * SERVER_ERROR}, in binary status 0x86.
   */
  @Override
  public void close() {
    for (Segment segment : segments) {
      if (segment != null) { // null: its table could not be allocated
        segment.close();
      }
    }
  }

  private int blocksPerSegment(long sizeBytes) {
    return BlockArena.blocksWithin(sizeBytes / segments.length);
  }

  /** The most memory for items and tables; from any thread. */
  public long sizeBytes() {
    return settings.sizeBytes;
  }

  /** Changes the size; excess items are evicted, allocated memory is kept. */
  void resize(long sizeBytes) {
    int blocks = blocksPerSegment(sizeBytes);
    for (Segment segment : segments) {
      segment.lock();
      try {
        segment.limit(blocks);
      } finally {
        segment.unlock();
      }
    }
    settings.sizeBytes = sizeBytes;
  }

  /**
   * Changes the size of the largest item, as in the constructor. A thread that stores certainly
   * sees the change if it has made the same call itself. An item must still fit into a segment,
   * whose size stays the same.
   */
  public void limitItems(long itemSizeLimit) {
    this.itemSizeLimit = itemSizeLimit;
  }

  /** Locks the segment that a key belongs to; the caller unlocks it. */
  Segment lock(Key key) {
    return segments[(key.hash() >>> 28) & (segments.length - 1)].lock();
  }

  int segmentCount() {
    return segments.length;
  }

  Segment segment(int i) {
    return segments[i];
  }

  long itemSizeLimit() {
    return itemSizeLimit;
  }

  Settings settings() {
    return settings;
  }

  long nextCas() {
    return casIds.incrementAndGet();
  }

  /** Seconds since the epoch. */
  long now() {
    return Math.floorDiv(clock.millis(), 1000L);
  }

  /** The second in which the store was created. */
  long started() {
    return started;
  }

  /**
   * The second of a request's exptime, as an unsigned int.
   *
   * @param exptime 0 for never, negative for the past, up to 30 days relative, above absolute
   */
  int expiry(long exptime, long now) {
    if (exptime == 0) {
      return 0;
    }
    if (exptime < 0) {
      return EXPIRED;
    }
    if (exptime <= REALTIME_MAX_DELTA) {
      return (int) (now + exptime);
    }
    return exptime <= started ? EXPIRED : (int) exptime;
  }

  /**
   * Flushes at once, or flushes at a later second the items that are not used until then.
   *
   * @param delay an exptime; 0 and negative ones flush at once
   */
  void flush(long delay, long now) {
    if (delay > 0) {
      long expiry = Integer.toUnsignedLong(expiry(delay, now));
      oldestLive = expiry == EXPIRED ? 0 : expiry - 1;
      if (oldestLive == 0 || oldestLive > now) {
        return;
      }
    } else {
      oldestLive = now - 1;
    }
    for (Segment segment : segments) {
      segment.lock();
      try {
        segment.clear();
      } finally {
        segment.unlock();
      }
    }
  }

  /** The second up to which items were flushed, 0 for none. */
  long oldestLive() {
    return oldestLive;
  }

  /** Whether an item with this last use was flushed. */
  boolean isFlushed(long lastUse, long now) {
    long flush = oldestLive;
    return flush != 0 && flush <= now && lastUse <= flush;
  }

  /** The sum of a counter over all segments. */
  long counter(Counter counter) {
    long sum = 0;
    for (Segment segment : segments) {
      segment.lock();
      try {
        sum += segment.counter(counter);
      } finally {
        segment.unlock();
      }
    }
    return sum;
  }

  /** The process's clients, counted since the counters were reset. */
  Clients clients() {
    return clients.get().since(clientsAtReset);
  }

  /** Number of buckets of all segments' tables together: a power of two. */
  long buckets() {
    return (long) segments.length * segments[0].buckets();
  }

  /** Counts an event that belongs to no key. */
  void count(Counter counter) {
    segments[0].lock();
    try {
      segments[0].count(counter);
    } finally {
      segments[0].unlock();
    }
  }

  void resetCounters() {
    for (Segment segment : segments) {
      segment.lock();
      try {
        segment.resetCounters();
      } finally {
        segment.unlock();
      }
    }
    settings.prefixes.clear();
    clientsAtReset = clients.get();
  }
}
