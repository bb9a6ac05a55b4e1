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
 * One end of a pipe between two event loops: that of a loop which reaches a server through a
 * connection of another loop, its host. The other end is a {@link HostEnd}. Belongs to the guest's
 * thread.
 *
 * <p>Requests leave once a turn, as a parcel with all that the host needs to find the ends of their
 * replies: whole, so that those of others may be put behind them. Replies come as the server sent
 * them, and are read by a {@link ServerConnection} like any other.
 */
public final class GuestEnd
    implements ServerTransport, Parcel.End, GuestChannel.End, HostEnd.Guest {
  /** Bytes the host's socket has not taken, from which on nothing more is sent. */
  private static final int MOST_UNTAKEN = 128 * 1024;

  /** The server, as the guest's loop sees it. */
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

  private HostEnd host; // null until it is there
  private ServerConnection connection;
  private GuestChannel channel;

  private Parcel outgoing; // null: nothing to send
  private int unsent; // exchanges at the end of the connection's queue, which no parcel has
  private int untaken;
  private long handedOver; // bytes

  private final IncomingReplies incoming = new IncomingReplies();
  private boolean reading;
  private String ended; // by the host: why; null if it is not
  private String poison;
  private boolean left;
  private volatile boolean paused;

  /**
   * An end for server's loop, which is not open yet.
   *
   * @param slot which of server's connections it leads to ({@code Slot})
   * @param hostLoop the loop that has the socket
   */
  public GuestEnd(Owner server, int slot, Sharing sharing, int hostLoop) {
    this.server = server;
    this.slot = slot;
    this.sharing = sharing;
    this.hostLoop = hostLoop;
    this.loop = server.context().loop();
  }

  /** Which of the server's connections it leads to. */
  public int slot() {
    return slot;
  }

  /** The guest's loop. */
  @Override
  public int loopIndex() {
    return sharing.index();
  }

  /** Whether the guest reads no replies now. From any thread. */
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
    // which is this one's
  }

  /** The host has probed the server. */
  @Override
  public boolean isProbed() {
    return false;
  }

  /** The host gathers. */
  @Override
  public boolean gathersRequests() {
    return false;
  }

  @Override
  public void bytesRead(int bytes) {
    // the host, which has read them from the socket, has counted them
  }

  // --- as the host says; on the guest's loop --------------------------------------------------

  /** The host has a connection, whose end of the pipe is this. */
  public void reached(HostEnd end) {
    host = end;
    server.reached(this);
  }

  /** The host has no connection. */
  public void refused(String reason) {
    server.notReached(slot, reason);
  }

  /** Becomes what connection writes to and reads from. */
  public void begin(ServerConnection made) {
    connection = made;
    channel = new GuestChannel(this);
    channel.pipeline().addLast(made);
    loop.eventLoop().register(channel);
  }

  /** The connection takes no new requests for a while: another is looked for. */
  @Override
  public void dismissed() {
    if (!left) {
      connection.leaveWhenDone();
    }
  }

  /** The connection is closed, and all it has read has arrived. */
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
        connection.flushThisTurn();
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

  /** The connection does not read. */
  @Override
  public void pauses() {
    paused = true;
  }

  /** The connection reads, again or still: what waits is read soon, as of a socket. */
  @Override
  public void readsAgain() {
    if (paused) {
      paused = false;
      loop.eventLoop().execute(this::goOn);
    }
  }

  private void goOn() {
    if (!left) {
      loop.beginTurn();
      readOn();
      if (!left && incoming.bytesRead() > 0) {
        tell(); // the host may have stopped reading because of this
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
   * Puts what was flushed into the next parcel, unless the host's socket is behind. Within a turn
   * that parcel takes no more than the host may owe, so that clients stop; at its end all.
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
   * What was written in this turn has been flushed: it leaves, together with what the host needs to
   * know of so many new exchanges at the end of queue. Nothing leaves before all of it can.
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

  /** The server broke the protocol: nobody may use the connection any more. */
  @Override
  public void poison(String reason) {
    poison = reason;
  }

  /** The borrower keeps the connection that is lent: another may be lent in its place. */
  @Override
  public void keep() {
    HostEnd end = host;
    sharing.send(hostLoop, end::keep);
  }

  /** The connection is closed on this side. */
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

  /** Of all that are used on the host's connection. */
  @Override
  public int firstOpaque() {
    return host.firstOpaque();
  }
}
