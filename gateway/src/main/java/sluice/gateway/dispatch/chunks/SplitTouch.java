package sluice.gateway.dispatch.chunks;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.memcached.bridge.Failure;
import sluice.codecs.memcached.bridge.Operation;
import sluice.codecs.memcached.bridge.Reply;
import sluice.codecs.memcached.bridge.Request;
import sluice.codecs.memcached.bridge.RequestWriter;
import sluice.codecs.memcached.bridge.Status;
import sluice.codecs.split.ChunkKeys;
import sluice.codecs.split.SplitHead;
import sluice.gateway.dispatch.RequestContext;
import sluice.gateway.request.Bridged;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.Suppression;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.server.protocol.CombinedReply;

/**
 * Touch that must also reach the chunks of an item. It touches and reads the item, to find whether
 * it has chunks.
 */
final class SplitTouch extends ChunkRequests {
  private final long exptime;
  private final byte[] key;
  private final Chunk item = new Chunk();
  private @Nullable PendingReply asked; // request for the item
  private boolean known; // whether the item's form is known

  /**
   * A touch of the request's item.
   *
   * @param context borrowed
   * @param whole the client's pending reply
   * @param bridged needed for the reply; consumed
   */
  SplitTouch(RequestContext context, PendingReply whole, Split split, Bridged bridged) {
    super(context.sender(), context.contexts(), context.client(), split, context.dialect(), whole);
    Request request = context.request();
    exptime = request.timeToLive.exptime;
    key = request.key.bytes();
    whole.bridge(bridged);
    whole.splitInto(this);
  }

  /**
   * Sends the request for the item, which replaces context's.
   *
   * @return false if it cannot be expressed; then nothing was sent
   */
  boolean ask(RequestContext context) {
    ServerConnection connection = context.connection();
    Request request = context.request();
    request.operation = Operation.GET;
    request.wants |= Request.VALUE | Request.FLAGS;
    request.returnsKey = false;
    RequestWriter writer = split.home().writer(connection, dialect);
    ByteBuf head = sender.plainHead(context, writer, item, connection.nextOpaque(writer));
    if (head == null) {
      return false;
    }
    whole().askServers(loopState.loop().now());
    PendingReply subrequest = subrequest(NO_CHUNK, context.takeBridged(), Suppression.NOTHING);
    asked = subrequest;
    client.flushRun();
    connection.expect(subrequest);
    connection.write(head);
    return true;
  }

  /** The request for the item cannot be expressed. */
  void cannotAsk(Failure why) {
    item.status = why.status();
    item.error = why.line();
    known = true;
    end();
  }

  @Override
  void otherAnswered(PendingReply subrequest, @Nullable String why) {
    if (why != null) {
      failure = why;
    } else if (item.status == Status.OK) {
      look(subrequest);
    }
    known = true;
    if (count() == 0 || client.isTurnOf(whole())) {
      schedule();
    }
  }

  @Override
  public void turn() {
    if (known) {
      schedule(); // not earlier, because a value requested earlier could lose its chunks
    }
  }

  @Override
  public boolean isAssembling() {
    return known;
  }

  private void look(PendingReply found) {
    whole().costs(found.heldBytes()); // of which the client gets nothing
    SliceList value = new SliceList();
    found.moveSlices(value);
    boolean flagged = (item.flags & split.flag()) != 0;
    SplitHead head = split.head();
    boolean holdsHead = flagged && split.holdsHead(value);
    value.clear();
    if (holdsHead && split.isHeadTooLong()) {
      item.status = Status.SERVER_ERROR;
      item.error = Split.TOO_LONG.line();
    } else if (holdsHead) {
      of(
          new ChunkKeys(Unpooled.wrappedBuffer(key), 0, key.length, head.stamp()),
          head.valueLength(),
          head.chunkLength());
      item.flags &= head.hasClientsBit() ? -1 : ~split.flag();
    }
  }

  @Override
  boolean isDecided() {
    return known && (item.status != Status.OK || super.isDecided());
  }

  @Override
  void request(int index, RequestContext context) {
    Request request = context.request().clear(Operation.TOUCH);
    request.timeToLive.set(exptime);
  }

  @Override
  void answered(int index, Chunk chunk) {
    if (chunk.status.isError() || (item.status == Status.OK && chunk.status != Status.OK)) {
      item.status = chunk.status;
      item.error = chunk.error;
    }
  }

  @Override
  void end() {
    if (!known) {
      return;
    }
    PendingReply of = whole();
    ByteBuf failed = null;
    if (failure != null) {
      of.fails();
      failed = of.suppression() == Suppression.ALL ? null : client.failureReply(of, failure);
    } else if (item.status.isError()) {
      CombinedReply.error(of, item.status, item.error, new Reply(), loopState.loop());
    } else {
      Reply reply = new Reply().clear(item.status);
      reply.flags = item.flags;
      reply.cas = item.cas;
      if (split.next() != null) {
        split.next().unmark(reply);
      }
      CombinedReply.bare(of, reply, loopState.loop());
    }
    whole = null;
    of.splitInto(null);
    of.serversAnswered(loopState.loop().now());
    release();
    client.answer(of, failed);
  }

  private void release() {
    drop(asked);
    asked = null;
    dropChunks();
  }

  @Override
  public void cancel() {
    whole = null;
    release();
  }
}
