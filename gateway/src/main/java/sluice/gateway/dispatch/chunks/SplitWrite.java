package sluice.gateway.dispatch.chunks;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.memcached.bridge.Operation;
import sluice.codecs.memcached.bridge.Reply;
import sluice.codecs.memcached.bridge.Request;
import sluice.codecs.memcached.bridge.RequestWriter;
import sluice.codecs.memcached.bridge.Status;
import sluice.codecs.split.ChunkKeys;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.dispatch.RequestContext;
import sluice.gateway.request.Bridged;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.Suppression;
import sluice.gateway.server.Server;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.server.protocol.CombinedReply;

/**
 * Write of a value in chunks: first the chunks, then the head by the client's own request, whose
 * reply is the client's. So no read finds a head whose chunks are not stored yet. If a chunk is
 * refused, the old value is deleted where memcached would do so with a refused value.
 */
final class SplitWrite extends ChunkRequests {
  private enum Step {
    CHUNKS,
    HEAD,
    DELETE,
    DONE
  }

  private final SliceList value;
  private final long exptime;
  private final byte[] key;
  private final boolean replaces; // of any previous item
  private final Pool pool;
  private final ServerConnection first;
  private @Nullable Bridged bridged; // of the head, until that is sent
  private @Nullable ByteBuf head; // until it is sent
  private Step step = Step.CHUNKS;
  private boolean sent; // whether the request of the current step was sent
  private boolean waitsForTurn;
  private @Nullable Status refusal; // of a chunk
  private @Nullable String refusalText;

  /**
   * A value, and the request for its head.
   *
   * @param context the client's request; its value is taken
   * @param whole the client's pending reply
   * @param stamp of the value
   * @param bridged of the head; consumed
   * @param head the complete request for the head; consumed
   */
  SplitWrite(
      RequestContext context,
      PendingReply whole,
      Split split,
      long stamp,
      Bridged bridged,
      ByteBuf head) {
    super(context.sender(), context.contexts(), context.client(), split, context.dialect(), whole);
    Request request = context.request();
    SliceList taken = context.value();
    this.pool = split.home();
    this.first = context.connection();
    this.bridged = bridged;
    this.head = head;
    // The item may keep a longer time to live, which the gateway does not know: chunks stay.
    exptime = request.mayKeepTimeToLive() ? 0 : request.timeToLive.exptime;
    replaces = request.operation == Operation.SET && !request.comparesCas;
    key = request.key.bytes();
    of(
        new ChunkKeys(request.key.buffer, request.key.from, request.key.to, stamp),
        taken.length(),
        split.chunkLength());
    value = new SliceList(loopState.loop().slices());
    taken.moveTo(value);
    client.holdValue(value.length());
    whole.splitInto(this);
    client.lasts(whole);
  }

  @Override
  public void begin() {
    whole().askServers(loopState.loop().now());
    client.waitsForAll();
    schedule();
  }

  @Override
  boolean isDecided() {
    return refusal != null || step != Step.CHUNKS || super.isDecided();
  }

  @Override
  void request(int index, RequestContext context) {
    client.holdValue(-lengthOf(index));
    SliceList chunk = context.value();
    value.moveTo(chunk, lengthOf(index));
    split.sum().reset();
    for (int i = 0; i < chunk.count(); i++) {
      split.sum().add(chunk.get(i));
    }
    Request request = context.request().clear(Operation.SET);
    request.flags = split.sum().sum();
    request.timeToLive.set(exptime);
    request.valueLength = lengthOf(index);
  }

  @Override
  void answered(int index, Chunk of) {
    if (of.status != Status.OK && refusal == null) {
      refusal = of.status.isError() ? of.status : Status.SERVER_ERROR;
      refusalText = of.error;
    }
  }

  @Override
  void end() {
    if (sent) {
      return;
    }
    if (failure != null) {
      fail(failure);
    } else if (refusal != null && !replaces) {
      refuse();
    } else {
      step = refusal != null ? Step.DELETE : Step.HEAD;
      sendStep();
    }
  }

  private void sendStep() {
    ByteBuf name = Unpooled.wrappedBuffer(key);
    Server server = pool.server(pool.serverOf(name, 0, key.length), dialect);
    ServerConnection connection = connectionTo(server);
    if (connection == null) {
      if (failure != null) {
        fail(failure);
      }
      return;
    }
    if (connection != first && !client.isTurnOf(whole())) {
      waitsForTurn = true; // earlier requests on another connection must be answered first
      return;
    }
    if (step == Step.HEAD && pool.writer(connection, dialect) != pool.writer(first, dialect)) {
      // A server of another version would misread it, and execute its value as a request.
      fail("server " + server.name() + " was replaced by one of another version");
      return;
    }
    sent = true;
    if (step == Step.DELETE) {
      delete(connection, name);
    } else {
      sendHead(connection);
    }
  }

  @SuppressWarnings("NullAway") // the request for the head is sent once
  private void sendHead(ServerConnection connection) {
    Bridged of = bridged;
    ByteBuf request = head;
    bridged = null;
    head = null;
    connection.expect(subrequest(NO_CHUNK, of, whole().suppression()));
    connection.write(request);
  }

  /** Deletes the previous item, as memcached does when it refuses the value that replaces it. */
  private void delete(ServerConnection connection, ByteBuf name) {
    RequestContext context = contexts.take();
    context.request().clear(Operation.DELETE).key.set(name, 0, key.length);
    RequestWriter writer = pool.writer(connection, dialect);
    ByteBuf asked = sender.plainHead(context, writer, new Chunk(), connection.nextOpaque(writer));
    if (asked == null) {
      contexts.give(context);
      refuse();
      return;
    }
    Bridged of = context.takeBridged();
    contexts.give(context);
    connection.expect(subrequest(NO_CHUNK, of, Suppression.NOTHING));
    connection.write(asked);
  }

  @Override
  public void turn() {
    if (waitsForTurn) {
      waitsForTurn = false;
      schedule();
    }
  }

  @Override
  void otherAnswered(PendingReply subrequest, @Nullable String why) {
    if (whole == null) {
      drop(subrequest); // the client has gone meanwhile
      return;
    }
    if (step == Step.DELETE) {
      drop(subrequest);
      refuse();
    } else if (why != null) {
      drop(subrequest);
      fail(why);
    } else {
      whole.outcome(subrequest.outcome());
      subrequest.moveSlices(whole);
      drop(subrequest);
      answer(null);
    }
  }

  /** Answers with a server's error for a chunk. */
  @SuppressWarnings("NullAway") // there is a refusal, and the head was not sent
  private void refuse() {
    Bridged of = bridged;
    bridged = null;
    whole.bridge(of);
    CombinedReply.error(whole, refusal, refusalText, new Reply(), loopState.loop());
    answer(null);
  }

  private void fail(String why) {
    PendingReply of = whole();
    of.fails();
    answer(of.suppression() == Suppression.ALL ? null : client.failureReply(of, why));
  }

  private void answer(@Nullable ByteBuf reply) {
    step = Step.DONE;
    PendingReply of = whole();
    whole = null;
    of.splitInto(null);
    of.serversAnswered(loopState.loop().now());
    release();
    client.answer(of, reply);
  }

  private void release() {
    dropChunks();
    client.holdValue(-value.length());
    value.clear();
    if (head != null) {
      head.release();
      head = null;
    }
    if (bridged != null) {
      loopState.requestPool().give(bridged);
      bridged = null;
    }
  }

  @Override
  public void cancel() {
    whole = null;
    release();
  }
}
