package sluice.gateway.client;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.gateway.client.replies.Overdue;
import sluice.gateway.listener.ListenerView;
import sluice.gateway.loop.Loop;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.RingQueue;
import sluice.gateway.session.LoopState;

/**
 * Watch over the pending reply that is next in order at one client: it fails a reply that has made
 * no progress for longer than all possible waits. That is an internal error, which costs the client
 * this reply only.
 */
final class ReplyWatch {
  private static final Logger LOG = LoggerFactory.getLogger(ReplyWatch.class);

  private final ClientControl control;
  private final LoopState loopState;
  private final Loop loop;
  private final ListenerView listenerView;
  private final RingQueue<PendingReply> ring;
  private final ReplyOrder replies;
  private final ExclusiveRequest exclusiveRequest;
  private final Overdue overdue = new Overdue();

  ReplyWatch(
      ClientControl control, LoopState loopState, ListenerView listenerView, ClientParts parts) {
    this.control = control;
    this.loopState = loopState;
    this.listenerView = listenerView;
    loop = loopState.loop();
    ring = parts.ring();
    replies = parts.replies();
    exclusiveRequest = parts.exclusiveRequest();
  }

  /**
   * Called a few times a second.
   *
   * @param bytesWritten to the client since it connected
   */
  void sweep(long bytesWritten) {
    PendingReply first = ring.peek();
    boolean waits =
        first != null
            && !first.isComplete()
            && !(first.kind() == ReplyKind.STREAM && first.isCommitted())
            && exclusiveRequest.remaining() == 0
            && !exclusiveRequest.sends()
            && control.pendingBytes() == 0;
    PendingReply waiting = waits ? first : null;
    long progress = bytesWritten + (waiting == null ? 0 : waiting.progress());
    if (overdue.look(waiting, progress, loop.now())
        && waiting != null
        && overdue.lastsFor(loopState.standstillNanos(), loop.now())) {
      fail(waiting);
    }
  }

  private void fail(PendingReply reply) {
    loop.metrics().requestOverdue();
    LOG.error(
        "listener {}: a {} request was neither answered nor failed in time, because of an"
            + " internal error",
        listenerView.name(),
        reply.command().label());
    if (reply.isCommitted()) {
      replies.abandon("the end of the reply is missing");
      return;
    }
    if (reply.subrequests() != null) {
      reply.subrequests().cancel();
      reply.splitInto(null);
    }
    reply.detach();
    reply.releaseSlices();
    String reason = "the request was not answered in time";
    if (exclusiveRequest.isWaiting()) {
      exclusiveRequest.refused(reason); // a connection that comes later is not for it
    } else {
      replies.fail(reply, reason);
    }
  }
}
