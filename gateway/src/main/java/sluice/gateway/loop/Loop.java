package sluice.gateway.loop;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import sluice.codecs.buffer.Slices;
import sluice.gateway.metrics.LoopMetrics;

/** What the connections of one event loop share. Belongs to that loop's thread. */
public final class Loop {
  private final EventLoop eventLoop;
  private final ByteBufAllocator allocator;
  private final Turn turn;
  private final Slices slices = new Slices();
  private final MemoryShare memory;
  private final LoopMetrics metrics;
  private long now = System.nanoTime();

  public Loop(
      EventLoop eventLoop, ByteBufAllocator allocator, MemoryShare memory, LoopMetrics metrics) {
    this.eventLoop = eventLoop;
    this.allocator = allocator;
    this.memory = memory;
    this.metrics = metrics;
    this.turn = new Turn(this, eventLoop);
  }

  /** The Netty event loop, for tasks and timers. */
  public EventLoop eventLoop() {
    return eventLoop;
  }

  /** This loop's part of {@code process.memory}. */
  public MemoryShare memory() {
    return memory;
  }

  /** What this loop counts. */
  public LoopMetrics metrics() {
    return metrics;
  }

  /** Counts bytes that are held, outside of any {@link Connection}; negative: no longer. */
  public void buffered(long change) {
    memory.add(change);
    metrics.bufferedBytes(change);
  }

  /** A direct buffer of at least {@code capacity} bytes; the caller owns the result. */
  public ByteBuf buffer(int capacity) {
    return allocator.directBuffer(capacity);
  }

  /**
   * The bytes [from, from + length) of source, without an object for the collector. Retains source;
   * the caller owns the result, and releases it on this loop's thread.
   */
  public ByteBuf slice(ByteBuf source, int from, int length) {
    return slices.take(source, from, length);
  }

  /** The next length bytes of source, over which it advances; as {@link #slice}. */
  public ByteBuf readSlice(ByteBuf source, int length) {
    return slices.takeNext(source, length);
  }

  /** What makes this loop's slices, for codecs. */
  public Slices slices() {
    return slices;
  }

  /** A socket was read: reads the clock, once for all that are read in this turn. */
  public void beginTurn() {
    if (turn.begin()) {
      tick();
    }
  }

  /** Reads the clock, where a turn does not begin with a socket that was read. */
  public void tick() {
    now = System.nanoTime();
  }

  /** The time of the last {@link #tick}, in nanoseconds as {@link System#nanoTime} counts them. */
  public long now() {
    return now;
  }

  void flushLater(Connection connection) {
    turn.flushLater(connection);
  }
}
