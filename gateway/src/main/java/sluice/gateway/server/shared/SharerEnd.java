package sluice.gateway.server.shared;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.ServerVersion;
import sluice.gateway.loop.Loop;
import sluice.gateway.request.RequestPool;
import sluice.gateway.request.RingQueue;
import sluice.gateway.request.ServerRequest;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.server.connection.ServerTransport;
import sluice.gateway.server.protocol.ServerContext;

/**
 * Sharer's end of a pipe between two event loops. The sharer reaches a server through a connection
 * of another loop, its owner, where the other end is a {@link OwnerEnd}. Belongs to the sharer's
 * thread.
 *
 * <p>Requests are sent once per loop iteration, in a batch with everything that the owner needs to
 * find the ends of their replies. They are sent complete, so that requests of others may follow
 * them. Replies arrive as the server sent them, and a {@link ServerConnection} reads them like any
 * other.
 */
public final class SharerEnd
    implements ServerTransport, PipeBatch.End, SharerChannel.End, OwnerEnd.Sharer {
  /** Bytes not taken by the owner's socket, from which on nothing more is sent. */
  private static final int MOST_UNTAKEN = 128 * 1024;

  /** Owner of the connection: the server on the sharer's loop. */
  public interface Owner {
    ServerContext context();

    /** The owner has a connection. */
    void reached(SharerEnd end);

    /** The owner has no connection. */
    void notReached(int slot, String reason);
  }

  private final Owner server;
  private final int slot;
  private final LoopMailboxes mailboxes;
  private final int ownerLoop;
  private final Loop loop;

  @SuppressWarnings("NullAway.Init") // set by reached, before there is a connection
  private OwnerEnd owner;

  @SuppressWarnings("NullAway.Init") // set by begin, before anything can be sent or arrive
  private ServerConnection connection;

  @SuppressWarnings("NullAway.Init") // as connection
  private SharerChannel channel;

  private @Nullable PipeBatch outgoing; // null: nothing to send
  private int
      unsent; // pending replies at the end of the connection's queue that are in no batch yet
  private int untaken;
  private long handedOver; // in bytes

  private final IncomingReplies incoming = new IncomingReplies();
  private boolean reading;
  private @Nullable String ended; // the owner's reason for ending; null if it has not
  private @Nullable String poison; // why the owner's connection must not be used any more
  private boolean left;
  private volatile boolean paused; // for a client that takes no replies

  /**
   * An end for server's loop, which is not open yet.
   *
   * @param slot of the server's connection that it leads to ({@code Slot})
   * @param ownerLoop the loop that has the socket
   */
  public SharerEnd(Owner server, int slot, LoopMailboxes mailboxes, int ownerLoop) {
    this.server = server;
    this.slot = slot;
    this.mailboxes = mailboxes;
    this.ownerLoop = ownerLoop;
    this.loop = server.context().loop();
  }

  /** The slot of the server's connection that it leads to. */
  public int slot() {
    return slot;
  }

  /** Index of the sharer's loop. */
  @Override
  public int loopIndex() {
    return mailboxes.index();
  }

  /**
   * Whether the sharer has paused reading for a client that takes no replies. While it works on
   * values, the owner reads on for others. From any thread.
   */
  @Override
  public boolean isPaused() {
    return paused;
  }

  @Override
  public boolean isSocket() {
    return false;
  }

  @Override
  public void opened(Channel opened, boolean exclusive) {
    // it is this channel
  }

  /** The owner has probed the server. */
  @Override
  public boolean isProbed() {
    return false;
  }

  /** The version of the process that the owner is connected to. */
  @Override
  public ServerVersion version() {
    return owner.version();
  }

  /** The owner collects requests. */
  @Override
  public boolean gathersRequests() {
    return false;
  }

  @Override
  public void bytesRead(int bytes) {
    // the owner counted them when it read them from the socket
  }

  // --- as the owner says; on the sharer's loop --------------------------------------------------

  /** The owner has a connection; end is the owner's end of the pipe. */
  public void reached(OwnerEnd end) {
    owner = end;
    server.reached(this);
  }

  /** The owner has no connection. */
  public void refused(String reason) {
    server.notReached(slot, reason);
  }

  /** Becomes the transport of connection. */
  public void begin(ServerConnection made) {
    connection = made;
    channel = new SharerChannel(this);
    channel.pipeline().addLast(made);
    loop.eventLoop().register(channel);
  }

  /** The connection accepts no new requests for a while: the sharer looks for another. */
  @Override
  public void dismissed() {
    if (!left) {
      connection.leaveWhenDone();
    }
  }

  /** The connection has closed, and everything it had read has arrived. */
  @Override
  public void ended(String reason) {
    ended = reason;
    readArrived();
    if (!left) {
      connection.leaveWhenDone(); // no new request may take it for open
    }
  }

  @Override
  public void arrived(PipeBatch batch) {
    for (int i = 0; i < batch.requests(); i++) {
      server.context().requestPool().give(batch.request(i));
    }
    boolean blocked = isBlocked();
    untaken -= batch.taken();
    if (left) {
      loop.buffered(-batch.bytes());
    } else {
      incoming.add(batch.slices());
      if (blocked && !isBlocked()) {
        connection.flushThisIteration();
      }
    }
    mailboxes.give(batch);
    readArrived();
  }

  @Override
  public void broken() {
    if (!left) {
      poison(PipeBatch.BROKEN);
      connection.fail(PipeBatch.BROKEN);
    }
  }

  // --- replies --------------------------------------------------------------------------------

  private void readArrived() {
    if (reading || left) {
      return;
    }
    reading = true;
    try {
      boolean any = false;
      while (!left && !incoming.isEmpty() && channel.config().isAutoRead()) {
        ByteBuf bytes = incoming.read();
        loop.buffered(-bytes.readableBytes());
        any = true;
        channel.pipeline().fireChannelRead(bytes);
      }
      if (any && !left) {
        channel.pipeline().fireChannelReadComplete();
      }
    } finally {
      reading = false;
    }
    if (left) {
      return;
    }
    if (ended != null && incoming.isEmpty() && !connection.replies().hasRest()) {
      connection.fail(ended);
    } else if (incoming.bytesRead() >= OwnerEnd.TELL_FROM) {
      tell();
    }
  }

  private void tell() {
    PipeBatch batch = mailboxes.batch().to(owner);
    batch.taken(incoming.takeRead());
    mailboxes.send(ownerLoop, batch);
  }

  @Override
  public void readingStops(boolean forClient) {
    paused = forClient;
  }

  /** The connection has read what it had put off: now the pipe may end. */
  @Override
  public void restRead() {
    if (ended != null) {
      readArrived();
    }
  }

  /** Resumes the connection: waiting bytes are read soon, as from a socket. */
  @Override
  public void readsAgain() {
    paused = false;
    loop.eventLoop().execute(this::goOn);
  }

  private void goOn() {
    if (!left) {
      loop.beginIteration();
      readArrived();
      if (!left && incoming.bytesRead() > 0) {
        tell(); // the owner may have paused reading because of this
      }
    }
  }

  // --- requests -------------------------------------------------------------------------------

  private boolean isBlocked() {
    return untaken >= MOST_UNTAKEN;
  }

  private boolean isFull() {
    return outgoing != null && untaken + outgoing.bytes() >= MOST_UNTAKEN;
  }

  private PipeBatch outgoing() {
    if (outgoing == null) {
      outgoing = mailboxes.batch().to(owner);
    }
    return outgoing;
  }

  /**
   * Puts flushed bytes into the next batch, unless the owner's socket is behind. Within a loop
   * iteration the batch takes no more bytes than the owner may owe, so that clients are paused; at
   * its end it takes all.
   */
  @Override
  public void send(ChannelOutboundBuffer flushed) {
    while (!isBlocked() && (!connection.awaitsFlush() || !isFull())) {
      Object message = flushed.current();
      if (message == null) {
        break;
      }
      ByteBuf bytes = (ByteBuf) message;
      outgoing().add(loop, bytes, bytes.readerIndex(), bytes.readableBytes(), false);
      flushed.remove();
    }
  }

  /**
   * Everything written in this loop iteration was flushed. It leaves together with the facts that
   * the owner needs about the new pending replies at the end of queue. Nothing leaves before all of
   * it can.
   */
  @Override
  public void flushed(RingQueue<ServerRequest> queue, int added, long bytesWritten) {
    unsent += added;
    if (left || !channel.hasSentAll() || (outgoing == null && unsent == 0)) {
      return;
    }
    PipeBatch batch = outgoing();
    RequestPool requestPool = server.context().requestPool();
    for (int i = queue.size() - unsent; i < queue.size(); i++) {
      batch.add(requestPool.takeEcho(queue.get(i)));
    }
    unsent = 0;
    untaken += batch.bytes();
    handedOver += batch.bytes();
    batch.taken(incoming.takeRead());
    outgoing = null;
    mailboxes.send(ownerLoop, batch);
  }

  // --- the end --------------------------------------------------------------------------------

  /** The server broke the protocol: the owner's connection must not be used any more. */
  @Override
  public void poison(String reason) {
    poison = reason;
  }

  /** The acquirer keeps the exclusive connection: another may be made in its place. */
  @Override
  public void keep() {
    OwnerEnd end = owner;
    mailboxes.send(ownerLoop, end::keep);
  }

  /** The connection has closed on this side. */
  @Override
  public void leave() {
    left = true;
    // The reply may have come before the end of its request has left: the server waits for that.
    boolean clean = connection.isClosedIdle() && handedOver == connection.bytesWritten();
    if (outgoing != null) {
      loop.buffered(-outgoing.bytes());
      for (int i = 0; i < outgoing.requests(); i++) {
        server.context().requestPool().give(outgoing.request(i));
      }
      mailboxes.give(outgoing);
      outgoing = null;
    }
    loop.buffered(-incoming.release());
    OwnerEnd end = owner;
    String reason = poison;
    mailboxes.send(ownerLoop, () -> end.sharerLeft(clean, reason));
  }

  // --- as the owner is, from its volatile fields -------------------------------------------------

  @Override
  public boolean isHeldUp() {
    return owner.isPaused();
  }

  @Override
  public long heldUpNanos() {
    return owner.pausedNanos();
  }

  @Override
  public long heardAt(Loop sharer) {
    return owner.heardAt();
  }

  @Override
  public long ownerHeardAt() {
    return owner.lastHeardAt();
  }

  /** The first of all opaques used on the owner's connection. */
  @Override
  public int firstOpaque() {
    return owner.firstOpaque();
  }
}
