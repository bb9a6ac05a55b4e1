package sluice.gateway.client.text.request;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import sluice.gateway.dispatch.Dispatcher;
import sluice.gateway.dispatch.RequestContext;
import sluice.gateway.loop.Loop;
import sluice.names.Command;

/**
 * One event loop's pool of text requests. The heap of those that are taken counts: a client has one
 * only while one of its requests is being handled or waits.
 */
public final class TextRequestPool {
  private static final int MOST_KEPT = 16;

  private final Loop loop;
  private final Dispatcher dispatcher;
  private final ArrayDeque<TextRequest> free = new ArrayDeque<>(MOST_KEPT);
  private boolean closed;

  /** A pool of requests whose canonical forms come from dispatcher. */
  public TextRequestPool(Loop loop, Dispatcher dispatcher) {
    this.loop = loop;
    this.dispatcher = dispatcher;
  }

  /**
   * A request that reader has found, whose line is [from, next) of buffer with its line end. The
   * caller releases it. Borrows buffer.
   */
  public TextRequest read(RequestReader reader, ByteBuf buffer, int from, int next) {
    TextRequest request = take().read(reader, buffer, from, next);
    count(request.growth());
    return request;
  }

  /** A read of some of a longer line's keys, as {@link TextRequest#readPart}. */
  public TextRequest readPart(
      RequestReader reader, Command command, ByteBuf buffer, int from, int prefix) {
    return take().readPart(reader, command, buffer, from, prefix);
  }

  private TextRequest take() {
    TextRequest request = free.poll();
    if (request == null) {
      request = new TextRequest(loop);
      count(request.growth());
    }
    return request;
  }

  /** Takes back a request that was handed over or answered, or whose client is gone. */
  public void give(TextRequest request) {
    RequestContext canonical = request.takeCanonical();
    if (canonical != null) {
      dispatcher.give(canonical);
    }
    request.clear();
    count(request.growth());
    if (free.size() < MOST_KEPT && !closed) {
      free.push(request);
    } else {
      count(-request.counted());
      request.close();
    }
  }

  private void count(long bytes) {
    if (bytes != 0) {
      loop.memory().addObjects(bytes);
    }
  }

  /** Ends the pool with the loop: contexts released later are not kept. */
  public void close() {
    closed = true;
    free.forEach(TextRequest::close);
    free.clear();
  }
}
