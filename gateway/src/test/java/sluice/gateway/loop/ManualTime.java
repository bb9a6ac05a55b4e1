package sluice.gateway.loop;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.TimeUnit;
import sluice.gateway.metrics.LoopMetrics;

/**
 * The time of an event loop under test, which passes when the test says so: for the loop's clock
 * and for the tasks that are scheduled on it.
 */
public final class ManualTime {
  private final EmbeddedChannel owner;
  private long now = System.nanoTime();

  /**
   * A time that stands still.
   *
   * @param owner the channel whose event loop is the loop's
   */
  public ManualTime(EmbeddedChannel owner) {
    this.owner = owner;
    owner.freezeTime();
  }

  /** An event loop that has this time. */
  public Loop loop(ByteBufAllocator allocator, MemoryShare memory, LoopMetrics metrics) {
    return new Loop(owner.eventLoop(), allocator, memory, metrics, () -> now);
  }

  /** What time it is, in nanoseconds. */
  public long now() {
    return now;
  }

  /** So much time passes; scheduled tasks become due and do not run yet. */
  public void pass(long nanos) {
    now += nanos;
    owner.advanceTimeBy(nanos, TimeUnit.NANOSECONDS);
  }
}
