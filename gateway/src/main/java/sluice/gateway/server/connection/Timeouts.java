package sluice.gateway.server.connection;

import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.DropReason;
import sluice.gateway.request.PendingReply.Requester;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.RingQueue;
import sluice.gateway.request.ServerRequest;
import sluice.gateway.server.protocol.ServerContext;

/** Timeouts of one connection: answers requests that the server has not answered in time. */
final class Timeouts {
  /** Watched connection. */
  interface Watched {
    /** Whether an acquirer has kept it, so that it is closed after the acquirer's reply. */
    boolean isDetached();

    /** Whether the first reply has begun and is incomplete. */
    boolean isInsideReply();

    /** Whether it is paused because of a client that does not take replies. */
    boolean isFull();

    /** Whether it is paused because of this client. */
    boolean isHeldUpBy(Requester client);

    /** Accepts no new requests until the late replies have come; others use another connection. */
    void standAside();

    /** Closes for a reason that affects the server's health. */
    void fail(String reason);

    /** Closes for a reason that does not affect the server's health. */
    void failForClient(String reason);
  }

  private final Watched connection;
  private final RingQueue<ServerRequest> queue;
  private final ReadPauses pauses;
  private final ServerContext server;
  private final Loop loop;

  /** Timeouts of connection, whose requests are in queue. */
  Timeouts(
      Watched connection, ServerContext server, RingQueue<ServerRequest> queue, ReadPauses pauses) {
    this.connection = connection;
    this.queue = queue;
    this.pauses = pauses;
    this.server = server;
    this.loop = server.loop();
  }

  /** Whether a reply is overdue whose requester was answered already. */
  boolean isOwedLateReply() {
    ServerRequest first = queue.peek();
    return first != null && first.reply() == null && isOverdue(first, 1);
  }

  private boolean isOverdue(ServerRequest request, int times) {
    return pauses.waited(request) > times * server.timeoutNanos();
  }

  /**
   * Whether the server has sent nothing for a whole timeout. A server that does send is not to
   * blame for a request that times out: the request waits behind large replies of other clients.
   */
  private boolean isSilent() {
    return pauses.silent() > server.timeoutNanos();
  }

  /** Called every few milliseconds, while requests are in flight. */
  void sweep() {
    if (pauses.isHeldUp()) {
      timeOutOthers();
      return;
    }
    ServerRequest first = queue.get(0);
    if (first.kind() == ReplyKind.STREAM && hasBegun(first)) {
      return;
    }
    if (connection.isInsideReply() && isSilent()) {
      String reason = "server " + server.name() + " stopped in the middle of a reply";
      if (connection.isDetached()) {
        connection.failForClient(reason); // it asked for a reply whose end is not known
      } else {
        connection.fail(reason);
      }
      return;
    }
    // the request whose reply has begun is being served
    int waiting = connection.isInsideReply() ? 1 : 0;
    if (waiting == 1 && isOverdue(first, 2) && areAllDropped() && !owesChanges(1)) {
      // Its guard, and those of the requests behind it, would wait for as long as bytes come.
      drop(1, "server " + server.name() + " did not end a reply in time");
      return;
    }
    if (waiting == queue.size() || !isOverdue(queue.get(waiting), 1)) {
      return;
    }
    if (waiting == 0 && isOverdue(first, 2) && (isSilent() || !owesChanges(0))) {
      String reason = server.didNotAnswer();
      if (isSilent()) {
        connection.fail(reason);
      } else {
        drop(0, reason); // requests of clients that are gone fail with it
      }
      return;
    }
    connection.standAside();
    for (int i = waiting; i < queue.size(); i++) {
      ServerRequest request = queue.get(i);
      if (!isOverdue(request, 1)) {
        break;
      }
      if (request.relay() != null) {
        continue; // its own loop answers it
      }
      if (request.reply() != null) {
        // a command that has the connection for itself may be one that the server does not know
        boolean isFailure = isSilent() && !connection.isDetached();
        timeOut(request, isFailure);
      } else if (!request.hasTimedOut()) {
        // A copy that is not needed any more, or its client is gone.
        server.reports().timedOut(request, isSilent());
      }
    }
  }

  private void timeOut(ServerRequest request, boolean isFailure) {
    request.answered(loop.now(), pauses.untilNow()); // so long it was with the server
    Unanswered.timeOut(request, server.name(), server.reports(), isFailure);
  }

  private boolean areAllDropped() {
    for (int i = 0; i < queue.size(); i++) {
      if (queue.get(i).isAwaited()) {
        return false;
      }
    }
    return true;
  }

  /**
   * Whether the server, which is busy, is still to carry out changes of clients that are gone. On
   * another event loop's changes that loop decides, and leaves when it waits no longer.
   *
   * @param from place in the queue of the first request that it has not begun to answer
   */
  private boolean owesChanges(int from) {
    for (int i = from; i < queue.size(); i++) {
      ServerRequest request = queue.get(i);
      boolean isOwed = request.isLeftBehind() || request.isRelayedChange();
      if (isOwed && loop.now() - request.started() < ServerRequest.LEFT_BEHIND_NANOS) {
        return true;
      }
    }
    return false;
  }

  /** Closes although the server is busy: what it has not begun to answer is not carried out. */
  private void drop(int from, String reason) {
    int dropped = 0;
    for (int i = from; i < queue.size(); i++) {
      ServerRequest request = queue.get(i);
      if (request.isLeftBehind()) { // another loop counts its own
        dropped++;
      }
    }
    loop.metrics().requestsDropped(DropReason.TIMEOUT, dropped);
    connection.failForClient(reason);
  }

  /** Whether the client has the OK that precedes the log lines, or is gone. */
  private static boolean hasBegun(ServerRequest stream) {
    return stream.reply() == null || stream.reply().isCommitted();
  }

  /**
   * While paused, time does not count against the server. But a client that is not the reason for
   * the pause, or for one after the other, waits no longer than twice the timeout.
   *
   * <p>If only the owner of a sharer is paused, the client that it waits for may be this one, which
   * has begun to read again. It has twice that time: the owner may pause again and again.
   */
  private void timeOutOthers() {
    for (int i = connection.isInsideReply() ? 1 : 0; i < queue.size(); i++) {
      ServerRequest request = queue.get(i);
      long age = loop.now() - request.started();
      boolean waits =
          connection.isFull()
              ? age <= 2 * server.timeoutNanos()
              : !isOverdue(request, 2) && age <= 4 * server.timeoutNanos();
      if (waits) {
        break;
      }
      if (request.reply() != null && !connection.isHeldUpBy(request.reply().requester())) {
        timeOut(request, false);
      }
    }
  }
}
