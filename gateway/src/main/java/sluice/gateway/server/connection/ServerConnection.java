package sluice.gateway.server.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.codecs.ProtocolException;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.bridge.MetaRequestWriter;
import sluice.codecs.memcached.bridge.RequestWriter;
import sluice.gateway.loop.Connection;
import sluice.gateway.net.Sockets;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.RequestConnection;
import sluice.gateway.request.RingQueue;
import sluice.gateway.request.ServerRequest;
import sluice.gateway.server.protocol.JoinedReads;
import sluice.gateway.server.protocol.ReplyAssembler;
import sluice.gateway.server.protocol.Reports;
import sluice.gateway.server.protocol.ServerContext;
import sluice.gateway.server.protocol.ServerProtocol;
import sluice.gateway.tls.TlsException;

/**
 * Connection to a server: requests in order on one side, their replies in the same order on the
 * other. Its {@link ServerProtocol} provides what differs between protocols.
 *
 * <p>Longer than 400 lines because the parts of a connection meet here. The views that they have of
 * it take a fifth of the lines. The event loop and the server call the other methods.
 */
public final class ServerConnection extends Connection implements RequestConnection {
  private enum Phase {
    /** The server has not answered the probe. */
    PROBING,
    /** Accepts requests. */
    ACCEPTING,
    /** Accepts no requests: for a while, because another has its place, or until it is closed. */
    SUSPENDED,
    /**
     * With a pipe: the next requests use another connection of the owner's loop, and this one
     * closes when it is idle.
     */
    LEAVING
  }

  /** State of an exclusive connection. */
  private enum Lease {
    NONE,
    ACQUIRED,
    /** Its acquirer has it for good: it is closed after the reply. */
    KEPT
  }

  /**
   * Replies up to this length are buffered as a whole, so that a server that dies costs no client
   * its connection.
   */
  public static final int STREAM_FROM = ReplyAssembler.STREAM_FROM;

  /** Reason for closing a connection that is not needed. */
  public static final String IDLE = "idle";

  /**
   * Reason for pausing: a client, or another event loop, has not taken its bytes, or there is work
   * on values before.
   */
  private static final int STOPPED = 1;

  private static final int ENOUGH_TO_SEND = 16 * 1024;

  /** Pending bytes leave before the end of a loop iteration from half of this on (ADR 0040). */
  private static final int MOST_PENDING = 128 * 1024;

  private final ConnectionOwner<ServerConnection> server;
  private final int slot;
  private final ServerProtocol protocol;
  private final ServerContext context;
  private final Reports reports;
  private final long opened;
  private final ServerTransport transport;
  private final Opaques opaques;
  private final RingQueue<ServerRequest> queue =
      new RingQueue<>(); // requests in the order of their replies
  private final @Nullable JoinedReads joinedReads; // null: each read is a request of its own
  private final Handshake handshake;
  private final ReplyReader replies;
  private final KeepAlive keepAlive;
  private final Unflushed unflushed = new Unflushed();
  private final Closing closing = new Closing();

  private Phase phase = Phase.PROBING;
  private Lease lease = Lease.NONE;
  private Sharers sharers = NoSharers.INSTANCE;

  /**
   * A connection to server.
   *
   * @param slot of a shared connection; negative otherwise ({@link Slot})
   */
  public ServerConnection(
      ConnectionOwner<ServerConnection> server,
      int slot,
      ServerProtocol protocol,
      ServerTransport transport) {
    super(server.context().loop(), MOST_PENDING);
    this.server = server;
    this.slot = slot;
    this.protocol = protocol;
    this.transport = transport;
    context = server.context();
    reports = context.reports();
    opened = loop.now();
    opaques = new Opaques(transport.firstOpaque(), server.isShared(), context);
    joinedReads = transport.gathersRequests() ? protocol.joinedReads() : null;
    handshake = new Handshake(new Probing(), protocol, context, joinedReads);
    replies = new ReplyReader(new Reading(), protocol, transport, queue, context);
    keepAlive = new KeepAlive(new Pinged(), context, queue, replies.pauses());
  }

  /** The connection, as {@link ReplyReader} sees it. */
  private final class Reading implements ReplyReader.Owner {
    @Override
    public boolean isOpen() {
      return ServerConnection.this.isOpen();
    }

    @Override
    public boolean isDetached() {
      return lease == Lease.KEPT;
    }

    @Override
    public int unsent() {
      return unflushed.unsent();
    }

    @Override
    public void readOnLater() {
      continueAfterOthers();
    }

    @Override
    public void stopReading() {
      pause(STOPPED);
      transport.readingStops(replies.isFull());
    }

    @Override
    public boolean readAgain() {
      resume(STOPPED);
      return !isPaused();
    }

    @Override
    public void tellOfPause() {
      sharers.tellOfPause();
    }

    @Override
    public void acceptNoMore() {
      ServerConnection.this.acceptNoMore();
    }

    @Override
    public void acceptAgain(boolean owedLateReply) {
      if (phase != Phase.LEAVING
          && !closing.hasBegun()
          && server.isCurrent(ServerConnection.this)) {
        phase = owedLateReply ? Phase.SUSPENDED : Phase.ACCEPTING;
        server.wake();
      }
      closeIfDone();
    }

    @Override
    public void standAside() {
      ServerConnection.this.acceptNoMore();
      server.replace(ServerConnection.this);
    }

    @Override
    public void fail(String reason) {
      ServerConnection.this.fail(reason);
    }

    @Override
    public void failForClient(String reason) {
      ServerConnection.this.failForClient(reason);
    }
  }

  /** View of this connection for {@link KeepAlive}. */
  private final class Pinged implements KeepAlive.Pinged {
    @Override
    public boolean isAccepting() {
      return ServerConnection.this.isAccepting();
    }

    @Override
    public void ping(ServerRequest ping) {
      ByteBuf bytes = protocol.keepAlive(ping, nextOpaque(), loop);
      expect(ping);
      write(bytes);
    }
  }

  /** The connection, as {@link Handshake} sees it. */
  private final class Probing implements Handshake.Owner {
    @Override
    public void send(ByteBuf bytes) {
      write(bytes);
    }

    @Override
    public void loginRefused(String answer) {
      server.loginRefused(ServerConnection.this, answer);
    }

    @Override
    public void fail(String reason, String detail) {
      ServerConnection.this.fail(reason, detail);
    }
  }

  /** The slot of a shared connection; negative otherwise. */
  public int slot() {
    return slot;
  }

  /** Whether it is an exclusive connection. */
  public boolean isExclusive() {
    return Slot.isExclusive(slot);
  }

  /** Whether it has a socket of its own, and no pipe to another event loop's connection. */
  public boolean hasSocket() {
    return transport.isSocket();
  }

  /** Whether an acquirer uses it. */
  public boolean isAcquired() {
    return lease == Lease.ACQUIRED;
  }

  /** Sets whether an acquirer uses it. */
  public void acquired(boolean acquired) {
    lease = acquired ? Lease.ACQUIRED : Lease.NONE;
  }

  /** Its acquirer keeps it. */
  public void detach() {
    lease = Lease.KEPT;
    transport.keep();
  }

  /** Nanoseconds since it was made. */
  public long age() {
    return loop.now() - opened;
  }

  /** The server that this is a connection to. */
  public ConnectionOwner<ServerConnection> server() {
    return server;
  }

  /** Whether both connections lead to the same server. */
  public boolean isToSameServerAs(ServerConnection other) {
    return server == other.server;
  }

  @Override
  public String serverName() {
    return context.name();
  }

  @Override
  public boolean isAnotherToSameServer(RequestConnection other) {
    return this != other
        && other instanceof ServerConnection same
        && same.context.status() == context.status(); // its other dialect has another object
  }

  /**
   * The version of the process at the other end, which may differ between servers of a pool and
   * after a restart.
   */
  public ServerVersion version() {
    return handshake.version();
  }

  // --- requests -----------------------------------------------------------------------------

  /** Appends the request for reply to the queue; its bytes must be written next. */
  public void expect(PendingReply reply) {
    expect(reply.sends());
  }

  /** Appends request to the queue; its bytes must be written next. */
  public void expect(ServerRequest request) {
    endOpenLine(); // before request has its place: its write may set off other clients' requests
    append(request);
  }

  private void append(ServerRequest request) {
    request.sentTo(this, replies.pauses().all());
    queue.add(request);
    unflushed.add();
    keepAlive.used();
  }

  /**
   * The request for reply, which was appended last, is a read: its bytes, [from, to) of in, may be
   * sent again. Borrows in.
   */
  public void mayRepeat(PendingReply reply, ByteBuf in, int from, int to) {
    if (server.retries().areRemembered()) {
      reply.sent().remember(in, from, to);
    }
  }

  /** Whether several clients' requests for one value each may leave as one, by {@link #ask}. */
  public boolean joinsReads() {
    return joinedReads != null && joinedReads.areUnderstood() && !context.status().isAskedApart();
  }

  /**
   * Appends the request for reply, and reads one value by {@code get} or {@code gets}. It shares a
   * line with other such reads of this loop iteration, if nothing else was sent since.
   *
   * <p>The requester must not have unwritten bytes. Borrows in, whose bytes [from, to) are the
   * server key.
   */
  public void ask(PendingReply reply, ByteBuf in, int from, int to) {
    ServerRequest request = reply.sends();
    ByteBuf open = openLine();
    JoinedReads reads = joined();
    if (open != null && reads.fits(request, to - from, open, queue.last())) {
      append(request);
      reads.join(open, request, in, from, to);
    } else {
      expect(request);
      reads.begin(beginLine(JoinedReads.LONGEST_LINE), request, in, from, to);
    }
  }

  @Override
  protected void endLine(ByteBuf line) {
    joined().end(line);
  }

  @SuppressWarnings("NullAway") // only called where reads are joined
  private JoinedReads joined() {
    return joinedReads;
  }

  /** A value for the opaque of the next request, distinct from all in flight. */
  public int nextOpaque() {
    return opaques.next();
  }

  /**
   * The same for a request that writer writes; -1 if the server would not repeat it in every reply:
   * a miss is then answered without (meta before 1.6.18).
   */
  public int nextOpaque(RequestWriter writer) {
    boolean repeats = writer != MetaRequestWriter.INSTANCE || version().echoesOpaqueOnMiss();
    return repeats ? nextOpaque() : -1;
  }

  /** Whether it accepts new requests. */
  public boolean isAccepting() {
    return phase == Phase.ACCEPTING && isOpen() && !isBroken();
  }

  /**
   * Whether its probe has succeeded, and it is not about to close: that takes until a later task.
   */
  public boolean isUsable() {
    return phase != Phase.PROBING && isOpen() && !isBroken() && !closing.hasBegun();
  }

  /** Whether the server has not answered its probe. */
  public boolean isProbing() {
    return phase == Phase.PROBING;
  }

  /** Number of requests in flight. */
  public int inFlight() {
    return queue.size();
  }

  /** Number of this event loop's requests in flight. */
  public int ownInFlight() {
    return queue.size() - sharers.inFlight();
  }

  /** Whether it has requests in flight, of this event loop or another. */
  public boolean hasRequests() {
    return !queue.isEmpty();
  }

  /** Whether it has requests that were not answered and have not timed out. */
  public boolean owesReplies() {
    for (int i = 0; i < queue.size(); i++) {
      ServerRequest request = queue.get(i);
      if (!request.hasTimedOut() || request.isLeftBehind()) {
        return true;
      }
    }
    return false;
  }

  /** Accepts no new requests, and closes when all are answered. */
  public void retire() {
    acceptNoMore();
    closeIfDone();
  }

  /** Accepts requests only from clients that already have some on it. */
  void acceptNoMore() {
    if (phase == Phase.ACCEPTING) {
      phase = Phase.SUSPENDED;
      if (!isExclusive()) {
        sharers.dismiss();
      }
    }
  }

  /**
   * Closes if it is idle, no other loop uses it, and it is not to be used again. The answer to a
   * check is not waited for.
   */
  public void closeIfDone() {
    boolean isOver = queue.isEmpty() || keepAlive.areOnlyChecksLeft();
    if (!isOver || replies.isFull() || !sharers.isEmpty()) {
      return;
    }
    if (phase == Phase.LEAVING) {
      fail(IDLE);
    } else if (phase == Phase.SUSPENDED && !server.isCurrent(this)) {
      if (queue.isEmpty()) {
        close();
      } else {
        failForClient(context.didNotAnswer());
      }
    }
  }

  // --- between event loops --------------------------------------------------------------------

  /** Other event loops that use it. */
  public Sharers sharers() {
    return sharers;
  }

  /** Sets the other event loops that use it. */
  public void shareWith(Sharers others) {
    sharers = others;
  }

  /** The requests in flight, of all event loops that use it. */
  public RingQueue<ServerRequest> queue() {
    return queue;
  }

  /** The reader of its replies. */
  public ReplyReader replies() {
    return replies;
  }

  /** With a pipe: the next request uses another connection, and this one closes when it is idle. */
  public void leaveWhenDone() {
    phase = Phase.LEAVING;
    server.wake(); // no client waits for the answer to a check of it any more
    closeIfDone();
  }

  /** With a pipe: flushes bytes that could not leave before. */
  public void flushThisIteration() {
    flushInThisIteration();
  }

  /** Whether it was closed because it was not needed, with nothing left on it. */
  public boolean isClosedIdle() {
    return closing.isFor(IDLE) && queue.isEmpty();
  }

  // --- replies ------------------------------------------------------------------------------

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    loop.beginIteration();
    replies.pauses().heard();
    transport.bytesRead(bytes.readableBytes());
    try {
      read(bytes);
    } finally {
      bytes.release();
    }
  }

  @Override
  protected void goOn() {
    if (isOpen()) {
      read(null);
    }
  }

  /**
   * Reads bytes; null: what an earlier read has left. Nothing counts that comes behind the reason
   * for closing: TLS delivers the other records of one read even after the channel was closed. An
   * internal error may have skipped a part of the record before. Borrows bytes.
   */
  private void read(@Nullable ByteBuf bytes) {
    if (closing.isFinal() || isBroken()) {
      return;
    }
    try {
      if (bytes == null) {
        if (replies.readOn()) {
          takeAnswer();
        }
        closeIfDone();
        transport.restRead();
      } else if (phase != Phase.PROBING) {
        replies.read(bytes);
        takeAnswer();
        closeIfDone();
      } else if (isOpen() && handshake.read(bytes)) {
        becomeUsable();
      }
    } catch (ProtocolException e) {
      if (lease == Lease.KEPT) {
        // A list of keys contains bytes that clients have written: the server is not at fault.
        failForClient(context.brokeProtocol());
        return;
      }
      reports.protocolError(message(e));
      transport.poison(context.brokeProtocol());
      fail(context.brokeProtocol(), message(e));
    } finally {
      sharers.handOver();
    }
  }

  private void takeAnswer() {
    if (keepAlive.takeAnswer()) { // for any kind of answer: other loops do not wait for it
      server.answeredCheck(this);
    }
  }

  @SuppressWarnings("NullAway") // its constructor wants one
  private static String message(ProtocolException broken) {
    return broken.getMessage();
  }

  private void becomeUsable() {
    phase = Phase.ACCEPTING;
    server.probed(this);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (isOpen() && channel().isWritable()) {
      sharers.tellIfTaken();
      server.wake();
    }
    ctx.fireChannelWritabilityChanged();
  }

  // --- time and death -----------------------------------------------------------------------

  /** Called every few milliseconds: answers requests that the server has not answered in time. */
  public void sweep() {
    if (!sharers.isEmpty()) {
      sharers.sweep();
      if (isExclusive()) {
        return; // its acquirer's loop decides how long it waits
      }
    }
    if (isUsable() && !queue.isEmpty()) {
      replies.sweep();
    }
  }

  /** Closes the connection for a reason, which all requests in flight are answered with. */
  public void fail(String reason) {
    fail(reason, reason);
  }

  /**
   * As {@link #fail(String)}.
   *
   * @param detail for logs, which may contain more than clients get
   */
  public void fail(String reason, String detail) {
    closing.begin(reason, detail);
    end();
  }

  /** As {@link #fail(String)}, for a client's reason: the server's health is not affected. */
  public void failForClient(String reason) {
    closing.beginForClient(reason);
    end();
  }

  private void end() {
    if (phase == Phase.ACCEPTING) {
      phase = Phase.SUSPENDED; // it stays open until its loop's next task
    }
    abort();
  }

  @Override
  protected void lost(IOException failure) {
    if (failure instanceof TlsException) {
      closing.beginByServer(
          phase == Phase.PROBING
              ? context.unreachable(Unreachable.TLS)
              : "server " + context.name() + " broke TLS",
          "server " + context.name() + ": " + failure.getMessage());
      end();
    }
  }

  @Override
  protected void closed() {
    boolean isOwnError = isBroken() && !closing.hasBegun();
    if (!closing.isFinal()) {
      readRest();
    }
    String ended = "server " + context.name() + " closed the connection";
    if (isOwnError) {
      closing.beginForClient(ended); // a gateway without memory must not eject its servers
    } else {
      closing.begin(ended);
    }
    String reason = closing.reason();
    int lost = lost();
    try {
      replies.flushRun();
      lost = lost();
      server.retries().forgetOvertaken(queue); // before what may fail for want of memory
      if (!sharers.isEmpty()) {
        sharers.end(reason);
      }
    } finally { // an internal error must not cost others their answer, or the slot
      replies.lose(server.retries(), reason);
      handshake.release();
      replies.release();
      server.closed(this, phase != Phase.PROBING, reason, closing.detail(), lost);
    }
  }

  /**
   * Number of requests that are lost by the server's fault. A command that keeps its connection may
   * be one for which the server, a proxy say, ends it.
   */
  private int lost() {
    return closing.isForClient() || lease == Lease.KEPT ? 0 : queue.size();
  }

  /** Reads the replies that the server sent before it closed the connection. */
  private void readRest() {
    try {
      read(null);
    } catch (Throwable e) { // the requests behind them must still be failed
      broken(e);
    }
  }

  /**
   * With others in flight the server is busy anyway. Requests wait to be sent together as long as
   * one loop iteration in three brings more of them, for some iterations and up to a few segments.
   * A single request never waits.
   */
  @Override
  protected boolean waitsForMore(int iterations) {
    boolean more = unflushed.waitForMore(iterations);
    return more
        && transport.gathersRequests()
        && phase != Phase.PROBING
        && queue.size() > 1
        && pendingBytes() < ENOUGH_TO_SEND;
  }

  @Override
  protected void flushedEarly() {
    unflushed.flushedEarly();
  }

  @Override
  protected void flushed() {
    int requests = unflushed.take();
    for (int i = Math.max(0, queue.size() - requests); i < queue.size(); i++) {
      queue.get(i).flushed(loop.now());
    }
    server.retries().sent(requests - sharers.takeUnflushed());
    transport.flushed(queue, requests, bytesWritten());
  }

  /** The check whether the server is still there. */
  public KeepAlive keepAlive() {
    return keepAlive;
  }

  /** Whether no request waits and nothing was sent for this long. */
  public boolean isIdleFor(long nanos) {
    return queue.isEmpty()
        && !replies.isFull()
        && sharers.isEmpty()
        && keepAlive.isUnusedFor(nanos);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    super.handlerAdded(ctx);
    if (Sockets.isEncrypted(channel())) {
      unflushed.mayLeaveEarly();
    }
    transport.opened(channel(), isExclusive());
    if (transport.isProbed()) {
      handshake.begin();
    } else {
      handshake.skip(transport.version());
      becomeUsable();
    }
  }
}
