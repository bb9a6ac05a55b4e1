package sluice.gateway.client.text.multiget;

import java.util.concurrent.TimeUnit;
import sluice.codecs.buffer.Spares;
import sluice.gateway.dispatch.Dispatcher;
import sluice.gateway.session.Worker;

/** Pool of one event loop's reads of many keys. */
public final class MultiGets implements MultiGet.Home {
  private static final long TRIM_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MOST = 1024;
  private static final int KEPT = 16;

  private final Worker worker;
  private final Dispatcher dispatcher;
  private final Spares<MultiGet> spares = new Spares<>(MOST);
  private long nextTrim;

  /** The pool of worker's event loop. */
  public MultiGets(Worker worker, Dispatcher dispatcher) {
    this.worker = worker;
    this.dispatcher = dispatcher;
    nextTrim = worker.loop().now() + TRIM_NANOS;
  }

  /** A multi-get for the caller, until it is {@link MultiGet#recycle recycled}. */
  public MultiGet take() {
    MultiGet free = spares.take();
    return free == null ? new MultiGet(this, worker, dispatcher) : free;
  }

  @Override
  public void give(MultiGet free) {
    if (!spares.give(free)) {
      free.drop();
    }
  }

  /** Drops objects that were unused for a while. */
  public void trim() {
    boolean tight = worker.loop().memory().isTight();
    if (tight || worker.loop().now() - nextTrim > 0) {
      nextTrim = worker.loop().now() + TRIM_NANOS;
      int surplus = tight ? spares.count() : spares.surplus();
      for (int i = Math.min(surplus, spares.count() - KEPT); i > 0; i--) {
        spares.take().drop();
      }
      spares.settle();
    }
  }
}
