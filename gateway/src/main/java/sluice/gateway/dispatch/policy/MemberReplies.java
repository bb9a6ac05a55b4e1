package sluice.gateway.dispatch.policy;

import org.jspecify.annotations.Nullable;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.RequestPool;

/**
 * Replies of the pools that one request was copied to, one for each member, buffered as a whole. It
 * decides which of them is the client's. Belongs to one event loop.
 */
final class MemberReplies {
  /** No member's reply is the client's yet. */
  static final int UNDECIDED = -1;

  private final RequestPool requestPool;
  private final CopyPolicy policy;
  private final boolean read;
  private final boolean acknowledged; // by as many as the rule requires
  private final @Nullable PendingReply[] subrequests;
  private final @Nullable String[] failures;
  private boolean inOrder; // one pool decides, the first that can
  private int asked; // number of members
  private int open; // number of those without a reply
  private int sent; // bit set of members

  /**
   * Replies of members, before any request was sent.
   *
   * @param read whether the request is a read
   * @param changes whether it changes items; true for a read that sets their time to live
   * @param inOrder whether the first member that has the item decides
   */
  MemberReplies(
      RequestPool requestPool, CopyPolicy policy, boolean read, boolean changes, boolean inOrder) {
    this.requestPool = requestPool;
    this.policy = policy;
    this.read = read;
    this.acknowledged = changes;
    this.inOrder = inOrder;
    subrequests = new PendingReply[policy.members().length];
    failures = new String[subrequests.length];
  }

  // --- what members are asked and answer ------------------------------------------------------

  /** A member gets the request, as subrequest. */
  void add(int member, PendingReply subrequest) {
    subrequests[member] = subrequest;
    sent |= 1 << member;
    asked++;
    open++;
  }

  /** The request could not be sent to a member. */
  void failed(int member, String reason) {
    failures[member] = reason;
    asked++;
  }

  /** Fails the members that neither got the request nor failed. */
  void failUnasked() {
    for (int i = 0; i < subrequests.length; i++) {
      if (subrequests[i] == null && failures[i] == null) {
        failures[i] = "pool " + policy.members()[i].pool().name() + " got no request";
      }
    }
  }

  /** A member has answered; why is the reason if it has not. */
  void completed(PendingReply subrequest, @Nullable String why) {
    open--;
    failures[subrequest.subrequestNumber()] = why;
  }

  int count() {
    return subrequests.length;
  }

  /** Number that changes with every progress of the subrequests. */
  long progress() {
    long progress = 0;
    for (PendingReply subrequest : subrequests) {
      progress += subrequest == null ? 0 : subrequest.progress();
    }
    return progress;
  }

  /** The subrequest that a member got; null if there is none, or it was dropped. */
  @Nullable PendingReply subrequest(int member) {
    return subrequests[member];
  }

  /** The subrequest of a member that has answered. */
  PendingReply reply(int member) {
    return subrequests[member];
  }

  /** The reason why a member has no reply; null if it has one, or may still. */
  @Nullable String failure(int member) {
    return failures[member];
  }

  /** Whether all members that got the request have answered. */
  boolean areAllHere() {
    return open == 0;
  }

  boolean isDone(int member) {
    return failures[member] != null
        || (subrequests[member] != null && subrequests[member].isComplete());
  }

  private boolean isGood(int member) {
    return failures[member] == null && isDone(member) && outcome(member) != Outcome.ERROR;
  }

  private Outcome outcome(int member) {
    return subrequests[member].outcome();
  }

  /** Drops the reply of a member. */
  void drop(int member) {
    PendingReply subrequest = subrequests[member];
    subrequests[member] = null;
    if (subrequest != null) {
      requestPool.give(subrequest);
    }
  }

  void dropAll() {
    for (int i = 0; i < subrequests.length; i++) {
      drop(i);
    }
  }

  // --- which is the client's ------------------------------------------------------------------

  /** From now on the first member that has the item decides. */
  void decideInOrder() {
    inOrder = true;
  }

  /**
   * The member whose reply is the client's, or {@link #UNDECIDED}.
   *
   * @param mayAskOthers whether only one member got the request, and others can get it later
   */
  int chosen(boolean mayAskOthers) {
    if (policy.isShadow()) {
      return isDone(0) ? 0 : UNDECIDED;
    }
    int member = acknowledged ? changing() : inOrder ? deciding() : reading();
    boolean decided = member == UNDECIDED || !isGood(member) || mayAskOthers;
    return decided || !(tellsStates(member) || (acknowledged && inOrder)) ? member : deciding();
  }

  /** Whether a member told a meta client that the item is stale, or which client is to write it. */
  boolean tellsStates(int member) {
    return isGood(member)
        && subrequests[member].bridged() != null
        && subrequests[member].bridged().awaited().toldStates();
  }

  /**
   * The first member that got the request and has the item, unless an earlier member has not
   * answered yet.
   */
  private int deciding() {
    int miss = UNDECIDED;
    int failure = UNDECIDED;
    for (int i = 0; i < subrequests.length; i++) {
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

  /** The first hit; without one, a miss rather than a failure. */
  private int reading() {
    int miss = UNDECIDED;
    int failure = UNDECIDED;
    int done = 0;
    for (int i = 0; i < subrequests.length; i++) {
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
   * Once enough members have acknowledged: the first that has, or for a read the first that has the
   * item.
   */
  private int changing() {
    @SuppressWarnings("NullAway") // only a shadow has none, and is not counted
    int needed =
        switch (policy.acks()) {
          case ALL -> subrequests.length;
          case MAJORITY -> subrequests.length / 2 + 1;
          case ONE -> 1;
        };
    int good = 0;
    int bad = 0;
    int firstGood = UNDECIDED;
    int firstBad = UNDECIDED;
    for (int i = 0; i < subrequests.length; i++) {
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
      return policy.fillsOnMiss() && outcome(firstGood) == Outcome.MISS
          ? subrequests.length - 1
          : firstGood;
    }
    // Not before all have answered: a client that gets an error may repeat the request, while other
    // servers still execute it.
    return bad > subrequests.length - needed && open == 0 ? firstBad : UNDECIDED;
  }
}
