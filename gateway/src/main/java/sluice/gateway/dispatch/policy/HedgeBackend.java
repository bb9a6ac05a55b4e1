package sluice.gateway.dispatch.policy;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.bridge.Request;
import sluice.gateway.dispatch.DelegatingBackend;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.dispatch.PoolBackend;
import sluice.gateway.dispatch.RequestContext;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.HedgeResult;
import sluice.gateway.metrics.ResultCounters;
import sluice.gateway.route.Action;
import sluice.gateway.server.Server;
import sluice.gateway.server.connection.ServerConnection;
import sluice.names.Dialect;

/**
 * Backend that also sends a read to another pool if its own pool has not begun to answer in time.
 * The first answer is the client's, and the other is dropped.
 *
 * <p>Only reads that change nothing and request no cas unique are hedged: uniques of two servers
 * are unrelated.
 */
final class HedgeBackend extends DelegatingBackend implements HedgedRead.Owner {
  /** The shortest delay of a second request, even for a faster pool. */
  private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** Initial value of a percentile. */
  private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final PoolBackend own;
  private final PoolBackend other;
  private final Loop loop;
  private final ResultCounters<HedgeResult> metrics;
  private final Allowance allowance;
  private final long fixedNanos; // 0: use a percentile
  private final Percentile recent;
  // in the order in which they are due
  private final ArrayDeque<HedgedRead> waiting = new ArrayDeque<>();
  private boolean scheduled;

  HedgeBackend(PoolBackend own, PoolBackend other, Action.Hedge hedge, Loop loop) {
    super(own);
    this.own = own;
    this.other = other;
    this.loop = loop;
    metrics = loop.metrics().hedge(own.pool().name());
    allowance = new Allowance(hedge.budget());
    fixedNanos = TimeUnit.MILLISECONDS.toNanos(hedge.afterMillis());
    recent = new Percentile(Math.max(1, hedge.percentile()), LEAST_NANOS, FIRST_NANOS);
  }

  @Override
  public @Nullable Pool plain(Dialect client) {
    return null;
  }

  /**
   * Whether another pool may answer. Not if the reply would bring a cas unique, which means nothing
   * to the rule's own pool: every reply to a binary client does.
   */
  static boolean isHedged(Request request) {
    return request.changesNothing() && request.isRead() && !request.takes(Request.CAS);
  }

  /** Does nothing for a read that may be hedged, which is adapted for each pool when it is sent. */
  @Override
  public void adapt(RequestContext context) {
    if (!isHedged(context.request())) {
      own.adapt(context);
    }
  }

  @Override
  public @Nullable ByteBuf send(RequestContext context) {
    if (!isHedged(context.request())) {
      return own.send(context);
    }
    RequestContext again = context.contexts().take().again(context);
    own.adapt(context);
    ServerConnection connection = context.connection();
    ByteBuf head = own.head(context, connection);
    if (head == null) {
      context.contexts().give(again);
      return context.sender().refused(context);
    }
    allowance.add();
    HedgedRead read = new HedgedRead(this, again, context.pending(), loop.now(), afterNanos());
    own.sendAs(read.subrequest(0), context, connection, head);
    await(read);
    return null;
  }

  private long afterNanos() {
    return fixedNanos > 0 ? fixedNanos : recent.nanos();
  }

  // --- time -----------------------------------------------------------------------------------

  private void await(HedgedRead read) {
    waiting.add(read);
    if (!scheduled) {
      schedule(read);
    }
  }

  private void schedule(HedgedRead first) {
    scheduled = true;
    long delay = Math.max(0, first.dueAt() - loop.now());
    loop.eventLoop().schedule(this::look, delay, TimeUnit.NANOSECONDS);
  }

  /** Hedges all reads that are due. */
  private void look() {
    scheduled = false;
    loop.tick();
    for (HedgedRead read = waiting.peek(); read != null; read = waiting.peek()) {
      if (!read.isAnswered() && read.dueAt() - loop.now() > 0) {
        schedule(read);
        return;
      }
      waiting.poll();
      read.due();
    }
  }

  @Override
  public void ownAnswered(long nanos) {
    recent.add(nanos);
  }

  @Override
  public void answered() {
    while (!waiting.isEmpty() && waiting.peek().isAnswered()) {
      waiting.poll();
    }
  }

  // --- the second request -----------------------------------------------------------------------

  @Override
  public boolean allows() {
    boolean allowed = allowance.take();
    if (!allowed) {
      metrics.count(HedgeResult.OVER_BUDGET);
    }
    return allowed;
  }

  @Override
  public Server serverOf(RequestContext again) {
    return other.server(again.request(), again.dialect());
  }

  @Override
  public boolean sendAgain(HedgedRead read, RequestContext again, ServerConnection connection) {
    other.adapt(again);
    ByteBuf head = other.head(again, connection);
    if (head != null) {
      other.sendAs(read.subrequest(1), again, connection, head);
    }
    return head != null;
  }

  @Override
  public void count(HedgeResult result) {
    metrics.count(result);
  }
}
