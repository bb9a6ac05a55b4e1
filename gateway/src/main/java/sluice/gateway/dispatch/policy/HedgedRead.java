package sluice.gateway.dispatch.policy;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.gateway.dispatch.ClientSession;
import sluice.gateway.dispatch.RequestContext;
import sluice.gateway.dispatch.RequestSender;
import sluice.gateway.metrics.HedgeResult;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.request.Aggregator;
import sluice.gateway.request.InFlightWatcher;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.Suppression;
import sluice.gateway.server.Server;
import sluice.gateway.server.ServerWaiter;
import sluice.gateway.server.connection.ServerConnection;

/**
 * Aggregator of a read that may be sent to a second pool: it decides which of the two replies is
 * the client's. Both are buffered as a whole. An error or a failure counts only if no other reply
 * is expected. Belongs to one event loop.
 */
final class HedgedRead implements Aggregator, InFlightWatcher, ServerWaiter {
  /** Owner, which decides whether the read is hedged, and sends it. */
  interface Owner {
    /** Whether the budget permits another hedge; then it is taken from the budget. */
    boolean allows();

    /** The server of the other pool that a read goes to. */
    Server serverOf(RequestContext again);

    /**
     * Sends the read to the other pool, as one of its subrequests; returns false if it cannot be
     * expressed there.
     *
     * @param again the read; borrowed
     */
    boolean sendAgain(HedgedRead read, RequestContext again, ServerConnection connection);

    /** The read's own pool has answered, in this time. */
    void ownAnswered(long nanos);

    /** A read is answered. */
    void answered();

    /** Counts the result for a read that was not answered in time. */
    void count(HedgeResult result);
  }

  private static final int OWN = 0;
  private static final int OTHER = 1;

  private final Owner backend;
  private final RequestSender sender;
  private final ClientSession client;
  private final long sentAt;
  private final long dueAt;
  private final @Nullable PendingReply[] subrequests = new PendingReply[2];
  private final @Nullable String[] failures = new String[2];
  private @Nullable PendingReply whole; // null when it is answered
  // the request for the other pool; null when it was sent, or will not be
  private @Nullable RequestContext again;
  private boolean hedged;
  private int underWay; // subrequests that no server has settled
  private boolean owes; // the client is answered, and they count as its requests in flight
  private long waitingSince; // for the other pool's server

  /**
   * A read that is about to be sent to its own pool.
   *
   * @param again the read; consumed
   * @param whole the pending reply to be answered
   * @param now in {@link System#nanoTime}'s nanoseconds
   * @param afterNanos delay after which it is due for the other pool
   */
  HedgedRead(Owner backend, RequestContext again, PendingReply whole, long now, long afterNanos) {
    this.backend = backend;
    this.again = again;
    this.whole = whole;
    sender = again.sender();
    client = again.client();
    sentAt = now;
    dueAt = now + afterNanos;
    whole.splitInto(this);
    whole.askServers(now);
  }

  /** When it is due for the other pool. */
  long dueAt() {
    return dueAt;
  }

  boolean isAnswered() {
    return whole == null;
  }

  /** The pending reply of one of the two requests, which the caller sends. */
  PendingReply subrequest(int index) {
    PendingReply subrequest = sender.loopState().requestPool().take();
    PendingReply of = whole();
    long now = sender.loop().now();
    subrequest.start(client, of.command(), ReplyKind.BRIDGED, of.suppression(), now);
    subrequest.binary(of.opcode(), of.opaque());
    subrequest.subrequestOf(this, index);
    subrequest.guard(this, index);
    subrequests[index] = subrequest;
    return subrequest;
  }

  /** Called when it is due. */
  void due() {
    if (waitsForOwn() && backend.allows()) {
      sendAgain();
    } else {
      forget();
    }
  }

  /** Whether no byte of an answer has come. */
  private boolean waitsForOwn() {
    return whole != null
        && subrequests[OWN] != null
        && !isDone(OWN)
        && subrequests[OWN].heldBytes() == 0;
  }

  private void sendAgain() {
    if (again == null || !waitsForOwn()) {
      return;
    }
    sender.loop().tick();
    Server server = backend.serverOf(again);
    ServerConnection connection = client.readyConnectionTo(server);
    if (connection == null && server.unavailable() == null) {
      waitingSince = waitingSince == 0 ? sender.loop().now() : waitingSince;
      server.await(this);
      return;
    }
    if (connection != null && keepsOrder(connection)) {
      hedged = true; // from now on: it may fail before it is sent
      hedged = backend.sendAgain(this, again, connection);
    }
    if (!hedged) {
      backend.count(HedgeResult.SKIPPED);
    }
    forget();
  }

  /** Whether the read would neither overtake a change of its client nor follow a later one. */
  private boolean keepsOrder(ServerConnection connection) {
    return !client.overtakes(whole(), connection) && !client.fallsBehindChange(whole(), connection);
  }

  @Override
  public void serverChanged() {
    client.later(this::sendAgain); // behind requests that a client cannot do without
  }

  @Override
  public void serverTooLate(String reason) {
    if (again != null) {
      backend.count(HedgeResult.SKIPPED);
      forget();
    }
  }

  @Override
  public long waitingSince() {
    return waitingSince;
  }

  private void forget() {
    if (again != null) {
      again.contexts().give(again);
      again = null;
    }
  }

  /** A pool gets the request: until its server has settled it, or is gone. */
  @Override
  public void begin(long index) {
    underWay++;
  }

  @Override
  public void end(long index) {
    underWay--;
    if (owes) {
      client.owes(-1);
    }
  }

  private boolean isDone(int index) {
    return failures[index] != null
        || (subrequests[index] != null && subrequests[index].isComplete());
  }

  private boolean isGood(int index) {
    return failures[index] == null
        && isDone(index)
        && subrequests[index].outcome() != Outcome.ERROR;
  }

  // --- what servers answer ----------------------------------------------------------------------

  @Override
  public boolean isToldOfValues() {
    return false; // an error is a reply like others
  }

  @Override
  public void subrequestCompleted(PendingReply subrequest, @Nullable String why) {
    int index = subrequest.subrequestNumber();
    failures[index] = why;
    if (whole == null) {
      return;
    }
    if (isGood(index)) {
      answer(index);
    } else if (!hedged || (isDone(OWN) && isDone(OTHER))) {
      answer(OWN);
    }
  }

  /** The pending reply to be answered. */
  @Override
  @SuppressWarnings("NullAway") // there while requests are sent, and until one is answered
  public PendingReply whole() {
    return whole;
  }

  private void answer(int index) {
    PendingReply of = whole();
    whole = null;
    forget();
    if (index == OWN) { // the time is unknown if the other pool answered first
      backend.ownAnswered(sender.loop().now() - sentAt);
    }
    backend.answered();
    if (hedged) {
      of.serversAnswered(sender.loop().now()); // also for the time before the second request
      backend.count(result(index));
    }
    ByteBuf failure = null;
    if (failures[index] == null) {
      of.outcome(subrequests[index].outcome());
      subrequests[index].moveSlices(of);
    } else {
      of.fails();
      if (of.aggregator() == null && of.suppression() != Suppression.ALL) {
        failure = client.failureReply(of, failures[index]);
      }
    }
    of.splitInto(null);
    owe();
    drop();
    if (of.aggregator() == null) {
      client.answer(of, failure);
    } else {
      Copies.give(of, of.aggregator(), failures[index]);
    }
  }

  private HedgeResult result(int index) {
    if (!isGood(index)) {
      return HedgeResult.FAILED;
    }
    return index == OTHER ? HedgeResult.WON : HedgeResult.LOST;
  }

  /** From now on, the requests that no server has settled count for themselves. */
  private void owe() {
    owes = true;
    client.owes(underWay); // some of them are settled in a moment
  }

  /** Drops all replies. */
  private void drop() {
    for (int i = 0; i < subrequests.length; i++) {
      PendingReply subrequest = subrequests[i];
      subrequests[i] = null;
      if (subrequest != null) {
        sender.loopState().requestPool().give(subrequest);
      }
    }
  }

  @Override
  public boolean awaits(PendingReply subrequest) {
    return true; // either may be the one that counts
  }

  @Override
  public long progress() {
    long progress = 0;
    for (PendingReply subrequest : subrequests) {
      progress += subrequest == null ? 0 : subrequest.progress();
    }
    return progress;
  }

  @Override
  public void cancel() {
    whole = null;
    forget();
    owe(); // the read of many keys that it is a part of may have failed
    drop();
  }
}
