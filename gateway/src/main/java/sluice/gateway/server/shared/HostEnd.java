package sluice.gateway.server.shared;

import io.netty.buffer.ByteBuf;
import sluice.gateway.exchange.ServerRequest;
import sluice.gateway.loop.Loop;
import sluice.gateway.server.connection.ServerConnection;

/**
 * Host's end of a guest's pipe, on the loop that has the connection, whose thread it belongs to. It
 * requests complete replies unchanged, and hands them over when a read was processed.
 *
 * <p>The guest handles requests without a reply in time: for the host they are only late. A lost
 * connection is lost to both.
 */
public final class HostEnd implements ServerRequest.Relay, Parcel.End {
  /** Guest's end of the pipe, which is notified on the guest's loop. */
  interface Guest extends Parcel.End {
    /** Index of the loop that it belongs to. */
    int loopIndex();

    /** Whether it has paused reading; from any thread. */
    boolean isPaused();

    /** It should use another connection, from its next request on. */
    void dismissed();

    /** The connection has closed for a reason. */
    void ended(String reason);
  }

  /** Set of all guests of the connection. */
  interface Owner {
    /** The given number of requests at the end of the queue belong to one of them. */
    void asked(int requests);

    /** One of them has unread bytes. */
    void fallsBehind();

    /** It has read enough of them. */
    void catchesUp();

    /** An event loop stops using the connection: replies to its requests are dropped. */
    void leaves(HostEnd end);
  }

  /** Bytes read from which on the host is notified without waiting for a batch. */
  static final int TELL_FROM = 64 * 1024;

  /** The least limit of unread bytes for a paused guest. */
  private static final int LEAST_UNREAD = 2 * TELL_FROM;

  /** The most unread bytes of a guest that is about to read. */
  private static final int MOST_UNREAD = 1024 * 1024;

  private final ServerConnection connection;
  private final Owner guests;
  private final Guest guest;
  private final Sharing sharing;
  private final Loop loop;
  private final int firstOpaque;

  private Parcel outgoing; // null: nothing to hand over
  private long unread;
  private int written; // bytes of the guest's requests that were not reported to it yet
  private boolean congested;
  private boolean behind;
  private boolean kept;
  private boolean dismissed;
  private boolean closed;
  private volatile boolean paused;
  private volatile long pausedNanos;

  HostEnd(
      ServerConnection connection, Owner guests, Guest guest, Sharing sharing, int firstOpaque) {
    this.connection = connection;
    this.guests = guests;
    this.guest = guest;
    this.sharing = sharing;
    this.loop = connection.server().context().loop();
    this.firstOpaque = firstOpaque;
  }

  int firstOpaque() {
    return firstOpaque;
  }

  boolean isPaused() {
    return paused;
  }

  long pausedNanos() {
    return pausedNanos;
  }

  /** The connection was paused or resumed; total is the sum of all pauses. */
  void paused(boolean now, long total) {
    pausedNanos = total;
    paused = now;
  }

  // --- requests -------------------------------------------------------------------------------

  @Override
  public void arrived(Parcel parcel) {
    loop.buffered(-parcel.bytes());
    if (closed || !connection.isOpen()) {
      for (int i = 0; i < parcel.requests(); i++) {
        connection.server().context().exchanges().give(parcel.request(i));
      }
      sharing.give(parcel);
      return;
    }
    unread -= parcel.taken();
    for (int i = 0; i < parcel.requests(); i++) {
      ServerRequest request = parcel.request(i);
      request.relayTo(this);
      connection.expect(request);
    }
    guests.asked(parcel.requests());
    written += parcel.bytes();
    while (!parcel.slices().isEmpty()) {
      connection.write(parcel.slices().removeFirst());
    }
    sharing.give(parcel);
    if (!closed) { // a socket that breaks during a write closes everything
      resumeIfRead();
      tellIfTaken();
    }
  }

  @Override
  public void broken() {
    connection.fail(Parcel.BROKEN);
  }

  /** The socket takes bytes: so may the guest send. */
  void tellIfTaken() {
    if (written >= TELL_FROM && connection.channel().isWritable()) {
      outgoing();
      handOver();
    }
  }

  // --- replies --------------------------------------------------------------------------------

  private Parcel outgoing() {
    if (outgoing == null) {
      outgoing = sharing.parcel().to(guest);
    }
    return outgoing;
  }

  @Override
  public void reply(ByteBuf bytes) {
    try {
      reply(bytes, bytes.readerIndex(), bytes.readableBytes());
    } finally {
      bytes.release();
    }
  }

  @Override
  public void reply(ByteBuf source, int from, int length) {
    outgoing().add(loop, source, from, length);
    loop.buffered(length);
    unread += length;
    if (unread > MOST_UNREAD && !behind) {
      behind = true;
      guests.fallsBehind();
    }
  }

  @Override
  public void completed(ServerRequest request) {
    outgoing().add(request); // it belongs to the guest again
  }

  /** A read was processed: its replies leave. */
  void handOver() {
    if (outgoing == null) {
      return;
    }
    Parcel parcel = outgoing;
    outgoing = null;
    if (connection.isOpen() && connection.channel().isWritable()) {
      parcel.taken(written);
      written = 0;
    }
    sharing.send(guest.loopIndex(), parcel);
  }

  // --- back-pressure ----------------------------------------------------------------------------

  @Override
  public boolean isCongested(boolean next) {
    return unread > LEAST_UNREAD && (guest.isPaused() || loop.memory().isTight());
  }

  @Override
  public boolean congests(Resumable server) {
    if (congested) {
      return false;
    }
    congested = true;
    return true;
  }

  @Override
  public boolean holdsUp(Resumable server) {
    return congested;
  }

  /** The guest has read more, or there is more memory. */
  void resumeIfRead() {
    if (behind && (closed || unread < MOST_UNREAD / 2)) {
      behind = false;
      guests.catchesUp();
    }
    if (congested && (closed || !isCongested(true))) {
      congested = false;
      connection.replies().resumed();
    }
  }

  // --- the end ----------------------------------------------------------------------------------

  /** The guest should use another connection, from its next request on. */
  void dismiss() {
    if (!dismissed) { // it does not come back
      dismissed = true;
      sharing.send(guest.loopIndex(), guest::dismissed);
    }
  }

  /** The guest has the connection for good. */
  void keep() {
    kept = true;
    if (!closed) {
      connection.server().detach(connection);
    }
  }

  /** The connection has closed. */
  void end(String reason) {
    closed = true;
    handOver();
    sharing.send(guest.loopIndex(), () -> guest.ended(reason));
  }

  /**
   * The guest does not need the connection any more.
   *
   * @param clean whether it has sent complete requests, and has all replies
   * @param poison reason why the connection must not be used; or null
   */
  void guestLeft(boolean clean, String poison) {
    if (closed) {
      return;
    }
    closed = true;
    if (outgoing != null) {
      loop.buffered(-outgoing.bytes());
      sharing.give(outgoing);
      outgoing = null;
    }
    guests.leaves(this);
    resumeIfRead();
    if (poison != null) {
      connection.fail(poison);
    } else if (connection.isToLend()) {
      if (clean && !kept) {
        connection.server().giveBack(connection);
      } else {
        connection.failForClient(kept ? "done" : "the client that it was lent to is gone");
      }
    } else {
      connection.closeIfDone();
    }
  }
}
