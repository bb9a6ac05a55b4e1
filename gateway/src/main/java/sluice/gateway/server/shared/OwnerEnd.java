package sluice.gateway.server.shared;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.ServerVersion;
import sluice.gateway.loop.Loop;
import sluice.gateway.request.ServerRequest;
import sluice.gateway.server.connection.ServerConnection;

/**
 * Owner's end of a sharer's pipe, on the loop that has the connection, whose thread it belongs to.
 * It requests complete replies unchanged, and hands them over when a read was processed.
 *
 * <p>The sharer handles requests without a reply in time: for the owner they are only late. A lost
 * connection is lost to both.
 */
public final class OwnerEnd implements ServerRequest.Relay, PipeBatch.End {
  /** Sharer's end of the pipe, which is notified on the sharer's loop. */
  interface Sharer extends PipeBatch.End {
    /** Index of the loop that it belongs to. */
    int loopIndex();

    /** Whether it has paused reading for a client that takes no replies; from any thread. */
    boolean isPaused();

    /** It should use another connection, from its next request on. */
    void dismissed();

    /** The connection has closed for a reason. */
    void ended(String reason);
  }

  /** Set of all sharers of the connection. */
  interface Owner {
    /** The given number of requests at the end of the queue belong to one of them. */
    void asked(int requests);

    /** One of them has unread bytes. */
    void fallsBehind();

    /** It has read enough of them. */
    void catchesUp();

    /** An event loop stops using the connection: replies to its requests are dropped. */
    void leaves(OwnerEnd end);
  }

  /** Bytes read from which on the owner is notified without waiting for a batch. */
  static final int TELL_FROM = 64 * 1024;

  /** Unread bytes from which on small parts of large buffers are copied, so as not to keep them. */
  private static final int COPY_FROM = 16 * 1024;

  /** The least limit of unread bytes for a paused sharer. */
  private static final int LEAST_UNREAD = 2 * TELL_FROM;

  /** The most unread bytes of a sharer that is about to read. */
  private static final int MOST_UNREAD = 1024 * 1024;

  private final ServerConnection connection;
  private final Owner sharers;
  private final Sharer sharer;
  private final LoopMailboxes mailboxes;
  private final Loop loop;
  private final int firstOpaque;
  private final ServerVersion version;
  private final long heardAt;

  private @Nullable PipeBatch outgoing; // null: nothing to hand over
  private long unread;
  private int written; // bytes of the sharer's requests that were not reported to it yet
  private boolean full;
  private boolean behind;
  private boolean kept;
  private boolean dismissed;
  private boolean closed;
  private volatile boolean paused;
  private volatile long pausedNanos;
  private volatile long lastHeardAt;

  OwnerEnd(
      ServerConnection connection,
      Owner sharers,
      Sharer sharer,
      LoopMailboxes mailboxes,
      int firstOpaque) {
    this.connection = connection;
    this.sharers = sharers;
    this.sharer = sharer;
    this.mailboxes = mailboxes;
    this.loop = connection.server().context().loop();
    this.firstOpaque = firstOpaque;
    version = connection.version();
    heardAt = connection.replies().pauses().heardAt();
    lastHeardAt = heardAt;
  }

  int firstOpaque() {
    return firstOpaque;
  }

  /** The version that the server has reported on this connection. */
  ServerVersion version() {
    return version;
  }

  /** When the server had been heard last, as the pipe was opened. */
  long heardAt() {
    return heardAt;
  }

  /** When the server was heard last, a few milliseconds ago. */
  long lastHeardAt() {
    return lastHeardAt;
  }

  /** The server was heard. */
  void heard(long when) {
    if (lastHeardAt != when) {
      lastHeardAt = when;
    }
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
  public void arrived(PipeBatch batch) {
    loop.buffered(-batch.bytes());
    if (closed || !connection.isOpen()) {
      release(batch);
      return;
    }
    unread -= batch.taken();
    for (int i = 0; i < batch.requests(); i++) {
      ServerRequest request = batch.request(i);
      request.relayTo(this);
      connection.expect(request);
    }
    sharers.asked(batch.requests());
    written += batch.bytes();
    while (!batch.slices().isEmpty()) {
      connection.write(batch.slices().removeFirst());
    }
    mailboxes.give(batch);
    if (!closed) { // a socket that breaks during a write closes everything
      resumeIfRead();
      tellIfTaken();
    }
  }

  /** Releases a batch that nothing reads: its requests end here. */
  private void release(PipeBatch batch) {
    for (int i = 0; i < batch.requests(); i++) {
      connection.server().context().requestPool().give(batch.request(i));
    }
    mailboxes.give(batch);
  }

  @Override
  public void broken() {
    connection.fail(PipeBatch.BROKEN);
  }

  /** The socket takes bytes: so may the sharer send. */
  void tellIfTaken() {
    if (written >= TELL_FROM && connection.channel().isWritable()) {
      outgoing();
      handOver();
    }
  }

  // --- replies --------------------------------------------------------------------------------

  private PipeBatch outgoing() {
    if (outgoing == null) {
      outgoing = mailboxes.batch().to(sharer);
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
    outgoing().add(loop, source, from, length, unread > COPY_FROM);
    unread += length;
    if (unread > MOST_UNREAD && !behind) {
      behind = true;
      sharers.fallsBehind();
    }
  }

  @Override
  public void completed(ServerRequest request) {
    outgoing().add(request); // it belongs to the sharer again
  }

  /** A read was processed: its replies leave. */
  void handOver() {
    if (outgoing == null) {
      return;
    }
    PipeBatch batch = outgoing;
    outgoing = null;
    if (connection.isOpen() && connection.channel().isWritable()) {
      batch.taken(written);
      written = 0;
    }
    mailboxes.send(sharer.loopIndex(), batch);
  }

  // --- back-pressure ----------------------------------------------------------------------------

  @Override
  public boolean isFull(boolean next) {
    return unread > LEAST_UNREAD && (sharer.isPaused() || loop.memory().isTight());
  }

  @Override
  public boolean pauses(Resumable server) {
    if (full) {
      return false;
    }
    full = true;
    return true;
  }

  @Override
  public boolean holdsUp(Resumable server) {
    return full;
  }

  /** The sharer has read more, or there is more memory. */
  void resumeIfRead() {
    if (behind && (closed || unread < MOST_UNREAD / 2)) {
      behind = false;
      sharers.catchesUp();
    }
    if (full && (closed || !isFull(true))) {
      full = false;
      connection.replies().resumed();
    }
  }

  // --- the end ----------------------------------------------------------------------------------

  /** The sharer should use another connection, from its next request on. */
  void dismiss() {
    if (!dismissed) { // it does not come back
      dismissed = true;
      mailboxes.send(sharer.loopIndex(), sharer::dismissed);
    }
  }

  /** The sharer has the connection for good. */
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
    mailboxes.send(sharer.loopIndex(), () -> sharer.ended(reason));
  }

  /**
   * The sharer does not need the connection any more.
   *
   * @param clean whether it has sent complete requests, and has all replies
   * @param poison reason why the connection must not be used; or null
   */
  void sharerLeft(boolean clean, @Nullable String poison) {
    if (closed) {
      return;
    }
    closed = true;
    if (outgoing != null) {
      loop.buffered(-outgoing.bytes());
      release(outgoing);
      outgoing = null;
    }
    sharers.leaves(this);
    resumeIfRead();
    if (poison != null) {
      connection.fail(poison);
    } else if (connection.isExclusive()) {
      if (!clean || kept) {
        connection.failForClient(kept ? "done" : "its client has disconnected");
      } else {
        connection.server().release(connection);
      }
    } else {
      connection.closeIfDone();
    }
  }
}
