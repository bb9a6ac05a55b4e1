package sluice.gateway.dispatch.policy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.bridge.Operation;
import sluice.codecs.memcached.bridge.Request;
import sluice.gateway.dispatch.ClientSession;
import sluice.gateway.dispatch.RequestContext;
import sluice.gateway.dispatch.RequestSender;
import sluice.gateway.dispatch.UnsettledChange;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.Gathering;
import sluice.gateway.exchange.Guard;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.server.Server;
import sluice.gateway.server.ServerWaiter;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.session.Worker;
import sluice.names.Command;
import sluice.names.Dialect;

/**
 * One request that went to several pools: which of their replies is the client's, and when. The
 * replies are in the client's dialect already, and held whole.
 *
 * <p>A meta server tells one client of several to write an item that is stale or not there. All of
 * a rule's clients are told so by one pool: by the first that takes requests and has the item.
 */
final class Copies implements Gathering, Guard, ServerWaiter, UnsettledChange {
  /** What sends a read to members that were not asked. */
  interface Owner {
    /**
     * Sends a read, which one member was asked alone, to those before it.
     *
     * @param before the member
     * @param again the read; borrowed
     * @return null, or a server that has to be waited for; then nothing was sent
     */
    Server sendAgain(
        RequestSender sender, ClientSession client, int before, Request again, Copies copies);
  }

  private static final int UNDECIDED = -1;

  private final Worker worker;
  private final RequestSender sender;
  private final Owner backend;
  private final Command command;
  private final ClientSession client;
  private final Spread spread;
  private final boolean read;
  private final boolean acknowledged; // by as many as the rule says
  private final boolean changes;
  private final Shadows.Comparison comparison; // null unless the second is a shadow
  private final Exchange[] parts;
  private final String[] failures;
  private Exchange whole; // null when it is answered
  private int asked; // members
  private int open = 1; // until all are sent
  private boolean sending = true;
  private boolean lags; // answered, while some members have yet to do it
  private boolean inOrder; // one pool decides, the first that can
  private Request again; // what others are asked if that is needed, and one alone was; or null
  private int alone; // that one, once others are asked
  private boolean waits;
  private long waitingSince;
  private int sent; // bits of members
  private final Guard guard; // what has to know of the request until all have done it, or null
  private final long guarded;
  private int underWay; // parts that no server has settled
  private boolean owes; // the client is answered, and they count as what it waits for

  /**
   * Copies of a request.
   *
   * @param context borrowed
   * @param whole the client's exchange
   * @param again the request, if one member is asked alone and others may have to be, else null;
   *     not borrowed
   */
  Copies(RequestContext context, Owner backend, Spread spread, Exchange whole, Request again) {
    Request request = context.request();
    this.sender = context.sender();
    this.worker = sender.worker();
    this.backend = backend;
    this.client = context.client();
    this.whole = whole;
    this.command = whole.command();
    this.spread = spread;
    this.again = again;
    read = request.operation == Operation.GET;
    changes = !request.changesNothing();
    acknowledged = !read || request.setsExptime;
    inOrder = request.seeksWinner;
    parts = new Exchange[spread.members().length];
    failures = new String[parts.length];
    boolean binary = context.dialect() == Dialect.BINARY;
    comparison =
        spread.isShadow()
            ? spread.shadows().begin(command, binary, Shadows.isComparable(request))
            : null;
    guard = whole.guard();
    guarded = whole.guarded();
    whole.splitInto(this);
  }

  Command command() {
    return command;
  }

  /** The exchange of a member, which the caller sends. */
  Exchange part(int member) {
    Exchange part = worker.exchanges().take();
    part.start(
        isCopy(member) ? comparison : client,
        whole.command(),
        whole.grammar(),
        whole.hides(),
        whole.started());
    part.binary(whole.opcode(), whole.opaque());
    part.partOf(this, member);
    part.guard(this, member);
    parts[member] = part;
    sent |= 1 << member;
    asked++;
    open++;
    return part;
  }

  /** A member cannot be asked. */
  void failed(int member, String reason) {
    failures[member] = reason;
    asked++;
  }

  /** All parts have been sent. */
  void sent() {
    open--;
    sending = false;
    for (int i = 0; i < parts.length && comparison == null && !read; i++) {
      if (parts[i] == null && failures[i] == null) {
        failures[i] = "pool " + spread.members()[i].pool().name() + " was not asked";
      }
    }
    if (comparison != null && parts[1] == null) {
      comparison.skipped();
    }
    decide();
  }

  /** A member is asked: until its server has said what became of it, or is gone. */
  @Override
  public void begin(long member) {
    underWay++;
    if (isCopy(member)) {
      spread.shadows().begins();
    } else if (guard != null) {
      guard.begin(guarded); // not for a shadow: nobody's reads shall depend on it
    }
  }

  @Override
  public void end(long member) {
    underWay--;
    if (isCopy(member)) {
      spread.shadows().ends();
      return;
    }
    if (guard != null) {
      guard.end(guarded);
    }
    if (owes) {
      client.owes(-1);
    }
  }

  /** Whether nobody waits for this member: it is a shadow. */
  private boolean isCopy(long member) {
    return comparison != null && member > 0;
  }

  @Override
  public boolean isToldOfValues() {
    return false; // an error is a reply like others
  }

  @Override
  public void partCompleted(Exchange part, String why) {
    open--;
    failures[part.part()] = why;
    decide();
  }

  private void decide() {
    if (sending) {
      return;
    }
    if (whole != null) {
      int member = chosen();
      if (again != null && member > 0 && tellsStates(member) && client.waitsFor(whole)) {
        askEarlier(member);
        return;
      }
      if (member != UNDECIDED) {
        answer(member);
      }
    }
    if (comparison != null && open == 0) {
      compare();
    }
    if (lags && open == 0) {
      lags = false;
      for (int i = 0; i < parts.length; i++) {
        drop(i);
      }
      client.lagsNoMore(this);
    }
  }

  @Override
  public boolean owesElsewhere(ServerConnection next) {
    for (Exchange part : parts) {
      if (part != null && !part.isComplete() && part.wasSentElsewhere(next)) {
        return true;
      }
    }
    return false;
  }

  private boolean isDone(int member) {
    return failures[member] != null || (parts[member] != null && parts[member].isComplete());
  }

  private boolean isGood(int member) {
    return failures[member] == null && isDone(member) && outcome(member) != Outcome.ERROR;
  }

  private Outcome outcome(int member) {
    return parts[member].outcome();
  }

  /** The member whose reply is the client's. */
  private int chosen() {
    if (spread.isShadow()) {
      return isDone(0) ? 0 : UNDECIDED;
    }
    int member = acknowledged ? changing() : inOrder ? deciding() : reading();
    boolean decided = member == UNDECIDED || !isGood(member) || again != null;
    return decided || !(tellsStates(member) || (acknowledged && inOrder)) ? member : deciding();
  }

  /** Whether a member has told a meta client that the item is stale, or of who is to write it. */
  private boolean tellsStates(int member) {
    return isGood(member)
        && parts[member].bridged() != null
        && parts[member].bridged().awaited().toldStates();
  }

  /** The first that was asked and has the item; not one behind another that has yet to say so. */
  private int deciding() {
    int miss = UNDECIDED;
    int failure = UNDECIDED;
    for (int i = 0; i < parts.length; i++) {
      if ((sent & 1 << i) == 0) {
        failure = failure == UNDECIDED && failures[i] != null ? i : failure;
      } else if (!isDone(i)) {
        return UNDECIDED;
      } else if (!isGood(i) || outcome(i) != Outcome.MISS) {
        return i;
      } else {
        miss = miss == UNDECIDED ? i : miss;
      }
    }
    return miss != UNDECIDED ? miss : failure;
  }

  // --- asking again ---------------------------------------------------------------------------

  /** One pool alone was asked, and one before it has to say who writes the item. */
  private void askEarlier(int member) {
    alone = member;
    open = 1;
    sending = true;
    inOrder = true;
    goOnLater();
  }

  private void goOnLater() {
    client.later(this::goOn);
  }

  private void goOn() {
    if (whole == null || waits) {
      return;
    }
    worker.loop().tick();
    Request asks = again;
    again = null;
    Server awaited = backend.sendAgain(sender, client, alone, asks, this);
    if (awaited != null) {
      again = asks;
      waits = true;
      waitingSince = worker.loop().now();
      awaited.await(this);
    }
  }

  @Override
  public void serverChanged() {
    waits = false;
    if (whole != null) {
      goOnLater();
    }
  }

  @Override
  public void serverTooLate(String reason) {
    waits = false;
    if (whole != null) {
      again = null;
      failed(0, reason);
      sent();
    }
  }

  @Override
  public long waitingSince() {
    return waitingSince;
  }

  // --- what is the client's -------------------------------------------------------------------

  /** The first hit; if there is none, a miss rather than a failure. */
  private int reading() {
    int miss = UNDECIDED;
    int failure = UNDECIDED;
    int done = 0;
    for (int i = 0; i < parts.length; i++) {
      if (isGood(i) && outcome(i) != Outcome.MISS) {
        return i;
      }
      if (isDone(i)) {
        done++;
        if (isGood(i)) {
          miss = miss == UNDECIDED ? i : miss;
        } else {
          failure = failure == UNDECIDED ? i : failure;
        }
      }
    }
    if (open > 0 || done < asked) {
      return UNDECIDED;
    }
    return miss != UNDECIDED ? miss : failure;
  }

  /**
   * As many as must have acknowledged; the answer is then that of the first that has, and of a read
   * that of the first that has the item.
   */
  private int changing() {
    int needed =
        switch (spread.acks()) {
          case ALL -> parts.length;
          case MAJORITY -> parts.length / 2 + 1;
          case ONE -> 1;
        };
    int good = 0;
    int bad = 0;
    int firstGood = UNDECIDED;
    int firstBad = UNDECIDED;
    for (int i = 0; i < parts.length; i++) {
      if (isGood(i)) {
        good++;
        boolean better = read && outcome(i) != Outcome.MISS;
        if (firstGood == UNDECIDED || (better && outcome(firstGood) == Outcome.MISS)) {
          firstGood = i;
        }
      } else if (isDone(i)) {
        bad++;
        firstBad = firstBad == UNDECIDED ? i : firstBad;
      }
    }
    if (good >= needed) {
      return spread.warms() && outcome(firstGood) == Outcome.MISS ? parts.length - 1 : firstGood;
    }
    // Not before all have answered: who gets an error may not do it again while some still do it.
    return bad > parts.length - needed && open == 0 ? firstBad : UNDECIDED;
  }

  private void answer(int member) {
    Exchange of = whole;
    whole = null;
    Exchange by = parts[member];
    Gathering gathering = of.gathering();
    ByteBuf failure = null;
    if (failures[member] != null) {
      of.outcome(Outcome.SERVER_DOWN);
      if (gathering == null && of.hides() != Exchange.HIDE_ALL) {
        failure = client.failureReply(of, failures[member]);
      }
    } else {
      of.outcome(by.outcome());
      if (comparison != null) {
        comparison.answered(by);
      }
      by.movePieces(of);
    }
    of.splitInto(null);
    if (comparison == null) {
      owes = true;
      client.owes(underWay); // of which some are settled in a moment
    }
    lags = comparison == null && changes && open > 0;
    for (int i = 0; i < parts.length; i++) {
      boolean awaited = comparison != null ? i > 0 : lags && !isDone(i);
      if (!awaited) {
        drop(i);
      }
    }
    if (lags) {
      client.lags(this);
    }
    if (gathering == null) {
      client.answer(of, failure);
    } else {
      give(of, gathering, failures[member]);
    }
  }

  /** What has come is a part of the reply to a read of many keys. */
  static void give(Exchange of, Gathering gathering, String failure) {
    if (failure == null && of.outcome() == Outcome.ERROR) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < of.pieceCount(); i++) {
        line.append(of.piece(i).toString(ISO_8859_1));
      }
      of.releasePieces();
      gathering.errorLine(of, line.toString().stripTrailing());
    } else if (failure == null && of.pieceCount() > 0) {
      gathering.value(of, 0, of.heldBytes());
    }
    of.complete();
    gathering.partCompleted(of, failure);
  }

  /** The reply of a member is nobody's. */
  private void drop(int member) {
    Exchange part = parts[member];
    parts[member] = null;
    if (part != null) {
      worker.exchanges().give(part);
    }
  }

  private void compare() {
    Exchange shadow = parts[1];
    if (shadow != null && failures[1] == null) {
      comparison.shadowAnswered(shadow);
    } else if (failures[1] != null) {
      comparison.failed();
    }
    drop(1);
  }

  @Override
  public boolean awaits(Exchange part) {
    return true; // any of them may be the one that counts
  }

  @Override
  public void cancel() {
    whole = null;
    lags = false;
    for (int i = 0; i < parts.length; i++) {
      drop(i);
    }
  }
}
