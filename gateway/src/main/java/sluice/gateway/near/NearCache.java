package sluice.gateway.near;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.SliceList;
import sluice.embedded.NearItems;

/**
 * Cache of values that were recently read from a pool, for a short time. All event loops share it,
 * so that a change by any client takes effect for the clients of all loops.
 *
 * <p>Each key has a <em>place</em>, which it shares with a few others. A change begins and ends at
 * its key's place. A reply is cached only if no change was in progress when its request was sent,
 * and none has begun since. So the cache never returns a value that is older than a change whose
 * client already has its reply.
 *
 * <p>Thread-safe: keys are distributed over parts, each with a lock that is held for one operation.
 */
public final class NearCache implements SingleFlight.Keeper {
  private static final long PART_BYTES = 1024 * 1024;
  private static final int MAX_PARTS = 16;
  private static final int PLACES = 4096;

  /** An item may take this fraction of a part, so that one item does not evict all others. */
  private static final int ITEMS_OF_PART = 8;

  private final Part[] parts;
  private final long ttlNanos;
  private final long fillsFrom;
  private final int largest;

  /**
   * An empty cache.
   *
   * @param sizeBytes the most memory that it takes, with all overhead
   * @param ttlNanos the greatest age of its values
   * @param fillsFrom in {@link System#nanoTime}'s nanoseconds: replies are cached from then on,
   *     because earlier changes may be unknown to it
   * @param allocator of its memory
   */
  public NearCache(long sizeBytes, long ttlNanos, long fillsFrom, ByteBufAllocator allocator) {
    int count = 1;
    while (count < MAX_PARTS && sizeBytes / (2L * count) >= PART_BYTES) {
      count *= 2;
    }
    parts = new Part[count];
    for (int i = 0; i < count; i++) {
      parts[i] = new Part(this, new NearItems(sizeBytes / count, allocator));
    }
    this.ttlNanos = ttlNanos;
    this.fillsFrom = fillsFrom;
    largest = (int) Math.min(Integer.MAX_VALUE / 2, sizeBytes / count / ITEMS_OF_PART);
  }

  @Override
  public int largest() {
    return largest;
  }

  long ttlNanos() {
    return ttlNanos;
  }

  /** When it begins to cache replies, in {@link System#nanoTime}'s nanoseconds. */
  public long fillsFrom() {
    return fillsFrom;
  }

  /** The hash of the key [from, to), the same for all caches of the process. Borrows key. */
  public static int hash(ByteBuf key, int from, int to) {
    return NearItems.hash(key, from, to);
  }

  @Override
  public Part lock(int hash) {
    Part part = parts[(hash >>> 28) & (parts.length - 1)];
    part.lock.lock();
    return part;
  }

  /** Begins a change of a key with this hash, and drops its item. */
  void begin(int hash) {
    Part part = lock(hash);
    try {
      part.begin(hash);
    } finally {
      part.unlock();
    }
  }

  /** Ends a change. */
  void end(int hash) {
    Part part = lock(hash);
    try {
      part.end(hash);
    } finally {
      part.unlock();
    }
  }

  /** Begins a change of any keys. */
  void beginAll(boolean clears) {
    for (Part part : parts) {
      part.lock.lock();
      try {
        part.beginAll(clears);
      } finally {
        part.unlock();
      }
    }
  }

  void endAll() {
    for (Part part : parts) {
      part.lock.lock();
      try {
        part.endAll();
      } finally {
        part.unlock();
      }
    }
  }

  /** Releases all memory; from now on nothing is found or cached. */
  void close() {
    for (Part part : parts) {
      part.lock.lock();
      try {
        part.close();
      } finally {
        part.unlock();
      }
    }
  }

  /** Part of the keys. Everything but the lock is called with the lock held. */
  public static final class Part implements SingleFlight.LockedPart {
    private final ReentrantLock lock = new ReentrantLock();
    private final NearCache cache;
    private final NearItems items;
    private final Map<SingleFlight.Key, SingleFlight> singleFlights = new HashMap<>();
    private final int[] changes = new int[PLACES]; // changes in progress
    private final int[] generations = new int[PLACES]; // number of changes begun and ended
    private int changesOfAll;
    private int generationOfAll;
    private boolean closed;

    private Part(NearCache cache, NearItems items) {
      this.cache = cache;
      this.items = items;
    }

    @Override
    public void unlock() {
      lock.unlock();
    }

    private static int place(int hash) {
      return (hash >>> 16) & (PLACES - 1);
    }

    /** As {@link NearItems#find}, for a reply to a client. */
    public int find(int hash, ByteBuf key, int from, int to, long now) {
      return closed ? NearItems.NONE : items.find(hash, key, from, to, now);
    }

    /** The items that {@link #find} finds. */
    public NearItems items() {
      return items;
    }

    /**
     * Whether a reply to a request that is sent now may be cached, judged by the changes so far.
     */
    public boolean isQuiet(int hash) {
      return !closed && changes[place(hash)] == 0 && changesOfAll == 0;
    }

    /**
     * The read of this key in progress that others may wait for, or null. Before replies are
     * cached, there is none: it may be a miss because of an earlier change that is unknown to the
     * cache.
     */
    public @Nullable SingleFlight underWay(SingleFlight.Key key, int hash) {
      SingleFlight singleFlight = singleFlights.get(key);
      return singleFlight != null
              && singleFlight.generation() == generation(hash)
              && mayBeCached(singleFlight)
          ? singleFlight
          : null;
    }

    /** Whether it was sent late enough for its reply to be cached. */
    private boolean mayBeCached(SingleFlight singleFlight) {
      return singleFlight.sentAt() - cache.fillsFrom >= 0;
    }

    @Override
    public long generation(int hash) {
      return (long) generations[place(hash)] << Integer.SIZE
          | Integer.toUnsignedLong(generationOfAll);
    }

    /**
     * Lets other reads of its key wait for it, unless they already wait for one that was sent as
     * late and suits as many of them.
     */
    @Override
    public void add(SingleFlight singleFlight) {
      SingleFlight before = singleFlights.putIfAbsent(singleFlight.key(), singleFlight);
      if (before != null
          && (before.generation() != singleFlight.generation()
              || (singleFlight.showsStates() && !before.showsStates()))) {
        singleFlights.put(singleFlight.key(), singleFlight);
      }
    }

    @Override
    public void remove(SingleFlight singleFlight) {
      singleFlights.remove(singleFlight.key(), singleFlight);
    }

    @Override
    public int put(SingleFlight singleFlight, int flags, long cas, SliceList value) {
      if (!isQuiet(singleFlight.hash())
          || generation(singleFlight.hash()) != singleFlight.generation()
          || !mayBeCached(singleFlight)
          || value.length() > cache.largest) {
        return -1;
      }
      items.removeAll(singleFlight.hash());
      long before = items.evictions();
      int item =
          items.create(
              singleFlight.hash(),
              singleFlight.key().bytes(),
              value.length(),
              flags,
              cas,
              singleFlight.sentAt() + cache.ttlNanos);
      if (item == NearItems.NONE) {
        return -1;
      }
      if (singleFlight.showsStates()) {
        items.knownFresh(item); // otherwise it is not kept
      }
      for (int i = 0; i < value.count(); i++) {
        items.append(value.get(i));
      }
      return (int) (items.evictions() - before);
    }

    private void begin(int hash) {
      changes[place(hash)]++;
      generations[place(hash)]++;
      items.removeAll(hash);
    }

    private void end(int hash) {
      changes[place(hash)]--;
      generations[place(hash)]++;
    }

    private void beginAll(boolean clears) {
      changesOfAll++;
      generationOfAll++;
      if (clears) {
        items.clear();
      }
    }

    private void endAll() {
      changesOfAll--;
      generationOfAll++;
    }

    private void close() {
      closed = true;
      items.release();
      Arrays.fill(changes, 0); // a change that ends later finds nothing to protect
    }
  }
}
