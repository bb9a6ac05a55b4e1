package sluice.gateway.client.text.multiget;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import sluice.codecs.buffer.Spares;
import sluice.gateway.dispatch.Dispatcher;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.session.LoopState;

/** Pool of one event loop's reads of many keys. */
public final class MultiGets implements MultiGet.Home {
  private static final long TRIM_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MOST = 1024;
  private static final int KEPT = 16;

  private final LoopState loopState;
  private final Dispatcher dispatcher;
  private final Spares<MultiGet> spares = new Spares<>(MOST);
  private long nextTrim;

  /** The pool of loopState's event loop. */
  public MultiGets(LoopState loopState, Dispatcher dispatcher) {
    this.loopState = loopState;
    this.dispatcher = dispatcher;
    nextTrim = loopState.loop().now() + TRIM_NANOS;
  }

  /** A multi-get for the caller, until it is {@link MultiGet#recycle recycled}. */
  public MultiGet take() {
    MultiGet free = spares.take();
    return free == null ? new MultiGet(this, loopState, dispatcher) : free;
  }

  @Override
  public void give(MultiGet free) {
    if (!spares.give(free)) {
      free.drop();
    }
  }

  /** Drops objects that were unused for a while. */
  public void trim() {
    MemoryShare memory = loopState.loop().memory();
    boolean tight = memory.isTight() || memory.areObjectsMany();
    if (tight || loopState.loop().now() - nextTrim > 0) {
      nextTrim = loopState.loop().now() + TRIM_NANOS;
      int surplus = tight ? spares.count() : spares.surplus();
      for (int i = Math.min(surplus, spares.count() - KEPT); i > 0; i--) {
        Objects.requireNonNull(spares.take()).drop();
      }
      spares.settle();
    }
  }
}
