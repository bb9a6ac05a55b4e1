package sluice.gateway.loop;

import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Flush scheduler: flushes every connection that was written to, once per loop iteration, after all
 * ready sockets were handled. The requests of many clients are sent with one system call.
 *
 * <p>A connection that has done enough work for one iteration continues once at the end of the
 * iteration. If others have used up the time, it continues at the end of the next one. All sockets
 * are handled in between.
 *
 * <p>A {@linkplain Batch#waitsOneMoreIteration batch may wait} for the next iteration. Then the
 * loop handles its sockets again without sleeping. Without the loop's {@link IterationHandler}, a
 * task ends the iteration, also after the sockets, and nothing waits.
 */
final class FlushScheduler implements IterationHandler.Ending {
  /** The event loop's clock. */
  interface Clock {
    /** Reads the time. */
    void tick();

    /** The time that was read last, in nanoseconds as {@link System#nanoTime} counts them. */
    long now();
  }

  /** What was written to one connection. */
  interface Batch {
    /** Whether it still has to be flushed. */
    boolean awaitsFlush();

    /** Whether it waits for bytes of the next iteration. */
    boolean waitsOneMoreIteration();

    /** Flushes it. Handles its own failures, which must not prevent other flushes. */
    void flush();
  }

  /** Work that one connection has postponed until the other sockets were handled. */
  interface Work {
    /** Continues the work. Handles its own failures. */
    void goOn();
  }

  /** The longest time that sockets wait for continuing connections. */
  private static final long GO_ON_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final Clock clock;
  private final EventLoop eventLoop;
  private final @Nullable IterationHandler handler; // null: a task ends the iteration
  private final ArrayDeque<Work> goingOn = new ArrayDeque<>();
  private Batch[] dirty = new Batch[64];
  private int count;
  private boolean begun;

  FlushScheduler(Clock clock, EventLoop eventLoop) {
    this.clock = clock;
    this.eventLoop = eventLoop;
    this.handler = eventLoop.inEventLoop() ? IterationHandler.current() : null;
    if (handler != null) {
      handler.ends(this);
    }
  }

  /**
   * Notes that sockets are being handled, so that the end of this iteration is not missed.
   *
   * @return whether this is the first call in the iteration
   */
  boolean begin() {
    if (begun) {
      return false;
    }
    begun = true;
    if (handler == null) {
      eventLoop.execute(this);
    }
    return true;
  }

  /** Whether the end of the iteration is still to come. */
  @Override
  public boolean hasBegun() {
    return begun;
  }

  /** Flushes batch at the end of this loop iteration. */
  void flushLater(Batch batch) {
    begin();
    if (count == dirty.length) {
      dirty = Arrays.copyOf(dirty, count * 2);
    }
    dirty[count++] = batch;
  }

  /** Continues work at the end of this loop iteration. */
  void goOnLater(Work work) {
    begin();
    goingOn.add(work);
  }

  @Override
  public void run() {
    clock.tick();
    goOn();
    int waiting = 0;
    // A flush can close a connection, and closing it can write to others: those are flushed here,
    // too.
    for (int i = 0; i < count; i++) {
      Batch batch = dirty[i];
      dirty[i] = null;
      if (!batch.awaitsFlush()) {
        continue; // it did not ask to wait
      }
      if (handler != null && batch.waitsOneMoreIteration()) {
        dirty[waiting++] = batch;
      } else {
        batch.flush();
      }
    }
    count = waiting;
    begun = waiting > 0 || !goingOn.isEmpty();
    if (begun && handler == null) {
      eventLoop.execute(this);
    }
  }

  /** Continues postponed work; work that is postponed again waits for the next iteration. */
  private void goOn() {
    long end = clock.now() + GO_ON_NANOS;
    for (int left = goingOn.size(); left > 0 && end - clock.now() > 0; left--) {
      goingOn.poll().goOn();
      clock.tick();
    }
  }
}
