package sluice.gateway.request;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import sluice.codecs.buffer.Spares;
import sluice.gateway.loop.MemoryShare;

/**
 * Pool of replies, of the requests that bring them, and of bridges: one for each event loop, not
 * thread-safe. The heap that they take is accounted for, used or not. Objects unused for some
 * seconds are dropped, and all free ones when memory is tight, or requests take much of the heap.
 */
public final class RequestPool implements ServerRequest.Source {
  private static final int MOST_KEPT = 64 * 1024;
  private static final int ALWAYS_KEPT = 256;
  private static final long TRIM_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Heap bytes of a new reply, request or bridge, with everything that it refers to. */
  static final int REPLY_BYTES = 320;

  static final int REQUEST_BYTES = 192;

  static final int BRIDGED_BYTES = 384;

  private final MemoryShare memory;
  private final Spares<PendingReply> free = new Spares<>(MOST_KEPT);
  private final Spares<ServerRequest> freeRequests = new Spares<>(MOST_KEPT);
  private final Spares<Bridged> freeBridged = new Spares<>(MOST_KEPT);
  private long trimmedAt;
  private boolean trimmed; // at any time yet

  /** A pool whose memory is not accounted for. */
  public RequestPool() {
    this(MemoryShare.of(1, Long.MAX_VALUE)[0]);
  }

  /** A pool whose objects are accounted for in the given loop's share of the memory. */
  public RequestPool(MemoryShare memory) {
    this.memory = memory;
  }

  /** A reply in its initial state. It may have kept its request. */
  public PendingReply take() {
    PendingReply pending = free.take();
    if (pending == null) {
      pending = new PendingReply(this);
      memory.addObjects(REPLY_BYTES);
    }
    assert pending.isReset() : "a reply was used after its release";
    return pending;
  }

  /**
   * Takes back a reply that nothing refers to any more; its buffered bytes are released. Its
   * request, if in flight, stays on its connection, and the server's reply to it is dropped.
   */
  public void give(PendingReply pending) {
    pending.reset();
    Bridged bridged = pending.takeBridged();
    if (bridged != null) {
      give(bridged);
    }
    if (!free.give(pending)) {
      drop(pending);
    }
  }

  /** A request in its initial state, without a reply; it is not idle. */
  @Override
  public ServerRequest takeRequest() {
    ServerRequest request = freeRequests.take();
    if (request == null) {
      request = new ServerRequest(memory);
      memory.addObjects(REQUEST_BYTES);
    }
    request.use();
    return request;
  }

  /**
   * Takes back a request that is on no connection: it was answered completely, or is lost. Its
   * reply continues without it, and keeps it for the next use. It may come from another loop's
   * pool, with a request for a shared connection.
   */
  @Override
  public void give(ServerRequest request) {
    if (request.reply() != null) {
      request.reset();
      return;
    }
    if (request.isRelayed()) {
      request.accountTo(memory);
    }
    Bridged bridged = request.bridged();
    request.reset();
    if (bridged != null) {
      give(bridged);
    }
    if (!freeRequests.give(request)) {
      drop(request);
    }
  }

  /**
   * A request with the facts that another event loop needs to find the end of the reply to one of
   * this loop's requests. The reply is passed on unchanged, and not read any further.
   */
  public ServerRequest takeEcho(ServerRequest asked) {
    ServerRequest echo = takeRequest();
    echo.echo(asked, asked.bridged() == null ? null : takeBridged());
    return echo;
  }

  /** A bridge for a pending reply, until the reply or the bridge is released. */
  public Bridged takeBridged() {
    Bridged bridged = freeBridged.take();
    if (bridged == null) {
      bridged = new Bridged();
      memory.addObjects(BRIDGED_BYTES);
    }
    return bridged;
  }

  /** Takes back a bridge that no pending reply used. */
  public void give(Bridged bridged) {
    bridged.between(null, null, null);
    if (!freeBridged.give(bridged)) {
      memory.addObjects(-BRIDGED_BYTES);
    }
  }

  /** Called every few milliseconds; now is {@link System#nanoTime}'s. */
  public void sweep(long now) {
    if (memory.isTight() || memory.areObjectsMany()) {
      trim(free.count(), freeRequests.count(), freeBridged.count());
    } else if (!trimmed || now - trimmedAt > TRIM_NANOS) {
      trimmed = true;
      trimmedAt = now;
      trim(free.surplus(), freeRequests.surplus(), freeBridged.surplus());
    }
  }

  private void trim(int replies, int requests, int bridged) {
    int kept = memory.areObjectsMany() ? 0 : ALWAYS_KEPT; // each may have grown to ten kilobytes
    for (int i = Math.min(replies, free.count() - kept); i > 0; i--) {
      drop(Objects.requireNonNull(free.take()));
    }
    free.settle();
    for (int i = Math.min(requests, freeRequests.count() - kept); i > 0; i--) {
      drop(Objects.requireNonNull(freeRequests.take()));
    }
    freeRequests.settle();
    for (int i = Math.min(bridged, freeBridged.count() - kept); i > 0; i--) {
      freeBridged.take();
      memory.addObjects(-BRIDGED_BYTES);
    }
    freeBridged.settle();
  }

  private void drop(PendingReply reply) {
    memory.addObjects(-REPLY_BYTES);
    ServerRequest kept = reply.takeIdleRequest();
    if (kept != null) {
      drop(kept);
    }
  }

  private void drop(ServerRequest request) {
    memory.addObjects(-REQUEST_BYTES);
    request.sent().drop();
  }
}
