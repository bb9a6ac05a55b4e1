package sluice.gateway.exchange;

import java.util.concurrent.TimeUnit;
import sluice.codecs.buffer.Spares;
import sluice.gateway.loop.MemoryShare;

/**
 * Pool of replies, of the requests that bring them, and of what bridges them, that are used again
 * and again: one an event loop, not thread-safe. What they take of the heap is counted, used or
 * not; those that nobody needed for some seconds are dropped, and all that are free when memory is
 * tight.
 */
public final class ExchangePool implements ServerRequest.Source {
  private static final int MOST_KEPT = 64 * 1024;
  private static final int ALWAYS_KEPT = 256;
  private static final long TRIM_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Bytes of heap of a new reply, request or what bridges one, with all it refers to. */
  static final int EXCHANGE_BYTES = 384;

  static final int REQUEST_BYTES = 256;

  static final int BRIDGED_BYTES = 384;

  private final MemoryShare memory;
  private final Spares<Exchange> free = new Spares<>(MOST_KEPT);
  private final Spares<ServerRequest> freeRequests = new Spares<>(MOST_KEPT);
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

  /** A reply whose fields are as new. */
  public Exchange take() {
    Exchange exchange = free.take();
    if (exchange == null) {
      exchange = new Exchange(this);
      memory.addObjects(EXCHANGE_BYTES);
    }
    exchange.reset();
    return exchange;
  }

  /**
   * Gives a reply back that nobody refers to any more; what it holds is released. A request of it
   * that is under way stays on its connection, and what the server sends for it is dropped.
   */
  public void give(Exchange exchange) {
    exchange.letGo();
    Bridged bridged = exchange.takeBridged();
    if (bridged != null) {
      give(bridged);
    }
    if (!free.give(exchange)) {
      memory.addObjects(-EXCHANGE_BYTES);
    }
  }

  /** A request whose fields are as new, and that brings nobody a reply. */
  @Override
  public ServerRequest takeRequest() {
    ServerRequest request = freeRequests.take();
    if (request == null) {
      request = new ServerRequest(memory);
      memory.addObjects(REQUEST_BYTES);
    }
    request.reset();
    return request;
  }

  /**
   * Gives a request back that is on no connection: it was answered to the end, or is lost. Its
   * reply goes on without it.
   */
  @Override
  public void give(ServerRequest request) {
    Bridged bridged = null;
    if (request.reply() != null) {
      request.reply().requestEnds();
    } else {
      bridged = request.bridged();
    }
    request.letGo();
    if (bridged != null) {
      give(bridged);
    }
    if (!freeRequests.give(request)) {
      drop(request);
    }
  }

  /**
   * A request that is what another event loop needs to know of one of this one's, to find the end
   * of its reply: that is not looked into further, and passed on as it is.
   */
  public ServerRequest takeEcho(ServerRequest asked) {
    ServerRequest echo = takeRequest();
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
      trim(free.count(), freeRequests.count(), freeBridged.count());
    } else if (now - trimmedAt > TRIM_NANOS) {
      trimmedAt = now;
      trim(free.surplus(), freeRequests.surplus(), freeBridged.surplus());
    }
  }

  private void trim(int exchanges, int requests, int bridged) {
    for (int i = Math.min(exchanges, free.count() - ALWAYS_KEPT); i > 0; i--) {
      free.take();
      memory.addObjects(-EXCHANGE_BYTES);
    }
    free.settle();
    for (int i = Math.min(requests, freeRequests.count() - ALWAYS_KEPT); i > 0; i--) {
      drop(freeRequests.take());
    }
    freeRequests.settle();
    for (int i = Math.min(bridged, freeBridged.count() - ALWAYS_KEPT); i > 0; i--) {
      freeBridged.take();
      memory.addObjects(-BRIDGED_BYTES);
    }
    freeBridged.settle();
  }

  private void drop(ServerRequest request) {
    memory.addObjects(-REQUEST_BYTES);
    request.sent().drop();
  }
}
