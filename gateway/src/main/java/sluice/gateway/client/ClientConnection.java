package sluice.gateway.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import sluice.gateway.client.input.ClientInput;
import sluice.gateway.client.leaving.Departure;
import sluice.gateway.client.leaving.Lifetime;
import sluice.gateway.client.leaving.LingeringClose;
import sluice.gateway.listener.ListenerView;
import sluice.gateway.loop.Connection;
import sluice.gateway.metrics.Direction;
import sluice.gateway.metrics.DropReason;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.PendingReply.Requester;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.RingQueue;
import sluice.gateway.server.Server;
import sluice.gateway.session.LoopClient;
import sluice.gateway.session.LoopState;
import sluice.gateway.tls.TlsException;

/**
 * Connection of a client: requests are read in order, sent as the route requires, and answered in
 * order.
 *
 * <p>Received bytes stay in the buffers they arrived in. Adjacent requests to the same server
 * connection that need no change leave as one slice. Reading is paused, for one or more {@linkplain
 * ClientControl reasons}, whenever a request cannot be sent on; bytes that were already read are
 * kept and processed when the reason is gone.
 *
 * <p>Longer than 400 lines because the parts of a client meet here. The views of the connection for
 * these parts take a third of the lines, the methods that the event loop calls another third.
 */
public final class ClientConnection extends Connection implements LoopClient {
  /**
   * Cost of a client's requests after which the event loop turns to its other clients, so that a
   * client with many requests at once does not block the loop.
   */
  private static final int COST_IN_ONE_GO = 4096;

  private static final int COST_OF_REQUEST = 16;

  /** Cost of a request that is only parsed, because its reply has no reader. */
  private static final int COST_OF_UNWANTED = 1;

  /**
   * How long a client that is closed may take none of its last replies. It is as long as a client
   * has whose input has ended.
   */
  private static final long CLOSING_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final LoopState loopState;

  private final ListenerView listenerView;
  private final RingQueue<PendingReply> ring = new RingQueue<>();

  private final Control control = new Control();
  private final BackPressure pressure;
  private final ReplyOrder replies;
  private final ClientInput input;
  private final GatheredValue gathered;
  private final GatheredLine line;
  private final ExclusiveRequest exclusiveRequest;
  private final ServerAccess access;
  private final Lifetime lifetime;
  private final Departure departure = new Departure();
  private final LingeringClose lingering = new LingeringClose();
  private final ConnectedClient client;
  private final DialectReader reader;
  private final MemoryWait memoryWait;
  private final ReplyWatch replyWatch;
  private final Runnable takesMore = this::outputTaken;

  private final long mostUnread; // bytes of replies

  private boolean processing;
  private int costLeft; // rest of the cost before other clients' turn
  private long writtenBefore; // bytes of replies when the socket was last checked

  /**
   * A connection of a client whose requests are in {@code dialect}.
   *
   * @param dialect makes the reader, which belongs to the connection
   */
  public ClientConnection(
      LoopState loopState,
      ListenerView listenerView,
      Function<ConnectedClient, DialectReader> dialect) {
    super(loopState.loop(), listenerView.limits().outBufferBytes());
    this.loopState = loopState;
    this.listenerView = listenerView;
    mostUnread = listenerView.limits().outBufferBytes();
    pressure =
        new BackPressure(
            control, this, loopState.stalled(), listenerView, loop, this::isAssembling);
    replies = new ReplyOrder(control, loop, loopState.requestPool(), listenerView, pressure, ring);
    input = new ClientInput(loop);
    gathered = new GatheredValue(control, pressure, loopState.valueMemory(), loop);
    line = new GatheredLine(control, pressure, loopState.lineMemory(), loop);
    exclusiveRequest =
        new ExclusiveRequest(control, replies, pressure, loopState.valueMemory(), loop);
    access = new ServerAccess(control, loop, loopState.add(this), ring, exclusiveRequest);
    lifetime = new Lifetime(loop, listenerView.limits());
    ClientParts parts =
        new ClientParts(ring, input, pressure, replies, gathered, line, exclusiveRequest, access);
    client = new ConnectedClient(control, loopState, listenerView, parts);
    reader = dialect.apply(client);
    memoryWait = new MemoryWait(control, this, loopState, parts, reader);
    replyWatch = new ReplyWatch(control, loopState, listenerView, parts);
  }

  /** View of this connection for its parts. */
  private final class Control implements ClientControl {
    @Override
    public void pauseFor(int reason) {
      pause(reason);
    }

    @Override
    public void resumeFrom(int reason) {
      resume(reason);
    }

    @Override
    public void goOnFrom(int reason) {
      lifetime.heard();
      resume(reason);
      process();
    }

    @Override
    public void memoryReserved() {
      memoryWait.end();
      goOnFrom(ClientControl.VALUE_MEMORY);
    }

    @Override
    public boolean isPausedForAny() {
      return isPaused();
    }

    @Override
    public boolean isPausedFor(int reason) {
      return isPaused(reason);
    }

    /** After an error nothing would go on, and the caller may have to go on with other clients. */
    @Override
    public void process() {
      try {
        ClientConnection.this.process();
      } catch (Throwable e) {
        broken(e);
      }
    }

    @Override
    public void later(Runnable task) {
      channel()
          .eventLoop()
          .execute(
              () -> {
                try {
                  task.run();
                } catch (Throwable e) {
                  broken(e);
                }
              });
    }

    @Override
    public void waitFor(Server server, boolean progresses) {
      access.await(server, progresses);
    }

    @Override
    public Requester requester() {
      return client;
    }

    @Override
    public Channel channel() {
      return ClientConnection.this.channel();
    }

    @Override
    public boolean isOpen() {
      return ClientConnection.this.isOpen();
    }

    @Override
    public boolean lives() {
      return isOpen() || departure.isGone();
    }

    @Override
    public boolean wantsReplies() {
      return !departure.isGone() && !isDeaf();
    }

    @Override
    public void costsLess() {
      costLeft += COST_OF_REQUEST - COST_OF_UNWANTED;
    }

    @Override
    public void pauseForMemory() {
      memoryWait.begin();
    }

    @Override
    public ByteBuf failureReply(PendingReply reply, String reason) {
      return reader.failureReply(reply, reason);
    }

    @Override
    public boolean takesReplies() {
      return isOpen() && !isDeaf();
    }

    @Override
    public void write(ByteBuf bytes) {
      ClientConnection.this.write(bytes);
    }

    @Override
    public void write(ByteBuf source, int from, int length) {
      ClientConnection.this.write(source, from, length);
    }

    @Override
    public void writeCopy(ByteBuf source, int from, int length) {
      ClientConnection.this.writeCopy(source, from, length);
    }

    @Override
    public long pendingBytes() {
      return ClientConnection.this.pendingBytes();
    }

    @Override
    public long takenBytes() {
      return ClientConnection.this.takenBytes();
    }

    @Override
    public long heldBytes() {
      return ClientConnection.this.heldBytes();
    }

    @Override
    public long heldInput() {
      return input.held();
    }

    @Override
    public void hold(long delta) {
      ClientConnection.this.hold(delta);
    }

    @Override
    public void account() {
      ClientConnection.this.account();
    }

    @Override
    public void leave() {
      ClientConnection.this.leave();
    }

    @Override
    public void breakOff() {
      close();
      deafen();
      if (!isOpen() && lives()) {
        replies.endAbandoned();
      }
    }

    @Override
    public void answered(PendingReply reply) {
      departure.progress(loop.now());
      if (exclusiveRequest.answered(reply)) {
        access.nextRequest(); // the waits while its value was sent are over
      }
    }
  }

  // --- reading ------------------------------------------------------------------------------

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    take((ByteBuf) message);
  }

  /** Takes bytes that were read. Consumes bytes. */
  public void take(ByteBuf bytes) {
    loop.beginIteration();
    lifetime.heard();
    loop.metrics().bytes(Direction.CLIENT_IN, bytes.readableBytes());
    if (isPaused(ClientControl.ENDING) || !isOpen() || departure.hasSaidAll()) {
      bytes.release();
      return;
    }
    if (memoryWait.isInputTooLong()) {
      bytes.release();
      loop.metrics().requestsDropped(DropReason.MEMORY, 1);
      endInput();
      return;
    }
    if (isPaused() || !input.isEmpty()) {
      hold(input.addWaiting(bytes)); // processed later: counts as held until then
    } else {
      input.add(bytes);
    }
    memoryWait.beginIfFull();
    process(); // bytes being processed do not count as held
    memoryWait.beginIfSharesShortage();
  }

  @Override
  public void process() {
    if (processing) {
      return;
    }
    processing = true;
    costLeft = COST_IN_ONE_GO;
    try {
      memoryWait.beginBeforeRequests();
      seeNewest();
      while (!isPaused() && control.lives()) {
        ByteBuf in = input.first();
        if (in == null) {
          if (!reader.hasUnsent()) {
            break;
          }
          in = Unpooled.EMPTY_BUFFER;
        }
        try {
          if (in.isReadable() || reader.hasUnsent()) {
            parse(in);
          }
        } finally {
          loopState.forwarded().flush();
        }
        input.doneWith(in);
      }
      ByteBuf first = input.first();
      int at = first == null ? 0 : first.readerIndex();
      long more = input.count();
      ByteBuf kept = input.first();
      if (kept != null && kept != first) {
        reader.moved(kept, kept.readerIndex() - at);
      }
      hold(more);
      if (departure.isGone()) {
        loopState.closedClientInput().add(more);
        if (gathered.isWaiting()) {
          endWaiting();
          goOnLater();
        }
      }
    } finally {
      processing = false;
    }
    if (departure.hasSaidAll() && !isPaused(ClientControl.ENDING) && control.lives()) {
      leaveStream();
      if (control.lives() && input.isEmpty() && !reader.hasUnsent()) {
        readAll();
      }
    }
  }

  /** Once a reply without an end has begun, what was sent behind its request is discarded. */
  private void leaveStream() {
    PendingReply first = ring.peek();
    if (first != null && first.kind() == ReplyKind.STREAM && first.isCommitted()) {
      leave();
    }
  }

  /** Whether the client gets a server's log lines, until one of the two closes. */
  private boolean onlyListens() {
    PendingReply first = ring.peek();
    return first != null && first.kind() == ReplyKind.STREAM;
  }

  /** The reader closes the connection within a request that can never become valid. */
  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    reader.readComplete();
  }

  // --- clients that do not wait -----------------------------------------------------------------

  /** The client has sent everything, and may still read: it gets all replies. */
  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
    if (event instanceof ChannelInputShutdownEvent && isOpen()) {
      loop.beginIteration();
      endInput();
      if (lingering.hasBegun()) {
        close();
      }
    } else if (event instanceof ChannelOutputShutdownEvent && isOpen() && !lingering.hasBegun()) {
      loop.beginIteration();
      endOutput();
    }
    super.userEventTriggered(ctx, event);
  }

  /**
   * A write has failed. TLS does not tell its writer, and without output the channel is never
   * writable again.
   */
  private void endOutput() {
    if (departure.hasSaidAll()) {
      abort(); // nothing is left to be read, and nothing can be written
    } else {
      takesNoMore();
    }
  }

  private void endInput() {
    if (departure.hasSaidAll()) {
      return;
    }
    departure.sayAll(loop.now());
    inputEnded();
    if (isDeaf()) {
      abort(); // nothing is left to be read, and nothing can be written
    } else {
      process();
    }
  }

  /**
   * It takes no more replies: the bytes that it has sent are read to their end, and carried out.
   */
  @Override
  protected boolean readsOn(IOException failure) {
    if (failure instanceof TlsException || departure.hasSaidAll()) {
      return false;
    }
    takesNoMore();
    return true;
  }

  private void takesNoMore() {
    if (!isDeaf()) {
      deafen();
      pressure.releaseServers();
      resume(ClientControl.OUTPUT);
      memoryWait.end();
      goOnLater();
    }
  }

  /**
   * All complete requests are on their way; the rest is an incomplete request, which is dropped.
   */
  private void readAll() {
    if (exclusiveRequest.remaining() > 0) {
      leave(); // inside a value, and everything before it is answered
    } else {
      replies.end();
    }
  }

  private void leave() {
    if (lingering.isWanted() && exclusiveRequest.remaining() > 0) {
      exclusiveRequest.closed(); // the value will not be complete: no server waits for it
    }
    if (isDeaf()) {
      abort();
    } else if (!isOpen() || onlyListens() || !lingering.begin(channel())) {
      close();
    }
    if (departure.isGone()) {
      discard();
    }
  }

  @Override
  public void cut(DropReason reason) {
    departure.drop(reason);
    abort();
    if (departure.isGone()) {
      discard();
    }
  }

  /** Whether a complete request is not with its servers yet. */
  private boolean owesServers() {
    if (onlyListens()) {
      return false;
    }
    if (!isPaused(ClientControl.ENDING) && (!input.isEmpty() || reader.hasUnsent())) {
      return true;
    }
    return (exclusiveRequest.isActive() && exclusiveRequest.remaining() == 0)
        || replies.stepsLeft() > 0;
  }

  /**
   * Changes to a new configuration between two requests, once servers have carried out all earlier
   * ones: the same server may be another object there, on another connection.
   */
  private void seeNewest() {
    if (listenerView.isOutdated()
        && reader.isBetweenRequests()
        && !exclusiveRequest.isActive()
        && client.isAloneAndSettled()) {
      listenerView.refresh();
      access.order().restart();
      reader.configured();
      client.configured();
    }
  }

  /**
   * Moves on within a read, too: a client whose reads all end inside a request would keep an old
   * configuration for ever. Returns whether its replies have to come first.
   */
  private boolean mustMoveFirst() {
    seeNewest();
    return isPaused();
  }

  /** Parses and sends requests from in, until in is empty or reading is paused. */
  private void parse(ByteBuf in) {
    while ((in.isReadable() || reader.hasUnsent()) && !isPaused()) {
      if (exclusiveRequest.remaining() > 0) {
        exclusiveRequest.body(in);
      } else if (exclusiveRequest.isActive() && !client.isAlone()) {
        return;
      } else if (gathered.isBehindReplies()) {
        if (client.isAlone()) {
          gathered.repliesDone();
        }
      } else if (bytesWritten() - writtenBefore > mostUnread) {
        checkOutput();
      } else if (costLeft <= 0) {
        pause(ClientControl.TURN);
        continueAfterOthers();
      } else if (listenerView.isOutdated() && mustMoveFirst()) {
        return;
      } else {
        costLeft -= COST_OF_REQUEST;
        loop.samples().begin();
        reader.step(in);
      }
    }
  }

  /**
   * Flushes, which pauses the client if its socket does not take the replies. Those of an embedded
   * store or a near cache come at once, and nothing else stops requests for more of them.
   */
  private void checkOutput() {
    writtenBefore = bytesWritten();
    if (pendingBytes() > 0) {
      flushAtOnce();
    }
  }

  @Override
  protected void goOn() {
    if (control.lives()) {
      control.goOnFrom(ClientControl.TURN);
    }
  }

  // --- turns, memory and back-pressure --------------------------------------------------------

  @Override
  public void resumeReading() {
    memoryWait.resume();
  }

  @Override
  public boolean keepsConnectionTooLong() {
    return exclusiveRequest.keepsOthersFromConnections(stallNanos());
  }

  @Override
  public boolean keepsMemoryTooLong() {
    return gathered.standsStillFor(stallNanos()) || exclusiveRequest.keepsMemoryFor(stallNanos());
  }

  @Override
  public boolean keepsLineTooLong() {
    return line.standsStillFor(stallNanos());
  }

  private boolean isAssembling() {
    PendingReply first = ring.peek();
    return first != null && first.subrequests() != null && first.subrequests().isAssembling();
  }

  @Override
  public void resumeServers() {
    pressure.resumeServers();
  }

  @Override
  public String listenerName() {
    return listenerView.name();
  }

  @Override
  public long allHeldBytes() {
    return pendingBytes() + heldBytes();
  }

  @Override
  public void sweepOutput() {
    pressure.sweep();
  }

  @Override
  public long stallNanos() {
    return pressure.stallNanos();
  }

  @Override
  public boolean stallsServersTooLong(int halvings) {
    return pressure.isStalled(halvings);
  }

  @Override
  public boolean buffersTooLong() {
    return pressure.buffersTooLong();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    loop.tick();
    if (ctx.channel().isWritable()) {
      resume(ClientControl.OUTPUT);
      pressure.resumeServers();
      goOnLater(); // the write that empties the socket may be in the middle of a request
    } else if (!awaitsFlush() && !isDeaf()) {
      pause(ClientControl.OUTPUT);
    }
    ctx.fireChannelWritabilityChanged();
  }

  /** Checked after the flush: most waiting bytes leave with it. */
  @Override
  protected void flushed() {
    pressure.resumeServers(); // the socket may have taken everything: then nothing else tells of it
    if (lingering.hasBegun()) {
      linger();
    }
    if (isOpen() && !isDeaf() && !channel().isWritable()) {
      pause(ClientControl.OUTPUT);
    }
  }

  /** Continues in a later task, because the caller may be in the middle of processing. */
  private void goOnLater() {
    channel().eventLoop().execute(takesMore);
  }

  private void outputTaken() {
    if (control.lives()) {
      loop.beginIteration();
      control.process();
    }
  }

  // --- time and death -----------------------------------------------------------------------

  @Override
  public void sweep(double drained) {
    boolean mayCome = !isPaused(~ClientControl.OUTPUT);
    if (pressure.tookBytes()) {
      lifetime.heard();
    }
    pressure.sweep();
    gathered.sweep(mayCome);
    line.sweep(mayCome);
    exclusiveRequest.look(mayCome);
    client.sweepAwaitedRead();
    if (ring.isEmpty()) {
      seeNewest(); // an idle client must not keep an old configuration
    }
    abortIfClosingFor(drained < 0 ? CLOSING_NANOS : stallNanos());
    long takenAt = onlyListens() ? departure.progressAt() : pressure.takenAt();
    if (departure.isOverdue(takenAt, loop.now())) {
      cut(DropReason.TIMEOUT);
    }
    replyWatch.sweep(bytesWritten());
    if (exclusiveRequest.checkReply()) {
      control.goOnFrom(ClientControl.SERVER);
    }
    if ((!ring.isEmpty() || isPaused(ClientControl.WINDOW)) && exclusiveRequest.remaining() == 0) {
      lifetime.heard(); // it waits for the gateway
    }
    if (lingering.hasBegun()) {
      linger();
    } else if (departure.hasSaidAll() && onlyListens()) {
      leaveStream(); // unless its server has not answered yet
    } else if (isSilent()) {
      close();
    } else if (mayLeave(drained)) {
      if (ring.isEmpty() && !isInsideRequest()) {
        pause(ClientControl.ENDING); // what comes until the last bytes have left is not carried out
        close();
      } else if (!ring.isEmpty() && exclusiveRequest.remaining() == 0) {
        stopListening();
      }
    }
  }

  /**
   * A client that always has a request in flight, and so never is between two, must leave: its
   * complete requests are carried out and answered. What it sends later is read and dropped.
   */
  private void stopListening() {
    if (!departure.hasSaidAll() && reader.isBetweenRequests()) {
      lingering.want();
      readUntilTheEnd();
      endInput();
    }
  }

  private void linger() {
    if (isOpen() && lingering.isOver(channel(), pendingBytes(), loop.now())) {
      close();
    }
  }

  private boolean mayLeave(double drained) {
    return lifetime.ends(
        listenerView.isRetired() ? 1 : drained,
        Math.max(loopState.overtimeShare(), listenerView.overtimeShare()));
  }

  /** Whether the client has sent nothing for too long, while nothing else is waited for. */
  private boolean isSilent() {
    long idle = listenerView.limits().idleMillis() * 1_000_000L;
    return idle > 0
        && !departure.hasSaidAll()
        && lifetime.isSilentFor(idle)
        && !isPaused(
            ClientControl.SERVER
                | ClientControl.MEMORY
                | ClientControl.VALUE_MEMORY
                | ClientControl.EXCLUSIVE
                | ClientControl.NEAR
                | ClientControl.TURN);
  }

  /** Whether part of a request has been read. */
  private boolean isInsideRequest() {
    return !input.isEmpty() || !reader.isBetweenRequests();
  }

  @Override
  protected void lost(IOException failure) {
    if (failure instanceof TlsException tls) {
      listenerView.tlsFailed(channel(), tls);
    }
  }

  @Override
  protected void closed() {
    if (departure.dropping() == null && !isBroken() && owesServers() && mayFinish()) {
      loopState.closedClientInput().add(input.held());
      departure.go(loop.now());
      inputEnded();
      pressure.releaseServers();
      resume(ClientControl.OUTPUT);
      memoryWait.end();
      endWaiting();
      line.endWaiting();
      replies.endAbandoned();
      process();
    } else {
      discard();
    }
  }

  /** The client is gone: a value that waits for memory is among its bytes, or never will be. */
  private void endWaiting() {
    if (gathered.isWaiting() && !gathered.endsWith(input.held())) {
      long dropped = input.release();
      hold(-dropped);
      loopState.closedClientInput().add(-dropped);
    }
  }

  /** Whether there is memory for its unprocessed bytes until they are processed. */
  private boolean mayFinish() {
    if (input.held() > MemoryWait.LEAST_SHARE
        && !loopState.closedClientInput().hasMemoryFor(input.held())) {
      departure.drop(DropReason.MEMORY);
      return false;
    }
    return true;
  }

  /** Drops its unprocessed requests. */
  private void discard() {
    if (departure.isGone()) {
      loopState.closedClientInput().add(-input.held());
    }
    departure.end();
    if (departure.dropping() != null) {
      boolean unread = !isPaused(ClientControl.ENDING) && (!input.isEmpty() || reader.hasUnsent());
      int requests = replies.stepsLeft() + (unread ? 1 : 0);
      loop.metrics().requestsDropped(departure.dropping(), requests);
    }
    loopState.remove(this);
    listenerView.leave();
    hold(-input.release());
    gathered.end();
    line.end();
    reader.release();
    exclusiveRequest.closed();
    replies.discard();
    access.order().cancel();
    pressure.releaseServers();
  }
}
