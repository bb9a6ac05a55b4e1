package sluice.gateway.dispatch.policy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.bridge.Operation;
import sluice.codecs.memcached.bridge.Request;
import sluice.gateway.dispatch.ClientSession;
import sluice.gateway.dispatch.RequestContext;
import sluice.gateway.dispatch.UnsettledChange;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.request.Aggregator;
import sluice.gateway.request.InFlightWatcher;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.Suppression;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.session.LoopState;
import sluice.names.Dialect;

/**
 * Aggregator of a request that was sent to several pools: it decides which of their replies is the
 * client's, and when. Replies are in the client's dialect already, and buffered as a whole.
 *
 * <p>A meta server tells one of several clients to write an item that is stale or missing. For all
 * clients of a rule, one pool decides this: the first that takes requests and has the item.
 */
final class Copies implements Aggregator, InFlightWatcher, UnsettledChange, EarlierMembers.Owner {
  private enum Phase {
    /** The request was not sent to all members yet. */
    SENDING,
    /** The request was sent to all members that get it. */
    ASKED,
    /** The client has its answer, while some members have not carried out the request. */
    LAGGING,
    /** The client has its answer, or is gone. */
    ANSWERED
  }

  /** Sender of a read to members that did not get it yet. */
  interface Owner {
    /**
     * Sends a read that went to one member only to the members before it.
     *
     * @param before the member
     * @param again the read; borrowed
     * @return null, or what must be waited for; then nothing was sent
     */
    EarlierMembers.@Nullable Wait sendAgain(
        RequestContext.Recycler contexts,
        ClientSession client,
        int before,
        Request again,
        Copies copies);
  }

  private final RequestContext.Recycler contexts;
  private final LoopState loopState;
  private final Owner backend;
  private final ClientSession client;
  private final CopyPolicy policy;
  private final boolean read;
  private final boolean changes;
  private final Shadows.@Nullable Comparison comparison; // null unless the second is a shadow
  private final MemberReplies replies;
  private final @Nullable EarlierMembers earlier; // null unless one member is asked alone
  // Notified of the request until all members have done it.
  private final @Nullable InFlightWatcher guard;
  private final long guarded;
  private Phase phase = Phase.SENDING;
  private @Nullable PendingReply whole; // null when it is answered
  private int underWay; // subrequests that no server has settled
  private boolean owes; // they have no reply any more, and count as the client's in flight
  private int kept; // bytes of heap of a request that other members may get

  /**
   * Copies of a request.
   *
   * @param context borrowed
   * @param whole the client's pending reply
   * @param again the request if only one member gets it first, else null; not borrowed
   */
  Copies(
      RequestContext context,
      Owner backend,
      CopyPolicy policy,
      PendingReply whole,
      @Nullable Request again) {
    Request request = context.request();
    this.contexts = context.contexts();
    this.loopState = context.sender().loopState();
    this.backend = backend;
    this.client = context.client();
    this.whole = whole;
    this.policy = policy;
    earlier = again == null ? null : new EarlierMembers(this, client, loopState.loop(), again);
    read = request.operation == Operation.GET;
    changes = !request.changesNothing();
    replies =
        new MemberReplies(
            loopState.requestPool(),
            policy,
            read,
            !read || request.timeToLive.isGiven,
            request.seeksWinner());
    boolean binary = context.dialect() == Dialect.BINARY;
    Shadows shadows = policy.shadows();
    comparison =
        shadows == null
            ? null
            : shadows.begin(whole.command(), binary, Shadows.isComparable(request));
    guard = whole.guard();
    guarded = whole.guarded();
    whole.splitInto(this);
    keeps(EarlierMembers.bytes(again));
  }

  private void keeps(int bytes) {
    if (bytes != kept) {
      loopState.loop().memory().addObjects(bytes - kept);
      kept = bytes;
    }
  }

  /** The pending reply of a member, which the caller sends. */
  PendingReply subrequest(int member) {
    PendingReply subrequest = loopState.requestPool().take();
    PendingReply of = whole();
    Shadows shadow = shadow(member);
    subrequest.start(
        shadow == null ? client : shadow.requester(),
        of.command(),
        of.kind(),
        of.suppression(),
        of.started());
    subrequest.binary(of.opcode(), of.opaque());
    subrequest.subrequestOf(this, member);
    subrequest.guard(this, member);
    replies.add(member, subrequest);
    return subrequest;
  }

  /** The request could not be sent to a member. */
  void failed(int member, String reason) {
    replies.failed(member, reason);
  }

  /** All subrequests have been sent. */
  void sent() {
    phase = phase == Phase.SENDING ? Phase.ASKED : phase;
    if (comparison == null && !read) {
      replies.failUnasked();
    }
    if (comparison != null && replies.subrequest(1) == null) {
      comparison.skipped();
    }
    decide();
  }

  /** A member gets the request: until its server has settled it, or is gone. */
  @Override
  public void begin(long member) {
    underWay++;
    Shadows shadow = shadow(member);
    if (shadow != null) {
      shadow.begins();
    } else if (guard != null) {
      guard.begin(guarded); // not for a shadow, on which no read may depend
    }
  }

  @Override
  public void end(long member) {
    underWay--;
    Shadows shadow = shadow(member);
    if (shadow != null) {
      shadow.ends();
      return;
    }
    if (guard != null) {
      guard.end(guarded);
    }
    if (owes) {
      client.owes(-1);
    }
  }

  /** The shadow that this member is; null for a member that the client may wait for. */
  private @Nullable Shadows shadow(long member) {
    return member > 0 ? policy.shadows() : null;
  }

  @Override
  public boolean isToldOfValues() {
    return false; // an error is a reply like others
  }

  @Override
  public void arrived(PendingReply subrequest) {
    int member = subrequest.subrequestNumber();
    if (comparison != null && shadow(member) != null && !comparison.shadowArrived(subrequest)) {
      replies.drop(member);
      comparison.skipped();
    }
  }

  @Override
  public void subrequestCompleted(PendingReply subrequest, @Nullable String why) {
    if (comparison != null && shadow(subrequest.subrequestNumber()) != null) {
      comparison.shadowArrived(subrequest); // what was not read in this form has not been reported
    }
    replies.completed(subrequest, why);
    decide();
  }

  private void decide() {
    if (phase == Phase.SENDING) {
      return;
    }
    if (phase == Phase.ASKED) {
      EarlierMembers unasked = earlier != null && earlier.areUnasked() ? earlier : null;
      int member = replies.chosen(unasked != null);
      if (unasked != null
          && member > 0
          && replies.tellsStates(member)
          && client.waitsFor(whole())) {
        ask(unasked, member);
        return;
      }
      if (member != MemberReplies.UNDECIDED) {
        answer(member);
      }
    }
    if (comparison != null && replies.areAllHere()) {
      compare(comparison);
    }
    if (phase == Phase.LAGGING && replies.areAllHere()) {
      phase = Phase.ANSWERED;
      replies.dropAll();
      client.lagsNoMore(this);
    }
  }

  @Override
  public boolean isChange() {
    return changes;
  }

  @Override
  public boolean owesElsewhere(ServerConnection next) {
    for (int i = 0; i < replies.count(); i++) {
      PendingReply subrequest = replies.subrequest(i);
      if (subrequest != null && !subrequest.isComplete() && subrequest.wasSentElsewhere(next)) {
        return true;
      }
    }
    return false;
  }

  // --- asking again ---------------------------------------------------------------------------

  /**
   * Sends the read to the members before the only one so far, which must decide which client writes
   * the item.
   */
  private void ask(EarlierMembers unasked, int member) {
    phase = Phase.SENDING;
    whole().askServers(loopState.loop().now());
    replies.decideInOrder();
    unasked.ask(member);
  }

  @Override
  public boolean isAnswered() {
    return whole == null;
  }

  @Override
  public EarlierMembers.@Nullable Wait sendAgain(int before, Request request) {
    return backend.sendAgain(contexts, client, before, request, this);
  }

  @Override
  public void cannotSendAgain(String reason) {
    failed(0, reason);
    sent();
  }

  @Override
  public void turn() {
    if (earlier != null) {
      earlier.turn();
    }
  }

  // --- what is the client's -------------------------------------------------------------------

  /** The client's pending reply, until it is answered. */
  @Override
  @SuppressWarnings("NullAway") // there while requests are sent, and until a reply is chosen
  public PendingReply whole() {
    return whole;
  }

  private void answer(int member) {
    PendingReply of = whole();
    whole = null;
    phase = Phase.ANSWERED;
    keeps(0);
    String reason = replies.failure(member);
    Aggregator aggregator = of.aggregator();
    ByteBuf failure = null;
    if (reason != null) {
      of.fails();
      if (aggregator == null && of.suppression() != Suppression.ALL) {
        failure = client.failureReply(of, reason);
      }
    } else {
      PendingReply by = replies.reply(member);
      of.outcome(by.outcome());
      if (comparison != null) {
        comparison.answered(by);
      }
      by.moveSlices(of);
    }
    of.splitInto(null);
    if (comparison == null) {
      owes = true;
      client.owes(underWay); // some of them are settled in a moment
    }
    boolean lags = comparison == null && changes && !replies.areAllHere();
    for (int i = 0; i < replies.count(); i++) {
      boolean awaited = comparison != null ? i > 0 : lags && !replies.isDone(i);
      if (!awaited) {
        replies.drop(i);
      }
    }
    if (lags) {
      phase = Phase.LAGGING;
      client.lags(this);
    }
    if (aggregator == null) {
      client.answer(of, failure);
    } else {
      give(of, aggregator, reason);
    }
  }

  /** Gives the buffered bytes to the reply of a read of many keys. */
  static void give(PendingReply of, Aggregator aggregator, @Nullable String failure) {
    if (failure == null && of.outcome() == Outcome.ERROR) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < of.sliceCount(); i++) {
        line.append(of.slice(i).toString(ISO_8859_1));
      }
      of.releaseSlices();
      aggregator.errorLine(of, line.toString().stripTrailing());
    } else if (failure == null && of.sliceCount() > 0) {
      aggregator.value(of, 0, of.heldBytes());
    }
    of.complete();
    aggregator.subrequestCompleted(of, failure);
  }

  private void compare(Shadows.Comparison with) {
    PendingReply shadow = replies.subrequest(1);
    if (replies.failure(1) != null) {
      with.failed();
    } else if (shadow != null) {
      with.shadowAnswered(shadow);
    }
    replies.drop(1);
  }

  @Override
  public boolean awaits(PendingReply subrequest) {
    return true; // any of them may be the one that counts
  }

  @Override
  public long progress() {
    return replies.progress();
  }

  @Override
  public void cancel() {
    whole = null;
    phase = Phase.ANSWERED;
    keeps(0);
    if (comparison == null && !owes) {
      owes = true;
      client.owes(underWay); // the read of many keys that it is a part of may have failed
    }
    replies.dropAll();
  }
}
