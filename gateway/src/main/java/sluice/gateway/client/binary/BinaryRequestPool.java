package sluice.gateway.client.binary;

import io.netty.buffer.ByteBuf;
import sluice.gateway.dispatch.Dispatcher;
import sluice.gateway.dispatch.RequestContext;
import sluice.gateway.loop.Loop;

/**
 * Pool of binary requests of one event loop. The heap of those in use is accounted for: a client
 * has one only while a request is being handled or waits.
 */
public final class BinaryRequestPool {
  private static final int MOST_KEPT = 16;

  private final Loop loop;
  private final Dispatcher dispatcher;
  private final BinaryRequest[] kept = new BinaryRequest[MOST_KEPT];
  private int free; // those in kept that are in no use, the first
  private boolean closed;

  /** A pool of requests whose canonical forms come from dispatcher. */
  public BinaryRequestPool(Loop loop, Dispatcher dispatcher) {
    this.loop = loop;
    this.dispatcher = dispatcher;
  }

  /**
   * A request of owner, whose head is [from, headEnd) of buffer. The caller must release it.
   * Borrows buffer.
   *
   * @param answersAll whether quiet opcodes are answered like all others
   */
  BinaryRequest read(
      BinaryRequest.Owner owner, ByteBuf buffer, int from, int headEnd, boolean answersAll) {
    BinaryRequest request;
    if (free > 0) {
      request = kept[--free];
    } else {
      request = new BinaryRequest(loop);
      loop.memory().addObjects(BinaryRequest.BYTES);
    }
    return request.read(owner, buffer, from, headEnd, answersAll);
  }

  /** Takes back a request that was handed over or answered, or whose client is gone. */
  void give(BinaryRequest request) {
    RequestContext canonical = request.takeCanonical();
    if (canonical != null) {
      dispatcher.give(canonical);
    }
    request.clear();
    if (free < MOST_KEPT && !closed) {
      if (kept[free] != request) { // storing a reference costs a write barrier of the collector
        kept[free] = request;
      }
      free++;
    } else {
      loop.memory().addObjects(-BinaryRequest.BYTES);
      request.close();
    }
  }

  /** Ends the pool with the loop: contexts released later are not kept. */
  public void close() {
    closed = true;
    while (free > 0) {
      kept[--free].close();
    }
  }
}
