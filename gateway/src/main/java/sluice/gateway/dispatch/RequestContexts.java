package sluice.gateway.dispatch;

import java.util.ArrayDeque;
import sluice.codecs.memcached.bridge.ReplyWriter;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.request.Suppression;
import sluice.names.Command;
import sluice.names.Dialect;

/** Pool of request contexts of one event loop. Contexts in use count as request objects. */
public final class RequestContexts implements RequestContext.Recycler {
  private static final int MOST_KEPT = 16;

  private final RequestSender sender;
  private final MemoryShare memory;
  private final ArrayDeque<RequestContext> free = new ArrayDeque<>(MOST_KEPT);
  private boolean closed;

  public RequestContexts(RequestSender sender, MemoryShare memory) {
    this.sender = sender;
    this.memory = memory;
  }

  /** A context for a client's request; the caller must release it. */
  public RequestContext take(
      ClientSession client,
      Command command,
      Dialect dialect,
      ReplyWriter replies,
      Suppression suppression) {
    return take().begin(client, command, dialect, replies, suppression);
  }

  @Override
  public RequestContext take() {
    RequestContext context = free.poll();
    if (context == null) {
      context = new RequestContext(sender, this);
      memory.addObjects(RequestContext.BYTES);
    }
    return context;
  }

  @Override
  public void give(RequestContext context) {
    context.clear();
    if (free.size() < MOST_KEPT && !closed) {
      free.push(context);
    } else {
      context.close();
      memory.addObjects(-RequestContext.BYTES);
    }
  }

  /** Ends the pool with the loop: contexts released later are not kept. */
  public void close() {
    closed = true;
    free.forEach(RequestContext::close);
    free.clear();
  }
}
