package sluice.gateway.client;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.gateway.client.replies.ReplyWindow;
import sluice.gateway.client.replies.ServerOrder;
import sluice.gateway.listener.ListenerView;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.Direction;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.metrics.RuleMetrics;
import sluice.gateway.near.Changes;
import sluice.gateway.net.ClientAddress;
import sluice.gateway.request.Aggregator;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.RequestPool;
import sluice.gateway.request.RingQueue;
import sluice.gateway.request.Suppression;
import sluice.gateway.server.connection.ServerConnection;
import sluice.names.Command;

/**
 * Replies of one client in the order of its requests: each is written when those before it have
 * been. It limits the number of requests in flight.
 */
final class ReplyOrder {
  private static final Logger LOG = LoggerFactory.getLogger(ReplyOrder.class);

  /** Length of a reply behind which the client waits if memory is full. */
  private static final int LARGE = 4 * 1024;

  private final ClientControl control;
  private final Loop loop;
  private final RequestPool pool;
  private final ListenerView listenerView;
  private final BackPressure pressure;
  private final RingQueue<PendingReply> ring;
  private final ReplyWindow window;
  private final Runnable settled = this::settled;

  private int owed; // answered requests that servers have not settled
  private boolean settling;
  private boolean withheld;
  private boolean abandoned; // the reply that is next in order
  private int writes = -1;
  private @Nullable Changes changes; // caches that the current request affects
  private long changed;

  /** The replies in ring, which is empty. */
  ReplyOrder(
      ClientControl control,
      Loop loop,
      RequestPool pool,
      ListenerView listenerView,
      BackPressure pressure,
      RingQueue<PendingReply> ring) {
    this.control = control;
    this.loop = loop;
    this.pool = pool;
    this.listenerView = listenerView;
    this.pressure = pressure;
    this.ring = ring;
    this.window =
        new ReplyWindow(listenerView.limits().inFlight(), listenerView.limits().outBufferBytes());
  }

  // --- what is awaited ----------------------------------------------------------------------

  /** Sets the length of the value of the next new reply's request. */
  void writes(int valueBytes) {
    writes = valueBytes;
  }

  /**
   * The current request changes something: near caches are notified until its reply is released.
   *
   * @param concerned null if it affects no cache
   * @param what as in {@link Changes}
   */
  void changes(@Nullable Changes concerned, long what) {
    changes = concerned;
    changed = what;
  }

  /** A new reply behind all others; the ring must not be full. */
  PendingReply add(Command command, ReplyKind kind, Suppression suppression) {
    PendingReply reply =
        pool.take().start(control.requester(), command, kind, suppression, loop.now());
    reply.rule(listenerView.takeMatched());
    if (changes != null) {
      reply.guard(changes, changed);
      changes = null;
    }
    ring.add(reply);
    loop.metrics().requestStarted();
    if (writes >= 0) {
      loop.metrics().valueWritten(writes);
      writes = -1;
    }
    if (loop.samples().logs()) {
      reply.logged(loop.samples().hasNoted(listenerView) ? loop.samples().noted() : null);
    }
    pauseIfFull();
    return reply;
  }

  /** A request whose value is still to come never waits: its reply would never come. */
  private void pauseIfFull() {
    if (window.isFull(ring.size() + owed) && !withheld) {
      control.pauseFor(ClientControl.WINDOW);
    }
  }

  private boolean isWindowOpen() {
    return window.isOpen(ring.size() + owed);
  }

  /**
   * Adds a number of requests that are with servers although they were answered; negative: fewer.
   * They count as if the client waited for them.
   */
  void owes(int more) {
    owed += more;
    if (more > 0) {
      pauseIfFull();
    } else if (more < 0
        && control.isPausedFor(ClientControl.WINDOW)
        && !settling
        && isWindowOpen()
        && control.lives()) {
      settling = true;
      control.channel().eventLoop().execute(settled); // the caller is in the middle of something
    }
  }

  private void settled() {
    settling = false;
    if (control.lives() && control.isPausedFor(ClientControl.WINDOW)) {
      loop.tick();
      goOnBehindReplies();
    }
  }

  // --- answering ----------------------------------------------------------------------------

  /**
   * Completes reply with its buffered bytes, followed by rest if there is one. Consumes rest.
   *
   * <p>The reply may have to wait behind one of a slow server. Values of an embedded store or a
   * near cache come at once, and nothing else stops requests for more of them.
   */
  void answer(PendingReply reply, @Nullable ByteBuf rest) {
    if (rest != null) {
      reply.hold(rest);
    }
    boolean large = reply.heldBytes() > LARGE;
    reply.complete();
    if (ring.peek() == reply) {
      advance();
    } else if (pressure.holdsMuch()) {
      control.pauseFor(ClientControl.BARRIER);
    }
    if (large && loop.memory().isFull() && control.takesReplies()) {
      control.pauseForMemory();
    }
  }

  /** Answers reply with the reason why it has no other. */
  void fail(PendingReply reply, String reason) {
    reply.outcome(Outcome.SERVER_DOWN);
    boolean silent = reply.suppression() == Suppression.ALL;
    answer(reply, silent ? null : control.requester().failureReply(reply, reason));
  }

  /** Sets whether replies wait until the client has sent the whole of its request. */
  void withhold(boolean now) {
    withheld = now;
    if (now) {
      control.resumeFrom(ClientControl.WINDOW);
    }
  }

  /** Takes no more requests, and closes when earlier ones are answered. */
  void end() {
    control.pauseFor(ClientControl.ENDING);
    if (ring.isEmpty()) {
      control.leave();
    }
  }

  boolean isTurnOf(PendingReply reply) {
    return !withheld && ring.peek() == reply;
  }

  /**
   * Whether nothing can be written before more of reply has arrived. It may be a subrequest, also
   * of another subrequest: one of the keys of a get may be read from several servers.
   */
  boolean needsNext(PendingReply reply) {
    PendingReply first = ring.peek();
    if (first == reply) {
      return !withheld;
    }
    PendingReply part = reply;
    while (part != null && part != first) {
      Aggregator aggregator = part.aggregator();
      part = aggregator != null && aggregator.awaits(part) ? aggregator.whole() : null;
    }
    return part != null;
  }

  /** Writes bytes of the reply that is next in order. Consumes bytes. */
  void write(ByteBuf bytes) {
    count(bytes.readableBytes());
    control.write(bytes);
  }

  /** Writes the bytes [from, from + length) of source. Borrows source. */
  void write(ByteBuf source, int from, int length) {
    count(length);
    control.write(source, from, length);
  }

  /** The same, copied behind earlier bytes. Borrows source. */
  void writeCopy(ByteBuf source, int from, int length) {
    count(length);
    control.writeCopy(source, from, length);
  }

  private void count(int bytes) {
    window.wrote(bytes);
    loop.metrics().bytes(Direction.CLIENT_OUT, bytes);
  }

  /** The first reply is complete; returns whether others follow that {@link #advance} writes. */
  boolean completed() {
    leaveRing();
    PendingReply next = ring.peek();
    if (next == null) {
      return control.isPausedForAny();
    }
    return next.isComplete()
        || next.sliceCount() > 0
        || next.subrequests() != null
        || control.isPausedFor(ClientControl.WINDOW);
  }

  private void leaveRing() {
    PendingReply reply = ring.poll();
    window.replied(reply.cost());
    loop.metrics().requestEnded();
    long nanos = loop.now() - reply.started();
    if (nanos == 0) {
      nanos = loop.sinceIterationBegan(); // answered by a store or a cache, or refused
    }
    RuleMetrics rule = reply.rule();
    if (rule != null) {
      rule.answered(nanos);
    }
    if (reply.suppression() == Suppression.ALL) {
      listenerView.metrics().request(reply.command(), reply.outcome());
    } else {
      listenerView
          .metrics()
          .request(reply.command(), reply.outcome(), nanos, nanos - reply.serverNanos());
    }
    log(reply, reply.outcome(), nanos);
    control.answered(reply);
    pool.give(reply);
  }

  /** Samples a request that ended, if a log requires it. */
  private void log(PendingReply reply, Outcome outcome, long nanos) {
    if (loop.samples().wants(nanos)) {
      loop.samples()
          .ended(
              listenerView.name(),
              ClientAddress.of(control.channel()),
              reply.command(),
              outcome,
              reply.note(),
              reply.asked() == null ? null : reply.asked().serverName(),
              nanos,
              reply.serverNanos());
    }
  }

  /** Writes the buffered replies that are next in order. */
  void advance() {
    PendingReply reply;
    while (!withheld && (reply = ring.peek()) != null) {
      if (reply.isComplete() || reply.isLong(ServerConnection.STREAM_FROM)) {
        reply.writeSlices();
      }
      if (!reply.isComplete()) {
        if (reply.subrequests() != null) {
          reply.subrequests().turn();
        }
        break;
      }
      leaveRing();
    }
    pressure.resumeServers();
    if (control.isPausedForAny()) {
      goOnBehindReplies();
    }
  }

  private void goOnBehindReplies() {
    if (ring.isEmpty()) {
      if (control.isPausedFor(ClientControl.ENDING)) {
        control.leave();
        return;
      }
      control.resumeFrom(ClientControl.BARRIER);
    }
    if (isWindowOpen()) {
      control.resumeFrom(ClientControl.WINDOW);
    }
    control.process();
  }

  // --- the end --------------------------------------------------------------------------------

  /**
   * The reply that is next in order was partly written and cannot be completed: the connection must
   * close.
   */
  void abandon(String reason) {
    LOG.info(
        "listener {}: a client was closed in the middle of a reply: {}",
        listenerView.name(),
        reason);
    abandoned = true;
    control.breakOff();
  }

  /** Once the socket is closed, no reply waits behind an incomplete one. */
  void endAbandoned() {
    PendingReply first = ring.peek();
    if (abandoned && first != null) {
      abandoned = false;
      if (first.subrequests() != null && !first.isComplete()) {
        first.subrequests().cancel(); // they must not know a reply that is used again
        first.splitInto(null);
      }
      first.complete();
      advance();
    }
  }

  /** Number of unfinished requests that take several steps. */
  int stepsLeft() {
    int count = 0;
    for (int i = 0; i < ring.size(); i++) {
      PendingReply reply = ring.get(i);
      if (reply.subrequests() != null && !reply.isComplete()) {
        count++;
      }
    }
    return count;
  }

  /** Whether a later request than reply's changes items and is not answered. */
  boolean isChangedBehind(PendingReply reply) {
    for (int i = ring.indexOf(reply) + 1; i < ring.size(); i++) {
      if (ServerOrder.isChange(ring.get(i)) && !ring.get(i).isComplete()) {
        return true;
      }
    }
    return false;
  }

  /** The client is gone: replies are dropped. */
  void discard() {
    while (!ring.isEmpty()) {
      PendingReply reply = ring.poll();
      loop.metrics().requestEnded();
      listenerView.metrics().request(reply.command(), Outcome.CLIENT_GONE);
      log(reply, Outcome.CLIENT_GONE, loop.now() - reply.started());
      if (reply.subrequests() != null && !reply.isComplete()) {
        reply.subrequests().cancel();
      }
      pool.give(reply);
    }
  }
}
