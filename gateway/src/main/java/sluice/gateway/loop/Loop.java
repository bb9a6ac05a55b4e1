package sluice.gateway.loop;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.Bytes;
import sluice.codecs.buffer.Slices;
import sluice.codecs.compress.Compressor;
import sluice.codecs.compress.Scratch;
import sluice.codecs.compress.Workspace;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.samples.LoopSamples;
import sluice.gateway.time.Clocks;

/** State that the connections of one event loop share. Belongs to that loop's thread. */
public final class Loop {
  private final class Clock implements FlushScheduler.Clock {
    @Override
    public void tick() {
      Loop.this.tick();
    }

    @Override
    public long now() {
      return now;
    }
  }

  /** A power of two. */
  private static final int LOCAL_SAMPLE = 16;

  private static final long SCRATCH_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long SLICES_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Milliseconds between two sweeps of a loop that has work to do. */
  public static final int SHORTEST_SWEEP = 10;

  /**
   * The same of one that has had none for two seconds. It is less than the time after which a loop
   * counts as late.
   */
  public static final int LONGEST_SWEEP = 200;

  /** After this time without work, a loop on which nothing waits is swept less often. */
  private static final long QUIET_MILLIS = 50;

  /** The interval at which such a loop is swept. */
  private static final int QUIET_SWEEP = 100;

  /** The intervals between them, each after ten times as long without work. */
  private static final int[] LONGER_SWEEPS = {LONGEST_SWEEP, 100, 50, 20};

  private final EventLoop eventLoop;
  private final ByteBufAllocator allocator;
  private final FlushScheduler flushScheduler;
  private final Slices slices = new Slices();
  private final Workspace workspace;
  private @Nullable Compressor compressor; // null until it is used
  private final MemoryShare memory;
  private final LoopMetrics metrics;
  private final LoopSamples samples;
  private final LongSupplier clock;
  private long now;
  private long nextScratchCheck;
  private long nextSlicesCheck;
  private int answeredHere;
  private long localNanos;
  private long activeAt;
  private boolean waiting = true; // as long as it is not known
  private volatile int sweepMillis = SHORTEST_SWEEP;
  private Runnable whenActive = () -> {};

  public Loop(
      EventLoop eventLoop, ByteBufAllocator allocator, MemoryShare memory, LoopMetrics metrics) {
    this(eventLoop, allocator, memory, metrics, Clocks::nanos);
  }

  /**
   * A loop with its own clock.
   *
   * @param clock the time in nanoseconds, as {@link System#nanoTime} counts them
   */
  public Loop(
      EventLoop eventLoop,
      ByteBufAllocator allocator,
      MemoryShare memory,
      LoopMetrics metrics,
      LongSupplier clock) {
    this.clock = clock;
    this.now = clock.getAsLong();
    this.nextScratchCheck = now;
    this.nextSlicesCheck = now;
    this.activeAt = now;
    this.eventLoop = eventLoop;
    this.allocator = allocator;
    this.memory = memory;
    this.metrics = metrics;
    this.samples = new LoopSamples(metrics);
    this.flushScheduler = new FlushScheduler(new Clock(), eventLoop);
    this.workspace = new Workspace(allocator, new Scratch(allocator, memory::add), slices);
  }

  /** The Netty event loop, for tasks and timers. */
  public EventLoop eventLoop() {
    return eventLoop;
  }

  /** This loop's part of {@code process.memory}. */
  public MemoryShare memory() {
    return memory;
  }

  /** This loop's counters. */
  public LoopMetrics metrics() {
    return metrics;
  }

  /** Samples of this loop's requests. */
  public LoopSamples samples() {
    return samples;
  }

  /**
   * Counts bytes that are held outside of any connection; negative for bytes that no longer are.
   */
  public void buffered(long change) {
    memory.add(change);
    metrics.bufferedBytes(change);
  }

  /** A direct buffer of at least {@code capacity} bytes; the caller owns the result. */
  public ByteBuf buffer(int capacity) {
    return allocator.directBuffer(capacity);
  }

  /**
   * A slice of the bytes [from, from + length) of source, from the pool of slices. Retains source;
   * the caller owns the result, and must release it on this loop's thread.
   */
  public ByteBuf slice(ByteBuf source, int from, int length) {
    return slices.take(source, from, length);
  }

  /** A slice of the next length bytes of source, whose reader index advances; as {@link #slice}. */
  public ByteBuf readSlice(ByteBuf source, int length) {
    return slices.takeNext(source, length);
  }

  /**
   * Whether length bytes are a small part of the buffer behind source, so that keeping a copy is
   * better than a slice. A slice retains the whole buffer, but is accounted for by its own length.
   * The buffer may hold the bytes of other connections, too ({@link IoUringTransport}).
   */
  public static boolean isSmallPartOf(ByteBuf source, int length) {
    return Bytes.isSmallPartOf(source, length);
  }

  /** This loop's pool of slices, for codecs. */
  public Slices slices() {
    return slices;
  }

  /** Buffers and memory for the loop's codecs. */
  public Workspace workspace() {
    return workspace;
  }

  /** Compressor of values on this loop. */
  public Compressor compressor() {
    if (compressor == null) {
      compressor = new Compressor(workspace);
    }
    return compressor;
  }

  /** As {@link Compressor#takeDecompressed}, of all values on this loop. */
  public long takeDecompressed() {
    return compressor == null ? 0 : compressor.takeDecompressed();
  }

  /** Sets the task that runs on the loop when it must be swept more often than before. */
  public void whenActive(Runnable task) {
    whenActive = task;
  }

  /**
   * How often the loop must be swept, in milliseconds, as of its last sweep. If something waits on
   * the loop, this is at most a tenth of the time without work, or {@link #SHORTEST_SWEEP}. So the
   * loop notices late by that much that a time is over. Work is a socket that was read, opened or
   * closed, or a task from another loop. From any thread.
   */
  public int sweepMillis() {
    return sweepMillis;
  }

  /** Notes that the loop has work to do, as of its last tick, and must be swept often. */
  public void active() {
    activeAt = now;
    if (sweepMillis != SHORTEST_SWEEP) {
      sweepMillis = SHORTEST_SWEEP;
      whenActive.run();
    }
  }

  /** As {@link #active}, from a task: reads the clock first. */
  public void activeNow() {
    tick();
    active();
  }

  /**
   * Called occasionally: releases what was unused for some seconds.
   *
   * @param waits whether something waits on the loop whose time may be over in less than a second:
   *     a request, or a connection that is being made
   */
  public void sweep(boolean waits) {
    waiting = waits;
    sweep();
  }

  /** As the other, as long as something may wait. */
  public void sweep() {
    int before = sweepMillis;
    sweepMillis = sweepMillisAfter(TimeUnit.NANOSECONDS.toMillis(now - activeAt));
    if (sweepMillis < before) { // something waits since this sweep, and the timer is longer
      whenActive.run();
    }
    samples.sweep(now);
    if (now - nextScratchCheck > 0) {
      nextScratchCheck = now + SCRATCH_NANOS;
      workspace.scratch().releaseIfIdle();
    }
    if (now - nextSlicesCheck > 0) {
      nextSlicesCheck = now + SLICES_NANOS;
      slices.trim();
    }
  }

  private int sweepMillisAfter(long idleMillis) {
    int least = !waiting && idleMillis > QUIET_MILLIS ? QUIET_SWEEP : SHORTEST_SWEEP;
    for (int longer : LONGER_SWEEPS) {
      if (idleMillis > 10L * longer) {
        return Math.max(longer, least);
      }
    }
    return least;
  }

  /** Releases everything the loop keeps, after its last use. */
  public void close() {
    if (compressor != null) {
      compressor.close();
    }
    workspace.scratch().release();
  }

  /**
   * Called when a socket was read: reads the clock, once for all sockets read in this loop
   * iteration.
   */
  public void beginIteration() {
    if (flushScheduler.begin()) {
      tick();
    }
    if (activeAt
        != now) { // an iteration may begin without a socket, or be the rest of the last one
      active();
    }
  }

  /** Reads the clock in a loop iteration that does not begin with reading a socket. */
  public void tick() {
    now = clock.getAsLong();
  }

  /** The time of the last {@link #tick}, in nanoseconds as {@link System#nanoTime} counts them. */
  public long now() {
    return now;
  }

  /** Reads the clock for work that may take long: {@link #now} stays as it is. */
  public long nanos() {
    return clock.getAsLong();
  }

  /**
   * Time since this iteration began, for a request that was answered in it. The clock is read for
   * one such request in {@value #LOCAL_SAMPLE}; the others have the time of the last one.
   */
  public long sinceIterationBegan() {
    if ((answeredHere++ & (LOCAL_SAMPLE - 1)) == 0) {
      localNanos = clock.getAsLong() - now;
    }
    return localNanos;
  }

  void flushLater(FlushScheduler.Batch batch) {
    flushScheduler.flushLater(batch);
  }

  void goOnLater(FlushScheduler.Work work) {
    flushScheduler.goOnLater(work);
  }

  /**
   * Runs task after the sockets that are ready now. All such tasks have a few milliseconds of each
   * loop iteration: tasks of the Netty event loop may run for a second before it handles sockets.
   * The task handles its own errors.
   */
  public void afterSockets(Runnable task) {
    flushScheduler.goOnLater(task::run);
  }
}
