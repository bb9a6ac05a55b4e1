package sluice.gateway.server.shared;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import sluice.gateway.exchange.ExchangePool;
import sluice.gateway.exchange.RingQueue;
import sluice.gateway.exchange.ServerRequest;
import sluice.gateway.loop.Loop;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.server.connection.ServerTransport;
import sluice.gateway.server.protocol.ServerContext;

/**
 * Guest's end of a pipe between two event loops. The guest reaches a server through a connection of
 * another loop, its host, where the other end is a {@link HostEnd}. Belongs to the guest's thread.
 *
 * <p>Requests leave once per loop iteration, in a batch with everything that the host needs to find
 * the ends of their replies. They leave complete, so that requests of others may follow them.
 * Replies arrive as the server sent them, and a {@link ServerConnection} reads them like any other.
 */
public final class GuestEnd
    implements ServerTransport, Parcel.End, GuestChannel.End, HostEnd.Guest {
  /** Bytes not taken by the host's socket, from which on nothing more is sent. */
  private static final int MOST_UNTAKEN = 128 * 1024;

  /** Owner of the connection: the server on the guest's loop. */
  public interface Owner {
    ServerContext context();

    /** The host has a connection. */
    void reached(GuestEnd end);

    /** The host has no connection. */
    void notReached(int slot, String reason);
  }

  private final Owner server;
  private final int slot;
  private final Sharing sharing;
  private final int hostLoop;
  private final Loop loop;

  private HostEnd host; // null until it exists
  private ServerConnection connection;
  private GuestChannel channel;

  private Parcel outgoing; // null: nothing to send
  private int unsent; // exchanges at the end of the connection's queue that are in no batch yet
  private int untaken;
  private long handedOver; // in bytes

  private final IncomingReplies incoming = new IncomingReplies();
  private boolean reading;
  private String ended; // the host's reason for ending; null if it has not
  private String poison;
  private boolean left;
  private volatile boolean paused;

  /**
   * An end for server's loop, which is not open yet.
   *
   * @param slot of the server's connection that it leads to ({@code Slot})
   * @param hostLoop the loop that has the socket
   */
  public GuestEnd(Owner server, int slot, Sharing sharing, int hostLoop) {
    this.server = server;
    this.slot = slot;
    this.sharing = sharing;
    this.hostLoop = hostLoop;
    this.loop = server.context().loop();
  }

  /** The slot of the server's connection that it leads to. */
  public int slot() {
    return slot;
  }

  /** Index of the guest's loop. */
  @Override
  public int loopIndex() {
    return sharing.index();
  }

  /** Whether the guest has paused reading. From any thread. */
  @Override
  public boolean isPaused() {
    return paused;
  }

  @Override
  public boolean isSocket() {
    return false;
  }

  @Override
  public void opened(Channel opened) {
    // it is this channel
  }

  /** The host has probed the server. */
  @Override
  public boolean isProbed() {
    return false;
  }

  /** The host collects requests. */
  @Override
  public boolean gathersRequests() {
    return false;
  }

  @Override
  public void bytesRead(int bytes) {
    // the host counted them when it read them from the socket
  }

  // --- as the host says; on the guest's loop --------------------------------------------------

  /** The host has a connection; end is the host's end of the pipe. */
  public void reached(HostEnd end) {
    host = end;
    server.reached(this);
  }

  /** The host has no connection. */
  public void refused(String reason) {
    server.notReached(slot, reason);
  }

  /** Becomes the transport of connection. */
  public void begin(ServerConnection made) {
    connection = made;
    channel = new GuestChannel(this);
    channel.pipeline().addLast(made);
    loop.eventLoop().register(channel);
  }

  /** The connection accepts no new requests for a while: the guest looks for another. */
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
    readOn();
  }

  @Override
  public void arrived(Parcel parcel) {
    for (int i = 0; i < parcel.requests(); i++) {
      server.context().exchanges().give(parcel.request(i));
    }
    boolean blocked = isBlocked();
    untaken -= parcel.taken();
    if (left) {
      loop.buffered(-parcel.bytes());
    } else {
      incoming.add(parcel.slices());
      if (blocked && !isBlocked()) {
        connection.flushThisIteration();
      }
    }
    sharing.give(parcel);
    readOn();
  }

  @Override
  public void broken() {
    if (!left) {
      poison(Parcel.BROKEN);
      connection.fail(Parcel.BROKEN);
    }
  }

  // --- replies --------------------------------------------------------------------------------

  private void readOn() {
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
    if (ended != null && incoming.isEmpty()) {
      connection.fail(ended);
    } else if (incoming.bytesRead() >= HostEnd.TELL_FROM) {
      tell();
    }
  }

  private void tell() {
    Parcel parcel = sharing.parcel().to(host);
    parcel.taken(incoming.takeRead());
    sharing.send(hostLoop, parcel);
  }

  /** Pauses the connection. */
  @Override
  public void pauses() {
    paused = true;
  }

  /** Resumes the connection: waiting bytes are read soon, as from a socket. */
  @Override
  public void readsAgain() {
    if (paused) {
      paused = false;
      loop.eventLoop().execute(this::goOn);
    }
  }

  private void goOn() {
    if (!left) {
      loop.beginIteration();
      readOn();
      if (!left && incoming.bytesRead() > 0) {
        tell(); // the host may have paused reading because of this
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

  private Parcel outgoing() {
    if (outgoing == null) {
      outgoing = sharing.parcel().to(host);
    }
    return outgoing;
  }

  /**
   * Puts flushed bytes into the next batch, unless the host's socket is behind. Within a loop
   * iteration the batch takes no more bytes than the host may owe, so that clients are paused; at
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
      int length = bytes.readableBytes();
      outgoing().add(loop, bytes, bytes.readerIndex(), length);
      loop.buffered(length);
      flushed.remove();
    }
  }

  /**
   * Everything written in this loop iteration was flushed. It leaves together with the facts that
   * the host needs about the new exchanges at the end of queue. Nothing leaves before all of it
   * can.
   */
  @Override
  public void flushed(RingQueue<ServerRequest> queue, int added, long bytesWritten) {
    unsent += added;
    if (left || !channel.hasSentAll() || (outgoing == null && unsent == 0)) {
      return;
    }
    Parcel parcel = outgoing();
    ExchangePool exchanges = server.context().exchanges();
    for (int i = queue.size() - unsent; i < queue.size(); i++) {
      parcel.add(exchanges.takeEcho(queue.get(i)));
    }
    unsent = 0;
    untaken += parcel.bytes();
    handedOver += parcel.bytes();
    parcel.taken(incoming.takeRead());
    outgoing = null;
    sharing.send(hostLoop, parcel);
  }

  // --- the end --------------------------------------------------------------------------------

  /** The server broke the protocol: the host's connection must not be used any more. */
  @Override
  public void poison(String reason) {
    poison = reason;
  }

  /** The borrower keeps the exclusive connection: another may be made in its place. */
  @Override
  public void keep() {
    HostEnd end = host;
    sharing.send(hostLoop, end::keep);
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
        server.context().exchanges().give(outgoing.request(i));
      }
      sharing.give(outgoing);
      outgoing = null;
    }
    loop.buffered(-incoming.release());
    HostEnd end = host;
    String reason = poison;
    sharing.send(hostLoop, () -> end.guestLeft(clean, reason));
  }

  // --- as the host is, from its volatile fields -------------------------------------------------

  @Override
  public boolean isHeldUp() {
    return host.isPaused();
  }

  @Override
  public long heldUpNanos() {
    return host.pausedNanos();
  }

  /** The first of all opaques used on the host's connection. */
  @Override
  public int firstOpaque() {
    return host.firstOpaque();
  }
}
