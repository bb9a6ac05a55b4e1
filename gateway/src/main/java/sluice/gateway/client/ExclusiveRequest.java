package sluice.gateway.client;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.gateway.client.input.ArrivalWatch;
import sluice.gateway.client.input.ValueEnd;
import sluice.gateway.dispatch.ClientSession.LineEnd;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.Suppression;
import sluice.gateway.request.UnsentHead;
import sluice.gateway.server.ExclusivePool;
import sluice.gateway.server.Server;
import sluice.gateway.server.TextErrors;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.session.ValueMemory;

/**
 * Request on an exclusive connection: a value too large to be gathered, or a command that takes a
 * connection over. It begins when all earlier requests of its client are answered, and the next
 * begins after its answer, so that the order is kept.
 *
 * <p>Its reply is withheld until the client has sent all of it, and the server's timeout starts
 * then. Before, delays are caused by the client or by this gateway, which pauses it.
 *
 * <p>A value is streamed. All exclusive connections may be in use, perhaps by clients that have
 * stopped in the middle of a value. Then the value is <em>gathered</em> if there is ample memory,
 * and uses a connection reserved for complete values. It is too large for the shared connections,
 * where requests of other clients would wait behind it while the server does not read.
 */
final class ExclusiveRequest implements ExclusivePool.Acquirer {
  private enum Step {
    /** Nothing is in progress, or the value is streamed, or the reply has not come yet. */
    NONE,
    /** A connection has been requested. */
    WAITS,
    /** The value is gathered, and incomplete. */
    GATHERS,
    /** The gathered value is not fully written. */
    SENDS
  }

  /** A time that never passes, in nanoseconds. */
  private static final long FOREVER = Long.MAX_VALUE / 2;

  private final ClientControl control;
  private final ReplyOrder replies;
  private final BackPressure pressure;
  private final ValueMemory valueMemory;
  private final Loop loop;
  private final ValueEnd valueEnd;
  private final ArrivalWatch watch;
  private final ExclusiveConnection exclusive = new ExclusiveConnection();
  private @Nullable PendingReply pending; // null while none is in progress
  private final UnsentHead head = new UnsentHead();
  private int remaining;
  private Step step = Step.NONE;
  private @Nullable ValueSlices gathered; // null before the first; reserves memory until the answer
  private int length; // of the value
  private long arrived; // bytes of values, in all

  ExclusiveRequest(
      ClientControl control,
      ReplyOrder replies,
      BackPressure pressure,
      ValueMemory valueMemory,
      Loop loop) {
    this.control = control;
    this.replies = replies;
    this.pressure = pressure;
    this.valueMemory = valueMemory;
    this.loop = loop;
    valueEnd = new ValueEnd(loop);
    watch = new ArrivalWatch(loop);
  }

  /** Whether a request is in progress. */
  boolean isActive() {
    return pending != null || remaining > 0;
  }

  /** Bytes of the value that the client has not sent yet, line end included. */
  int remaining() {
    return remaining;
  }

  /**
   * Begins. The ring holds nothing but pending reply.
   *
   * @param head what is sent first; consumed
   * @param body bytes that follow it, given to {@link #body}; a line end to be cut among them
   * @param keeps whether the connection is never released
   */
  void begin(
      Server server, PendingReply pending, ByteBuf head, int body, boolean keeps, LineEnd ending) {
    valueEnd.begin(ending);
    exclusive.begin(server, keeps);
    this.pending = pending;
    this.head.set(head);
    this.remaining = body;
    length = body;
    replies.withhold(body > 0);
    if (!beginGathering()) {
      step = Step.WAITS;
      control.pauseFor(ClientControl.EXCLUSIVE);
      if (body > 0) {
        server.acquire(this);
      } else {
        server.acquireForWhole(this); // it has arrived completely
      }
    }
  }

  /** The pending reply of the request in progress. */
  @SuppressWarnings("NullAway") // there is one until the answer, or until the client is gone
  private PendingReply pending() {
    return pending;
  }

  private ValueSlices gathered() {
    gathered = gathered == null ? new ValueSlices(loop, pressure, valueMemory) : gathered;
    return gathered;
  }

  /** Begins aggregator, before any part of the value has come, if that is better than waiting. */
  private boolean beginGathering() {
    if (remaining == 0
        || exclusive.server().hasFreeExclusive()
        || !loop.memory().isAmpleWith(remaining)
        || !valueMemory.tryReserve(remaining)) {
      return false;
    }
    gathered().begin(remaining);
    step = Step.GATHERS;
    return true;
  }

  /** Whether a value is being gathered. */
  boolean gathers() {
    return step == Step.GATHERS;
  }

  @Override
  public boolean isWaiting() {
    return step == Step.WAITS;
  }

  @Override
  public void acquired(ServerConnection acquired) {
    step = Step.NONE;
    String refusal = head.refusal(acquired.version());
    if (refusal != null) {
      exclusive.server().release(acquired);
      refused("server " + exclusive.server().name() + " " + refusal);
      return;
    }
    exclusive.acquire(acquired);
    step = remaining == 0 && gathered != null && gathered.isReserved() ? Step.SENDS : Step.NONE;
    restart();
    acquired.expect(pending());
    acquired.write(head.take());
    replies.withhold(remaining > 0 || sends());
    control.goOnFrom(ClientControl.EXCLUSIVE);
    sendMore();
  }

  /**
   * Sends the gathered value as fast as the server takes it. The timeout starts when all is sent,
   * as with a streamed value.
   */
  void sendMore() {
    if (!sends() || !exclusive.isOpen() || pending().isComplete()) {
      return;
    }
    if (gathered().writeSome(exclusive.acquired())) {
      step = Step.NONE;
      restart();
      endSending();
    } else {
      exclusive.waitsIfFull(control);
    }
  }

  private void endSending() {
    step = Step.NONE;
    replies.withhold(false);
    if (pending().isComplete()) {
      replies.advance();
    }
  }

  /** Whether a complete gathered value has not been fully written. */
  boolean sends() {
    return step == Step.SENDS;
  }

  @Override
  public void refused(String reason) {
    step = Step.NONE;
    head.release();
    releaseGathered();
    replies.fail(pending(), reason); // the rest of the value is discarded
    control.goOnFrom(ClientControl.EXCLUSIVE);
  }

  private void restart() {
    pending().restart(loop.now() + (remaining > 0 || sends() ? FOREVER : 0));
  }

  /** Takes the next bytes of the value from in, and advances in. Borrows in. */
  void body(ByteBuf in) {
    checkReply();
    if (isWanted() && awaitsServer()) {
      return; // it was woken for another reason
    }
    int length = Math.min(remaining, in.readableBytes());
    remaining -= length;
    arrived += length;
    if (!isWanted()) {
      in.skipBytes(length);
    } else {
      take(in, length);
      awaitsServer();
    }
    if (remaining == 0) {
      end();
      PendingReply unanswered = pending;
      if (unanswered != null) {
        restart();
        replies.withhold(sends());
        if (unanswered.isComplete()) {
          replies.advance();
        }
      }
    }
  }

  private boolean awaitsServer() {
    return !gathers() && exclusive.waitsIfFull(control);
  }

  /** Whether the bytes of the value are still needed. */
  private boolean isWanted() {
    return (gathers() || exclusive.isOpen()) && !pending().isComplete();
  }

  private void take(ByteBuf in, int length) {
    int now = valueEnd.firstToSend(length, remaining);
    if (now > 0) {
      put(in, now);
    }
    valueEnd.keep(in, length - now);
  }

  /** Sends or gathers the next length bytes of in, and advances in. Borrows in. */
  private void put(ByteBuf in, int length) {
    if (gathers()) {
      gathered().add(in, length);
    } else {
      exclusive.acquired().write(loop.readSlice(in, length));
    }
  }

  /** The value is complete: sends held bytes, and the ending that its server needs. */
  private void end() {
    if (isWanted()) {
      ByteBuf last = valueEnd.take();
      if (last == null) {
        refuseChunk();
      } else {
        if (last.isReadable()) {
          put(last, last.readableBytes());
        }
        last.release();
      }
    }
    valueEnd.release();
    if (gathers()) {
      step = Step.NONE;
      sendGathered();
    }
  }

  private void sendGathered() {
    if (pending().isComplete()) {
      releaseGathered();
      head.release();
    } else {
      step = Step.WAITS;
      control.pauseFor(ClientControl.EXCLUSIVE);
      exclusive.server().acquireForWhole(this);
    }
  }

  /** Refuses the value: the server lacks its last byte, and drops it when its connection closes. */
  private void refuseChunk() {
    PendingReply answered = pending();
    if (!gathers()) {
      answered.detach();
      answered.releaseSlices();
      exclusive.acquired().failForClient("its client did not end the value with a line end");
    }
    answered.outcome(Outcome.PROTOCOL_ERROR);
    boolean silent = answered.suppression() == Suppression.ALL;
    replies.answer(answered, silent ? null : TextErrors.line(loop, "CLIENT_ERROR bad data chunk"));
  }

  private void releaseGathered() {
    step = step == Step.WAITS ? step : Step.NONE;
    if (gathered != null) {
      gathered.release();
    }
  }

  /**
   * Called a few times a second, and before more is sent: if the server has answered already, no
   * more is sent.
   *
   * @return whether it has answered just now
   */
  boolean checkReply() {
    ServerConnection used = exclusive.get();
    if ((remaining == 0 && !sends()) || used == null || !pending().isComplete()) {
      return false;
    }
    exclusive.endAnsweredEarly(pending());
    if (sends()) {
      endSending();
    }
    return true;
  }

  /**
   * Called a few times a second: checks whether enough of the value has arrived, or whether it need
   * not wait any more.
   *
   * @param mayCome whether the client is read, or would be if it read its replies
   */
  void look(boolean mayCome) {
    if (isWaiting() && exclusive.server().hasAcquiredAll() && beginGathering()) {
      exclusive.server().doesNotWait(this);
      control.goOnFrom(ClientControl.EXCLUSIVE);
    }
    watch.look(arrived, length, remaining == 0 || !mayCome); // also if the value is discarded
  }

  /**
   * Whether this value blocks others and has made too little progress for that time. Others may
   * wait for its connection, or may have to because of its reserved memory.
   */
  boolean keepsOthersFromConnections(long nanos) {
    return watch.standsStillFor(nanos)
        && (exclusive.get() != null || gathers())
        && (exclusive.server().lacksConnections() || (gathers() && loop.memory().isQuarterUsed()));
  }

  /** Whether the value is incomplete, and has made too little progress for that time. */
  boolean standsStillFor(long nanos) {
    return remaining > 0 && watch.standsStillFor(nanos);
  }

  /** Whether memory is reserved for a value that has made too little progress for that time. */
  boolean keepsMemoryFor(long nanos) {
    return gathers() && watch.standsStillFor(nanos);
  }

  /** The server has not been ready for more for so long. Returns whether for more of this value. */
  boolean serverTooLate(String reason, long nanos) {
    if (exclusive.get() == null || (remaining == 0 && !sends())) {
      return false;
    }
    exclusive.endIfFullFor(nanos, reason);
    return true;
  }

  /** A pending reply of the client was answered; returns whether it was this request's. */
  boolean answered(PendingReply answered) {
    if (answered != pending) {
      return false;
    }
    pending = null;
    releaseGathered();
    exclusive.release();
    return true;
  }

  /** The client is gone: an incomplete value must not stay on a connection. */
  void closed() {
    step = Step.NONE;
    valueEnd.release();
    releaseGathered();
    head.release();
    exclusive.abandon();
    pending = null;
    remaining = 0;
  }
}
