package sluice.gateway.near;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.memcached.bridge.Awaited;
import sluice.codecs.memcached.bridge.Failure;
import sluice.codecs.memcached.bridge.Reply;
import sluice.codecs.memcached.bridge.Request;
import sluice.codecs.memcached.bridge.Status;
import sluice.gateway.metrics.NearMetrics;
import sluice.gateway.values.ValueWork;

/**
 * Read of one key on its way to the server, shared by several clients. The cache keeps its value
 * for later reads, and waiting clients get it. Belongs to the event loop of the client that sent
 * it, except for the list of waiting clients.
 */
public final class SingleFlight implements ValueWork {
  /** Result of a read for the clients that waited. */
  public enum Result {
    /** The value is, or was, in the cache: look again. */
    KEPT,
    /** The server does not have the item. */
    MISSED,
    /** Nothing of use to other clients. */
    NOTHING,
    /** The read was not sent: each client reads by itself, and may wait for another read. */
    NOT_SENT
  }

  /** Cache that keeps what reads bring. */
  public interface Keeper {
    /** The largest value that is cached, in bytes. */
    int largest();

    /** The part of the keys with this hash, locked; the caller unlocks it. */
    LockedPart lock(int hash);
  }

  /** Part of a cache, whose lock the caller has: what it knows of a read under way. */
  public interface LockedPart {
    /** Lets others in. */
    void unlock();

    /**
     * A number that changes with each change at a key's place, and with each change of all keys.
     */
    long generation(int hash);

    /** Others may wait for this single flight from now on. */
    void add(SingleFlight singleFlight);

    /** No other read may wait for this single flight any more. */
    void remove(SingleFlight singleFlight);

    /**
     * Keeps a value that the single flight brought, unless something has changed since it was sent.
     * Borrows value.
     *
     * @return how many items were thrown out for it; negative if it is not kept
     */
    int put(SingleFlight singleFlight, int flags, long cas, SliceList value);
  }

  /** Client that waits for a read of the same key. */
  public interface Waiter {
    /** Called once, by any thread, when the read has ended. */
    void flightEnded(Result result);
  }

  /** Bytes of a key. */
  public static final class Key {
    private final byte[] bytes;
    private final int hash;

    /** The key [from, to). Borrows key. */
    public Key(ByteBuf key, int from, int to, int hash) {
      bytes = new byte[to - from];
      key.getBytes(from, bytes);
      this.hash = hash;
    }

    byte[] bytes() {
      return bytes;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Key key && Arrays.equals(bytes, key.bytes);
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }

  private final Keeper cache;
  private final Key key;
  private final int hash;
  private final long generation;
  private final long sentAt;
  private final boolean showsStates;
  private @Nullable ValueWork next; // or null
  private final NearMetrics metrics;
  private List<Waiter> waiters = List.of(); // guarded by the lock of the key's part
  private boolean ended;
  private boolean keeps;
  private boolean works;
  private final SliceList held = new SliceList(); // the value of the current reply, as a whole
  private boolean holds;
  private int heldFlags;
  private long heldCas;

  /**
   * A read that is about to be sent, which others may wait for from now on. The caller must send
   * it, or call {@link #dropped}. The part of its key must be locked.
   *
   * @param sentAt in {@link System#nanoTime}'s nanoseconds
   * @param showsStates whether the reply shows that an item is stale, or which client is to write
   *     it
   */
  public SingleFlight(
      Keeper cache,
      LockedPart part,
      Key key,
      int hash,
      long sentAt,
      boolean showsStates,
      NearMetrics metrics) {
    this.cache = cache;
    this.key = key;
    this.hash = hash;
    this.generation = part.generation(hash);
    this.sentAt = sentAt;
    this.showsStates = showsStates;
    this.metrics = metrics;
    part.add(this);
  }

  /** Sets the pool's own work on values, which comes first; null for none. */
  public SingleFlight around(@Nullable ValueWork work) {
    next = work;
    return this;
  }

  Key key() {
    return key;
  }

  int hash() {
    return hash;
  }

  long generation() {
    return generation;
  }

  /** When it was about to be sent, in {@link System#nanoTime}'s nanoseconds. */
  public long sentAt() {
    return sentAt;
  }

  /** Whether the reply shows that an item is stale, or which client is to write it. */
  public boolean showsStates() {
    return showsStates;
  }

  /**
   * Adds a waiter, which is notified once when the read has ended. The part of the key must be
   * locked.
   */
  public void await(Waiter waiter) {
    if (waiters.isEmpty()) {
      waiters = new ArrayList<>();
    }
    waiters.add(waiter);
  }

  /** Lets no other read wait for this one: a waiter has given up. */
  public void lastsTooLong() {
    LockedPart part = cache.lock(hash);
    try {
      part.remove(this);
    } finally {
      part.unlock();
    }
  }

  private void end(Result result) {
    if (ended) {
      return;
    }
    ended = true;
    Result told = result;
    List<Waiter> waiting;
    LockedPart part = cache.lock(hash);
    try {
      part.remove(this);
      if (result == Result.MISSED && part.generation(hash) != generation) {
        told = Result.NOTHING;
      }
      waiting = waiters;
      waiters = List.of();
    } finally {
      part.unlock();
    }
    for (Waiter waiter : waiting) {
      waiter.flightEnded(told);
    }
  }

  // --- the reply ----------------------------------------------------------------------------

  @Override
  public boolean gathers(Reply reply, Awaited awaited) {
    works = next != null && next.gathers(reply, awaited);
    keeps = !reply.hasStates() && reply.valueLength <= cache.largest();
    if (!works && !keeps) {
      end(Result.NOTHING); // too large to be kept for others
    }
    return works || keeps;
  }

  @Override
  public @Nullable Failure inbound(Reply reply, Awaited awaited, SliceList value) {
    Failure error = works && next != null ? next.inbound(reply, awaited, value) : null;
    if (error != null || !keeps) {
      end(Result.NOTHING);
      return error;
    }
    if (reply.goesOn) {
      hold(reply, value);
    } else {
      keep(reply.flags, reply.cas, value);
    }
    return null;
  }

  /** Keeps the value until the reply is known to be valid. */
  private void hold(Reply reply, SliceList value) {
    for (int i = 0; i < value.count(); i++) {
      held.add(value.get(i).retainedSlice());
    }
    holds = true;
    heldFlags = reply.flags;
    heldCas = reply.cas;
  }

  private void keep(int flags, long cas, SliceList value) {
    LockedPart part = cache.lock(hash);
    int evicted;
    try {
      evicted = part.put(this, flags, cas, value);
    } finally {
      part.unlock();
    }
    if (evicted >= 0) {
      metrics.kept(evicted);
    }
    end(evicted >= 0 ? Result.KEPT : Result.NOTHING);
  }

  @Override
  public void whole() {
    if (holds) {
      holds = false;
      keep(heldFlags, heldCas, held);
      held.clear();
    }
    if (next != null) {
      next.whole();
    }
  }

  @Override
  public void answered(Reply reply, Awaited awaited) {
    if (next != null) {
      next.answered(reply, awaited);
    }
    end(reply.status == Status.NOT_FOUND ? Result.MISSED : Result.NOTHING);
  }

  /** Ends a read that cannot be sent, for example because there is no connection. */
  public void notSent() {
    end(Result.NOT_SENT);
  }

  @Override
  public void dropped() {
    holds = false;
    held.clear();
    end(Result.NOTHING);
  }

  // --- the request, which has no value --------------------------------------------------------

  @Override
  public void prepare(Request request) {
    if (next != null) {
      next.prepare(request);
    }
  }

  @Override
  public boolean gathers(Request request) {
    return next != null && next.gathers(request);
  }

  @Override
  public @Nullable Failure outbound(Request request, SliceList value) {
    return next == null ? null : next.outbound(request, value);
  }
}
