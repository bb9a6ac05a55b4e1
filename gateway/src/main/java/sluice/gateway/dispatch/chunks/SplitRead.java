package sluice.gateway.dispatch.chunks;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.memcached.bridge.Awaited;
import sluice.codecs.memcached.bridge.Failure;
import sluice.codecs.memcached.bridge.Operation;
import sluice.codecs.memcached.bridge.Reply;
import sluice.codecs.memcached.bridge.Request;
import sluice.codecs.memcached.bridge.RequestWriter;
import sluice.codecs.memcached.bridge.Status;
import sluice.codecs.split.ChunkKeys;
import sluice.codecs.split.SplitHead;
import sluice.gateway.dispatch.ClientSession;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.dispatch.RequestContext;
import sluice.gateway.dispatch.RequestSender;
import sluice.gateway.request.Aggregator;
import sluice.gateway.request.Bridged;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ReplyReceiver;
import sluice.gateway.request.Suppression;
import sluice.gateway.server.Server;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.server.protocol.CombinedReply;
import sluice.gateway.session.ValueMemory;
import sluice.gateway.values.ValueWork;
import sluice.names.Dialect;

/**
 * Read that has found the head of a chunked value. It requests the chunks when its reply is next in
 * order, so that only one value for each client is joined at a time. If a chunk is missing or
 * wrong, the read is a miss, and the head is deleted, unless a chunk was sought on another server
 * than its own. Servers evict large items sooner than small ones, and an add after the miss must
 * not fail because the head exists.
 */
final class SplitRead extends ChunkRequests implements ValueMemory.Waiter, ReplyReceiver.Resumable {
  private final Reply reply = new Reply();
  private final SliceList before;
  private final SliceList behind;
  private final long exptime;
  private final boolean setsExptime;
  private final boolean tooLong;
  private boolean missed;
  private boolean begun;
  private boolean asks;
  private boolean reserved;
  private int wanted; // reserved memory
  private int announced; // bytes of chunks that have not arrived
  private boolean removes;

  /**
   * A read whose head the split's view shows.
   *
   * @param whole the pending reply of the reply, with the facts remembered of its request
   * @param found the head's reply; borrowed
   * @param before bytes prepended to the head; consumed
   * @param behind bytes appended to the head; consumed
   * @param tooLong whether the value must not be joined
   */
  SplitRead(
      RequestSender sender,
      RequestContext.Recycler contexts,
      Split split,
      Dialect dialect,
      PendingReply whole,
      Reply found,
      SliceList before,
      SliceList behind,
      boolean tooLong) {
    super(sender, contexts, (ClientSession) whole.requester(), split, dialect, whole);
    this.before = before;
    this.behind = behind;
    this.tooLong = tooLong;
    reply.set(found);
    Bridged bridged = Split.bridged(whole);
    exptime = bridged.exptime();
    setsExptime = bridged.setsExptime();
    SplitHead head = split.head();
    if (!tooLong) {
      ByteBuf key = Unpooled.wrappedBuffer(bridged.key());
      of(
          new ChunkKeys(key, 0, bridged.keyLength(), head.stamp()),
          head.valueLength(),
          head.chunkLength());
    }
    client.hold(before.length() + behind.length());
  }

  @Override
  public void begin() {
    begun = true;
    PendingReply of = whole();
    Aggregator aggregator = of.aggregator();
    if (aggregator == null ? client.isTurnOf(of) : aggregator.isTurnOf(of)) {
      turn();
    }
  }

  @Override
  public void turn() {
    if (begun && !asks) {
      asks = true;
      whole().askServers(loopState.loop().now());
      client.assembles();
      readChunks();
    }
  }

  /**
   * Reads the chunks once there is memory for all of them. While its client has much to take, it
   * asks for none: the client may take that slowly, and others would wait for the memory.
   */
  private void readChunks() {
    if (tooLong) {
      schedule();
    } else if (!client.isBehind() || !client.pauses(this)) {
      wanted = length();
      if (loopState.valueMemory().reserve(wanted, this)) {
        memoryReserved();
      }
    }
  }

  @Override
  public boolean bringsNextOf(ReplyReceiver receiver) {
    return true; // it waits only while its reply is next in order
  }

  @Override
  public void resumed() {
    if (whole != null) {
      readChunks();
    }
  }

  @Override
  public void memoryReserved() {
    whole().askServers(loopState.loop().now());
    begins();
    loopState.valueMemory().counted(wanted);
    schedule();
  }

  private void begins() {
    reserved = true;
    client.holdAssembled(wanted);
    announce(wanted);
  }

  private void announce(int delta) {
    announced += delta;
    client.holdValue(delta);
  }

  @Override
  public boolean isAssembling() {
    return asks;
  }

  @Override
  boolean isDecided() {
    return missed || super.isDecided();
  }

  @Override
  void request(int index, RequestContext context) {
    Request request = context.request().clear(Operation.GET);
    request.wants = Request.VALUE | Request.FLAGS;
    request.timeToLive.exptime = exptime;
    request.timeToLive.isGiven = setsExptime;
  }

  @Override
  void answered(int index, Chunk chunk) {
    if (whole == null) {
      return;
    }
    announce(-lengthOf(index));
    whole().costs(chunk.subrequest().heldBytes()); // the client may get the length only
    if (chunk.status.isError()) {
      failure = "a chunk of the value was refused: " + chunk.error;
    } else {
      missed |= chunk.status != Status.OK || !isWhole(index, chunk);
    }
  }

  private boolean isWhole(int index, Chunk chunk) {
    PendingReply subrequest = chunk.subrequest();
    if (subrequest.heldBytes() != lengthOf(index)) {
      return false;
    }
    split.sum().reset();
    for (int i = 0; i < subrequest.sliceCount(); i++) {
      split.sum().add(subrequest.slice(i));
    }
    return split.sum().sum() == chunk.flags;
  }

  @Override
  void end() {
    if (removes) {
      return;
    }
    if (missed) {
      // the server that is down or ejected may come back with the chunk
      removes = !hasSoughtElsewhere() && removeHead();
      if (!removes) {
        miss();
      }
    } else if (failure != null) {
      answer(failure);
    } else if (tooLong) {
      CombinedReply.error(whole(), Split.TOO_LONG, reply, loopState.loop());
      answer(null);
    } else {
      join();
      answer(null);
    }
  }

  private void miss() {
    CombinedReply.bare(whole(), reply.clear(Status.NOT_FOUND), loopState.loop());
    answer(null);
  }

  /**
   * Deletes the head, unless it has been replaced meanwhile; returns false if the request cannot be
   * expressed.
   */
  private boolean removeHead() {
    Dialect spoken = dialect == Dialect.TEXT ? Dialect.META : dialect; // with a cas
    Bridged asked = Split.bridged(whole());
    ByteBuf key = Unpooled.wrappedBuffer(asked.key(), 0, asked.keyLength());
    Pool home = split.home();
    Server server = home.server(home.serverOf(key, 0, asked.keyLength()), dialect);
    ServerConnection connection = client.readyConnectionTo(server);
    if (reply.cas == 0 || connection == null) {
      return false;
    }
    if (spoken != Dialect.BINARY && !connection.version().speaksMeta()) {
      return false;
    }
    RequestContext context = contexts.take();
    Request request = context.request().clear(Operation.DELETE);
    request.key.set(key, 0, asked.keyLength());
    request.cas = reply.cas;
    request.comparesCas = true;
    RequestWriter writer = home.writer(connection, spoken);
    ByteBuf head = sender.plainHead(context, writer, new Chunk(), connection.nextOpaque(writer));
    if (head == null) {
      contexts.give(context);
      return false;
    }
    Bridged of = context.takeBridged();
    contexts.give(context);
    connection.expect(subrequest(NO_CHUNK, of, Suppression.NOTHING));
    connection.write(head);
    return true;
  }

  @Override
  void otherAnswered(PendingReply subrequest, @Nullable String why) {
    drop(subrequest);
    if (whole != null) {
      miss();
    }
  }

  private void join() {
    SliceList value = new SliceList();
    try {
      join(value);
    } finally {
      value.clear(); // there may have been no memory for what becomes of it
    }
  }

  private void join(SliceList value) {
    add(before, value);
    for (int i = 0; i < count(); i++) {
      chunk(i).subrequest().moveSlices(value);
    }
    add(behind, value);
    int joined = value.length();
    reply.value(joined);
    ValueWork next = split.next();
    PendingReply of = whole();
    Awaited awaited = Split.bridged(of).awaited();
    Failure error = null;
    if (next != null && next.gathers(reply, awaited)) {
      error =
          awaited.wantsValue()
              ? next.inbound(reply, awaited, value)
              : next.describe(reply, awaited, value);
      long made = Math.max(value.length(), loopState.loop().takeDecompressed());
      of.costs(Math.max(0, made - joined));
    }
    if (error == null) {
      CombinedReply.value(of, reply, value, loopState.loop());
    } else {
      CombinedReply.error(of, error, reply, loopState.loop());
    }
  }

  private void add(SliceList part, SliceList value) {
    client.hold(-part.length());
    part.moveTo(value);
  }

  private void answer(@Nullable String why) {
    PendingReply of = whole();
    Aggregator aggregator = of.aggregator();
    whole = null;
    of.splitInto(null);
    of.serversAnswered(loopState.loop().now());
    release();
    if (aggregator == null) {
      ByteBuf failed = null;
      if (why != null) {
        of.fails();
        failed = of.suppression() == Suppression.ALL ? null : client.failureReply(of, why);
      }
      client.answer(of, failed);
      return;
    }
    if (of.sliceCount() > 0) {
      aggregator.value(of, 0, of.heldBytes());
    }
    of.complete();
    aggregator.subrequestCompleted(of, why);
  }

  private void release() {
    dropChunks();
    loopState.valueMemory().forget(this);
    announce(-announced);
    if (reserved) {
      reserved = false;
      client.holdAssembled(-wanted);
      loopState.valueMemory().release(wanted);
    }
    client.hold(-(before.length() + behind.length()));
    before.clear();
    behind.clear();
  }

  @Override
  public void cancel() {
    whole = null;
    release();
  }
}
