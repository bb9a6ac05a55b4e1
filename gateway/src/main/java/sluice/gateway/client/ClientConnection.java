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
import sluice.gateway.listener.ListenerView;
import sluice.gateway.loop.Connection;
import sluice.gateway.metrics.Direction;
import sluice.gateway.metrics.DropReason;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.PendingReply.Requester;
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
 * connection that need no change are sent as one slice. Reading is paused, for one or more
 * {@linkplain ClientControl reasons}, whenever a request cannot be sent on; bytes that were already
 * read are kept and processed when the reason is gone.
 *
 * <p>Longer than 400 lines because the parts of a client meet here. The view of the connection for
 * these parts takes a third of the lines, the methods that the event loop calls another third.
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

  /** Keys of one request that together cost 1. */
  private static final int KEYS_FOR_COST = 2;

  /** Bytes that a store has copied for a request and that together cost 1. */
  private static final int BYTES_FOR_COST = 256;

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
  private final ConnectedClient client;
  private final DialectReader reader;
  private final MemoryWait memoryWait;
  private final ReplyWatch replyWatch;
  private final Leaving leaving;
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
    ClientParts parts =
        new ClientParts(ring, input, pressure, replies, gathered, line, exclusiveRequest, access);
    client = new ConnectedClient(control, loopState, listenerView, parts);
    reader = dialect.apply(client);
    memoryWait = new MemoryWait(control, this, loopState, parts, reader);
    replyWatch = new ReplyWatch(control, loopState, listenerView, parts);
    UnfinishedRequests unfinished =
        new UnfinishedRequests(control, loopState.closedClientInput(), parts, reader);
    leaving =
        new Leaving(
            control, control, this, loopState, listenerView, pressure, memoryWait, unfinished);
  }

  /** View of this connection for its parts. */
  private final class Control implements ClientControl, Leaving.Socket {
    @Override
    public void pauseFor(int reason) {
      if (reason == BARRIER || reason == NEAR) {
        access.waitsForOther();
      }
      pause(reason);
    }

    @Override
    public void resumeFrom(int reason) {
      resume(reason);
    }

    @Override
    public void goOnFrom(int reason) {
      leaving.heard();
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
    public void processLater() {
      goOnLater();
    }

    @Override
    public void later(Runnable task) {
      channel().eventLoop().execute(() -> run(task));
    }

    @Override
    public void afterOthers(Runnable task) {
      loop.afterSockets(() -> run(task));
    }

    @Override
    public void run(Runnable task) {
      try {
        task.run();
      } catch (Throwable e) {
        broken(e);
      }
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
    public boolean isDeaf() {
      return ClientConnection.this.isDeaf();
    }

    @Override
    public boolean isBroken() {
      return ClientConnection.this.isBroken();
    }

    @Override
    public boolean lives() {
      return isOpen() || leaving.isGone();
    }

    @Override
    public boolean wantsReplies() {
      return !leaving.isGone() && !isDeaf();
    }

    @Override
    public void costsLess() {
      costLeft += COST_OF_REQUEST - COST_OF_UNWANTED;
    }

    @Override
    public void endsTurn() {
      costLeft = -COST_OF_REQUEST; // stays below 0 if the request is found to cost less
    }

    @Override
    public void costsKeys(int keys) {
      costLeft -= keys / KEYS_FOR_COST;
    }

    @Override
    public void costsBytes(int copied) {
      costLeft -= copied / BYTES_FOR_COST;
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
    public boolean awaitsFlush() {
      return ClientConnection.this.awaitsFlush();
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
    public void close() {
      ClientConnection.this.close();
    }

    @Override
    public void abort() {
      ClientConnection.this.abort();
    }

    @Override
    public void deafen() {
      ClientConnection.this.deafen();
    }

    @Override
    public void inputEnded() {
      ClientConnection.this.inputEnded();
    }

    @Override
    public void readUntilTheEnd() {
      ClientConnection.this.readUntilTheEnd();
    }

    @Override
    public void leave() {
      leaving.leave();
    }

    @Override
    public void breakOff() {
      leaving.breakOff();
    }

    @Override
    public void answered(PendingReply reply) {
      leaving.answered();
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
    leaving.heard();
    loop.metrics().bytes(Direction.CLIENT_IN, bytes.readableBytes());
    if (isPaused(ClientControl.ENDING) || !isOpen() || isBroken() || leaving.hasSaidAll()) {
      bytes.release();
      return;
    }
    if (memoryWait.isInputTooLong()) {
      bytes.release();
      loop.metrics().requestsDropped(DropReason.MEMORY, 1);
      leaving.endInput();
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
    if (processing || isBroken()) {
      return; // an internal error may have come in the middle of a request
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
      leaving.inputCounted(more);
    } finally {
      processing = false;
    }
    leaving.processed();
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
      } else if (leaving.isDue() && reader.isBetweenRequests()) {
        leaving.betweenRequests(); // what has come is still carried out
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

  /** The reader closes the connection within a request that can never become valid. */
  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    reader.readComplete();
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
    leaving.linger();
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

  // --- what its leaving is told -----------------------------------------------------------------

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
    if (event instanceof ChannelInputShutdownEvent && isOpen()) {
      loop.beginIteration();
      leaving.inputShutDown();
    } else if (event instanceof ChannelOutputShutdownEvent && isOpen() && !leaving.lingers()) {
      loop.beginIteration();
      leaving.outputShutDown();
    }
    super.userEventTriggered(ctx, event);
  }

  @Override
  protected boolean readsOn(IOException failure) {
    return !(failure instanceof TlsException) && leaving.endOutput();
  }

  @Override
  protected void lost(IOException failure) {
    if (failure instanceof TlsException tls) {
      listenerView.tlsFailed(channel(), tls);
    }
  }

  @Override
  public void cut(DropReason reason) {
    leaving.cut(reason);
  }

  @Override
  protected void closed() {
    leaving.closed();
  }

  // --- time -----------------------------------------------------------------------------------

  @Override
  public void sweep(double drained) {
    boolean mayCome = !isPaused(~ClientControl.OUTPUT);
    if (pressure.tookBytes()) {
      leaving.heard();
    }
    pressure.sweep();
    gathered.sweep(mayCome);
    line.sweep(mayCome);
    exclusiveRequest.look(mayCome);
    client.sweepAwaitedRead();
    if (ring.isEmpty()) {
      seeNewest(); // an idle client must not keep an old configuration
      ring.shrink();
    }
    abortIfClosingFor(drained < 0 ? CLOSING_NANOS : stallNanos());
    leaving.cutIfOverdue();
    replyWatch.sweep(bytesWritten());
    if (exclusiveRequest.checkReply()) {
      control.goOnFrom(ClientControl.SERVER);
    }
    leaving.sweep(drained);
  }
}
