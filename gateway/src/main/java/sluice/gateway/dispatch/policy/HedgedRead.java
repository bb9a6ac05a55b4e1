package sluice.gateway.dispatch.policy;

import io.netty.buffer.ByteBuf;
import sluice.gateway.dispatch.ClientSession;
import sluice.gateway.dispatch.RequestContext;
import sluice.gateway.dispatch.RequestSender;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.Gathering;
import sluice.gateway.exchange.Grammar;
import sluice.gateway.exchange.Guard;
import sluice.gateway.metrics.HedgeResult;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.server.Server;
import sluice.gateway.server.ServerWaiter;
import sluice.gateway.server.connection.ServerConnection;

/**
 * One read that may be sent to a second pool: which of the two replies is the client's. They are
 * held whole. An error or a failure counts only if there is nothing else to wait for. Belongs to
 * one event loop.
 */
final class HedgedRead implements Gathering, Guard, ServerWaiter {
  /** What decides whether it is sent to the other pool, and sends it there. */
  interface Owner {
    /** Whether the budget has room for one more read that is sent twice; it is spent then. */
    boolean allows();

    /** The server of the other pool that a read goes to. */
    Server serverOf(RequestContext again);

    /**
     * Sends the read to the other pool, as one of its parts; false if it has no words there.
     *
     * @param again the read; borrowed
     */
    boolean sendAgain(HedgedRead read, RequestContext again, ServerConnection connection);

    /** Its own pool has answered a read, so many nanoseconds after it was sent. */
    void ownAnswered(long nanos);

    /** A read is answered. */
    void answered();

    /** What became of a read that was not answered in time. */
    void count(HedgeResult result);
  }

  private static final int OWN = 0;
  private static final int OTHER = 1;

  private final Owner backend;
  private final RequestSender sender;
  private final ClientSession client;
  private final long sentAt;
  private final long dueAt;
  private final Exchange[] parts = new Exchange[2];
  private final String[] failures = new String[2];
  private Exchange whole; // null when it is answered
  private RequestContext again; // what the other pool is asked; null when it was, or will not be
  private boolean hedged;
  private int underWay; // parts that no server has settled
  private boolean owes; // the client is answered, and they count as what it waits for
  private long waitingSince; // for the other pool's server

  /**
   * A read that is about to be sent to its own pool.
   *
   * @param again the read; consumed
   * @param whole what is answered
   * @param now in {@link System#nanoTime}'s nanoseconds
   * @param afterNanos when it is due to be sent to the other pool, from now
   */
  HedgedRead(Owner backend, RequestContext again, Exchange whole, long now, long afterNanos) {
    this.backend = backend;
    this.again = again;
    this.whole = whole;
    sender = again.sender();
    client = again.client();
    sentAt = now;
    dueAt = now + afterNanos;
    whole.splitInto(this);
  }

  /** When it is due to be sent to the other pool. */
  long dueAt() {
    return dueAt;
  }

  boolean isAnswered() {
    return whole == null;
  }

  /** The exchange of one of the two requests, which the caller sends. */
  Exchange part(int index) {
    Exchange part = sender.worker().exchanges().take();
    long now = sender.loop().now();
    part.start(client, whole.command(), Grammar.BRIDGED, whole.hides(), now);
    part.binary(whole.opcode(), whole.opaque());
    part.partOf(this, index);
    part.guard(this, index);
    parts[index] = part;
    return part;
  }

  /** It has waited for long enough. */
  void due() {
    if (waitsForOwn() && backend.allows()) {
      sendAgain();
    } else {
      forget();
    }
  }

  /** Whether it is not answered, and nothing of the answer has come. */
  private boolean waitsForOwn() {
    return whole != null && parts[OWN] != null && !isDone(OWN) && parts[OWN].heldBytes() == 0;
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
    hedged = connection != null && backend.sendAgain(this, again, connection);
    if (!hedged) {
      backend.count(HedgeResult.SKIPPED);
    }
    forget();
  }

  @Override
  public void serverChanged() {
    client.later(this::sendAgain); // the server is in the middle of something
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

  /** A pool is asked: until its server has said what became of it, or is gone. */
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
    return failures[index] != null || (parts[index] != null && parts[index].isComplete());
  }

  private boolean isGood(int index) {
    return failures[index] == null && isDone(index) && parts[index].outcome() != Outcome.ERROR;
  }

  // --- what servers answer ----------------------------------------------------------------------

  @Override
  public boolean isToldOfValues() {
    return false; // an error is a reply like others
  }

  @Override
  public void partCompleted(Exchange part, String why) {
    int index = part.part();
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

  private void answer(int index) {
    Exchange of = whole;
    whole = null;
    forget();
    if (index == OWN) { // of one that the other pool has answered nothing is known
      backend.ownAnswered(sender.loop().now() - sentAt);
    }
    backend.answered();
    if (hedged) {
      backend.count(result(index));
    }
    ByteBuf failure = null;
    if (failures[index] == null) {
      of.outcome(parts[index].outcome());
      parts[index].movePieces(of);
    } else {
      of.outcome(Outcome.SERVER_DOWN);
      if (of.gathering() == null && of.hides() != Exchange.HIDE_ALL) {
        failure = client.failureReply(of, failures[index]);
      }
    }
    of.splitInto(null);
    owes = true;
    client.owes(underWay); // of which some are settled in a moment
    drop();
    if (of.gathering() == null) {
      client.answer(of, failure);
    } else {
      Copies.give(of, of.gathering(), failures[index]);
    }
  }

  private HedgeResult result(int index) {
    if (!isGood(index)) {
      return HedgeResult.FAILED;
    }
    return index == OTHER ? HedgeResult.WON : HedgeResult.LOST;
  }

  /** No reply is wanted any more. */
  private void drop() {
    for (int i = 0; i < parts.length; i++) {
      Exchange part = parts[i];
      parts[i] = null;
      if (part != null) {
        sender.worker().exchanges().give(part);
      }
    }
  }

  @Override
  public boolean awaits(Exchange part) {
    return true; // either may be the one that counts
  }

  @Override
  public void cancel() {
    whole = null;
    forget();
    drop();
  }
}
