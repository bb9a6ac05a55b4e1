package sluice.gateway.exchange;

import java.util.concurrent.TimeUnit;
import sluice.codecs.buffer.Spares;
import sluice.gateway.loop.MemoryShare;

/**
 * Exchanges that are used again and again: one pool an event loop, not thread-safe. What they take
 * of the heap is counted, used or not; those that nobody needed for some seconds are dropped, and
 * all that are free when memory is tight.
 */
public final class ExchangePool {
  private static final int MOST_KEPT = 64 * 1024;
  private static final int ALWAYS_KEPT = 256;
  private static final long TRIM_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Bytes of heap of a new exchange, or of what bridges one, with all it refers to. */
  static final int EXCHANGE_BYTES = 512;

  static final int BRIDGED_BYTES = 384;

  private final MemoryShare memory;
  private final Spares<Exchange> free = new Spares<>(MOST_KEPT);
  private final Spares<Bridged> freeBridged = new Spares<>(MOST_KEPT);
  private long trimmedAt;

  /** A pool whose memory nobody counts. */
  public ExchangePool() {
    this(MemoryShare.of(1, Long.MAX_VALUE)[0]);
  }

  /** A pool whose objects count as the loop's whose share of the memory is given. */
  public ExchangePool(MemoryShare memory) {
    this.memory = memory;
  }

  /** An exchange whose fields are as new. */
  public Exchange take() {
    Exchange exchange = free.take();
    if (exchange == null) {
      exchange = new Exchange(memory);
      memory.addObjects(EXCHANGE_BYTES);
    }
    exchange.reset();
    return exchange;
  }

  /** Gives an exchange back that nobody refers to any more; what it holds is released. */
  public void give(Exchange exchange) {
    exchange.forget();
    exchange.unguard();
    if (exchange.bridged() != null) {
      give(exchange.bridged());
    }
    exchange.letGo();
    if (!free.give(exchange)) {
      drop(exchange);
    }
  }

  /**
   * An exchange that is what another event loop needs to know of a request of this one's, to find
   * the end of its reply: that is not looked into further, and handed over as it is.
   */
  public Exchange takeEcho(Exchange asked) {
    Exchange echo = take();
    echo.echo(asked, asked.bridged() == null ? null : takeBridged());
    return echo;
  }

  /** What bridges an exchange, until that is given back, or this is. */
  public Bridged takeBridged() {
    Bridged bridged = freeBridged.take();
    if (bridged == null) {
      bridged = new Bridged();
      memory.addObjects(BRIDGED_BYTES);
    }
    return bridged;
  }

  /** Gives back what no exchange was bridged with. */
  public void give(Bridged bridged) {
    bridged.between(null, null, null);
    if (!freeBridged.give(bridged)) {
      memory.addObjects(-BRIDGED_BYTES);
    }
  }

  /** Called every few milliseconds; now is {@link System#nanoTime}'s. */
  public void sweep(long now) {
    if (memory.isTight()) {
      trim(free.count() - ALWAYS_KEPT, freeBridged.count() - ALWAYS_KEPT);
    } else if (now - trimmedAt > TRIM_NANOS) {
      trimmedAt = now;
      trim(free.surplus(), freeBridged.surplus());
    }
  }

  private void trim(int exchanges, int bridged) {
    for (int i = Math.min(exchanges, free.count() - ALWAYS_KEPT); i > 0; i--) {
      drop(free.take());
    }
    free.settle();
    for (int i = Math.min(bridged, freeBridged.count() - ALWAYS_KEPT); i > 0; i--) {
      freeBridged.take();
      memory.addObjects(-BRIDGED_BYTES);
    }
    freeBridged.settle();
  }

  private void drop(Exchange exchange) {
    memory.addObjects(-EXCHANGE_BYTES);
    exchange.sent().drop();
  }
}
