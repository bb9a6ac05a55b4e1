package sluice.gateway.client;

import sluice.gateway.client.input.ClientInput;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.RingQueue;
import sluice.gateway.session.ClosedClientInput;

/**
 * Requests of one client that are not finished, from bytes that were read to replies that were not
 * written: what is left of them when the client leaves, and how they end.
 */
final class UnfinishedRequests {
  private final ClientControl control;
  private final ClosedClientInput closedClientInput;
  private final RingQueue<PendingReply> ring;
  private final ClientInput input;
  private final DialectReader reader;
  private final BackPressure pressure;
  private final ReplyOrder replies;
  private final GatheredValue gathered;
  private final GatheredLine line;
  private final ExclusiveRequest exclusiveRequest;
  private final ServerAccess access;

  UnfinishedRequests(
      ClientControl control,
      ClosedClientInput closedClientInput,
      ClientParts parts,
      DialectReader reader) {
    this.control = control;
    this.closedClientInput = closedClientInput;
    this.reader = reader;
    ring = parts.ring();
    input = parts.input();
    pressure = parts.pressure();
    replies = parts.replies();
    gathered = parts.gathered();
    line = parts.line();
    exclusiveRequest = parts.exclusiveRequest();
    access = parts.access();
  }

  // --- what is left ---------------------------------------------------------------------------

  /** Whether all requests that were read are answered. */
  boolean areAnswered() {
    return ring.isEmpty();
  }

  /** Whether all complete requests were read, and are on their way or answered. */
  boolean areRead() {
    return input.isEmpty() && !reader.hasUnsent();
  }

  /** Whether part of a request has been read. */
  boolean haveBegun() {
    return !input.isEmpty() || !reader.isBetweenRequests();
  }

  /**
   * Whether no part of a request is kept outside of the input, and none is still arriving: the line
   * of a value that is streamed is done long before the value.
   */
  boolean areUncut() {
    return reader.isBetweenRequests() && !areInsideValue();
  }

  /** Whether the client is sending a value that is streamed. */
  boolean areInsideValue() {
    return exclusiveRequest.remaining() > 0;
  }

  /** Whether the client is sending a value that is streamed or gathered. */
  boolean areSendingValue() {
    return areInsideValue() || gathered.slices().isReserved();
  }

  /** Whether too little of that value has arrived for this long. */
  boolean valueStandsStillFor(long nanos) {
    return exclusiveRequest.standsStillFor(nanos) || gathered.standsStillFor(nanos);
  }

  /** Whether the client gets a server's log lines, until one of the two closes. */
  boolean onlyListen() {
    PendingReply first = ring.peek();
    return first != null && first.kind() == ReplyKind.STREAM;
  }

  /** Whether the first of those lines were written. */
  boolean areStreamed() {
    PendingReply first = ring.peek();
    return first != null && first.kind() == ReplyKind.STREAM && first.isCommitted();
  }

  /** Whether the client waits for the gateway. */
  boolean areAwaited() {
    return (!areAnswered() || control.isPausedFor(ClientControl.WINDOW)) && !areInsideValue();
  }

  /** Whether the client is paused for something other than its own reading of replies. */
  boolean arePaused() {
    return control.isPausedFor(
        ClientControl.SERVER
            | ClientControl.MEMORY
            | ClientControl.VALUE_MEMORY
            | ClientControl.EXCLUSIVE
            | ClientControl.NEAR
            | ClientControl.TURN);
  }

  /** Whether a complete request is not with its servers yet. */
  boolean oweServers() {
    if (onlyListen()) {
      return false;
    }
    if (!control.isPausedFor(ClientControl.ENDING) && !areRead()) {
      return true;
    }
    return (exclusiveRequest.isActive() && !areInsideValue()) || replies.stepsLeft() > 0;
  }

  /** Number of requests that servers have not got, or not got all of. */
  int count() {
    boolean unread = !control.isPausedFor(ClientControl.ENDING) && !areRead();
    return replies.stepsLeft() + (unread ? 1 : 0);
  }

  // --- how they end ---------------------------------------------------------------------------

  /** No more requests are taken, and the client leaves when the earlier ones are answered. */
  void end() {
    replies.end();
  }

  /** The value that is being streamed will not be complete: no server waits for it. */
  void endValue() {
    exclusiveRequest.closed();
  }

  /** Once the socket is closed, no reply waits behind an incomplete one. */
  void endAbandoned() {
    replies.endAbandoned();
  }

  // --- of a client that is gone -----------------------------------------------------------------

  /** Whether there is memory for the unprocessed bytes until they are processed. */
  boolean haveMemory() {
    return input.held() <= MemoryWait.LEAST_SHARE || closedClientInput.hasMemoryFor(input.held());
  }

  /** The client is gone: its unprocessed bytes count among those of closed clients. */
  void keepInput() {
    closedClientInput.add(input.held());
  }

  /** No request waits for memory, nor a reply behind an incomplete one. */
  void endWaits() {
    endValueWait();
    line.endWaiting();
    endAbandoned();
  }

  /** The count of the kept bytes has changed; more may be negative. */
  void keptMore(long more) {
    closedClientInput.add(more);
    if (gathered.isWaiting()) {
      endValueWait();
      control.processLater();
    }
  }

  /** A value that waits for memory is among the bytes that are held, or never will be. */
  private void endValueWait() {
    if (gathered.isWaiting() && !gathered.endsWith(input.held())) {
      long dropped = input.release();
      control.hold(-dropped);
      closedClientInput.add(-dropped);
    }
  }

  /** The kept bytes are no longer kept. */
  void dropKept() {
    closedClientInput.add(-input.held());
  }

  /** Drops everything. */
  void discard() {
    control.hold(-input.release());
    gathered.end();
    line.end();
    reader.release();
    exclusiveRequest.closed();
    replies.discard();
    access.order().cancel();
    pressure.releaseServers();
  }
}
