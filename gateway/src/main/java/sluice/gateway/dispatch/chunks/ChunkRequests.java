package sluice.gateway.dispatch.chunks;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.bridge.Awaited;
import sluice.codecs.memcached.bridge.Reply;
import sluice.codecs.memcached.bridge.ReplyWriter;
import sluice.codecs.memcached.bridge.RequestWriter;
import sluice.codecs.memcached.bridge.Status;
import sluice.codecs.split.ChunkKeys;
import sluice.gateway.dispatch.ClientSession;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.dispatch.PoolBackend;
import sluice.gateway.dispatch.RequestContext;
import sluice.gateway.dispatch.RequestSender;
import sluice.gateway.request.Aggregator;
import sluice.gateway.request.Bridged;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.Suppression;
import sluice.gateway.server.Server;
import sluice.gateway.server.ServerWaiter;
import sluice.gateway.server.ServerWaits;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.session.LoopState;
import sluice.names.Dialect;

/**
 * Requests for all chunks of one value, a few at a time, in place of one request of a client. One
 * instance for each such request, on its event loop.
 */
abstract class ChunkRequests implements Aggregator, ServerWaiter {
  /** The most requests for chunks of one value in flight. */
  static final int MOST_UNDER_WAY = 4;

  /** Bytes of heap that one takes, about, besides those for each chunk. */
  private static final int BYTES = 768;

  /** Bytes of heap for each chunk, about, besides its subrequest. */
  private static final int BYTES_A_CHUNK = 48;

  /** Number of a subrequest that does not belong to a chunk. */
  static final int NO_CHUNK = -1;

  /** One chunk and its server's reply, which is written in no dialect. */
  static final class Chunk implements ReplyWriter {
    private @Nullable PendingReply subrequest; // null when it was dropped

    @SuppressWarnings("NullAway.Init") // set by the reply
    Status status;

    int flags;
    long cas;
    @Nullable String error; // the server's error line
    int sum; // sum as it was sent

    /** The pending reply, which was answered. */
    @SuppressWarnings("NullAway") // none is dropped before the request as a whole is answered
    PendingReply subrequest() {
      return subrequest;
    }

    @Override
    public void write(Reply reply, Awaited awaited, ByteBuf out) {
      status = reply.status;
      flags = reply.flags;
      cas = reply.cas;
      error = reply.errorText();
    }

    @Override
    public void endValue(Awaited awaited, ByteBuf out) {} // nothing is written
  }

  final LoopState loopState;
  final RequestSender sender;
  final RequestContext.Recycler contexts;
  final ClientSession client;
  final Split split;
  final Dialect dialect;
  @Nullable PendingReply whole; // null when it is answered
  @Nullable String failure; // the reason why some chunk has no answer
  private ChunkKeys keys;
  private Chunk[] chunks = {}; // until the first is requested
  private int heap; // bytes that are counted
  private int valueLength;
  private int chunkLength;
  private int next;
  private int underWay;
  private boolean scheduled;
  private boolean waits;
  private final ServerWaits serverWaits = new ServerWaits();
  private boolean soughtElsewhere;

  @SuppressWarnings("NullAway.Init") // of sets the keys, before which there are no chunks
  ChunkRequests(
      RequestSender sender,
      RequestContext.Recycler contexts,
      ClientSession client,
      Split split,
      Dialect dialect,
      PendingReply whole) {
    this.loopState = sender.loopState();
    this.sender = sender;
    this.contexts = contexts;
    this.client = client;
    this.split = split;
    this.dialect = dialect;
    this.whole = whole;
    takesHeap(BYTES);
  }

  private void takesHeap(int bytes) {
    loopState.loop().memory().addObjects(bytes - heap);
    heap = bytes;
  }

  /** The client's pending reply, until it is answered. */
  @Override
  @SuppressWarnings("NullAway") // no request is sent or awaited after that
  public final PendingReply whole() {
    return whole;
  }

  /** Sets the keys, and the lengths of all chunks together and of each. */
  final void of(ChunkKeys keys, int valueLength, int chunkLength) {
    this.keys = keys;
    this.valueLength = valueLength;
    this.chunkLength = chunkLength;
  }

  final int count() {
    return chunkLength == 0 ? 0 : (int) ((valueLength + (long) chunkLength - 1) / chunkLength);
  }

  final Chunk chunk(int index) {
    return chunks[index];
  }

  /** Length of all chunks together in bytes. */
  final int length() {
    return valueLength;
  }

  /** Length of the chunk with a number in bytes. */
  final int lengthOf(int index) {
    return Math.min(chunkLength, valueLength - index * chunkLength);
  }

  // --- what is asked ------------------------------------------------------------------------

  /** Makes the request for a chunk, with its value if it has one; the caller sets its key. */
  abstract void request(int index, RequestContext context);

  /** Called when a chunk has been answered. */
  abstract void answered(int index, Chunk chunk);

  /**
   * Called when no chunk is in flight: all have been answered, or the result {@link #isDecided}.
   * May be called again.
   */
  abstract void end();

  /**
   * Called when the request before or behind the chunks was answered; why as for other subrequests.
   */
  void otherAnswered(PendingReply subrequest, @Nullable String why) {}

  /** Whether the result is known already. */
  boolean isDecided() {
    return failure != null;
  }

  /** Continues in a later loop iteration, because the caller may be in the middle of something. */
  final void schedule() {
    if (!scheduled) {
      scheduled = true;
      client.later(this::goOn);
    }
  }

  private void goOn() {
    scheduled = false;
    if (whole == null) {
      return;
    }
    loopState.loop().tick();
    if (chunks.length < count()) { // a client may have a thousand others that wait for their turn
      chunks = new Chunk[count()];
      takesHeap(BYTES + BYTES_A_CHUNK * chunks.length);
    }
    while (!waits && !isDecided() && next < chunks.length && underWay < MOST_UNDER_WAY) {
      if (send(next)) {
        next++;
      }
    }
    if (underWay == 0 && (isDecided() || (next == chunks.length && !waits))) {
      end();
    }
  }

  /** The connection to server, if it takes a request now; sets a failure if it never will. */
  final @Nullable ServerConnection connectionTo(Server server) {
    ServerConnection connection = client.readyConnectionTo(server);
    if (connection != null) {
      serverWaits.clear();
      return connection;
    }
    String unavailable = server.unavailable();
    if (unavailable == null) {
      waits = true;
      serverWaits.begin(server, loopState.loop().now());
      server.await(this);
    } else {
      failure = unavailable;
      server.refused(unavailable);
    }
    return null;
  }

  /**
   * Whether a request went to another server than its chunk's own, which is down or ejected: to one
   * of a failover pool, or to one that has its keys meanwhile.
   */
  final boolean hasSoughtElsewhere() {
    return soughtElsewhere;
  }

  private boolean send(int index) {
    ByteBuf key = keys.of(index);
    PoolBackend backend = split.of(dialect, key);
    Pool pool = backend.pool();
    int place = pool.serverOf(key, 0, key.writerIndex());
    soughtElsewhere |= pool != split.home() || !pool.isHome(place, key, 0, key.writerIndex());
    Server server = pool.server(place, dialect);
    ServerConnection connection = connectionTo(server);
    if (connection == null) {
      return false;
    }
    RequestContext context = contexts.take();
    try {
      return send(index, context, backend, key, connection);
    } finally {
      contexts.give(context);
    }
  }

  private boolean send(
      int index,
      RequestContext context,
      PoolBackend backend,
      ByteBuf key,
      ServerConnection connection) {
    Chunk chunk = new Chunk();
    request(index, context);
    context.request().key.set(key, 0, key.writerIndex());
    backend.adapt(context); // items in a failover pool may need shorter times to live
    RequestWriter writer = backend.pool().writer(connection, dialect);
    ByteBuf head = sender.plainHead(context, writer, chunk, connection.nextOpaque(writer));
    if (head == null) {
      failure = "the servers' dialect cannot express the request for a chunk of the value";
      return false;
    }
    chunks[index] = chunk;
    PendingReply subrequest = subrequest(index, context.takeBridged(), Suppression.NOTHING);
    chunk.subrequest = subrequest;
    connection.expect(subrequest);
    sender.mayRepeat(context, connection, subrequest, head);
    sender.write(context, connection, head, writer.endsValueWithLine());
    underWay++;
    return true;
  }

  /** Adds a subrequest of the whole, which the caller sends. */
  final PendingReply subrequest(int index, Bridged bridged, Suppression suppression) {
    PendingReply subrequest = loopState.requestPool().take();
    PendingReply of = whole();
    subrequest.start(client, of.command(), ReplyKind.BRIDGED, suppression, loopState.loop().now());
    subrequest.binary(of.opcode(), of.opaque());
    subrequest.subrequestOf(this, index);
    subrequest.bridge(bridged);
    return subrequest;
  }

  // --- what is answered -----------------------------------------------------------------------

  @Override
  public final void subrequestCompleted(PendingReply completed, @Nullable String why) {
    if (completed.subrequestNumber() == NO_CHUNK) {
      otherAnswered(completed, why);
      return;
    }
    Chunk chunk = chunks[completed.subrequestNumber()];
    underWay--;
    if (why != null) {
      failure = failure == null ? why : failure;
    } else {
      answered(completed.subrequestNumber(), chunk);
    }
    schedule();
  }

  /** Gives a subrequest back, if there is one. */
  final void drop(@Nullable PendingReply subrequest) {
    if (subrequest != null) {
      loopState.requestPool().give(subrequest);
    }
  }

  /** Drops all chunks: the request has ended. */
  final void dropChunks() {
    takesHeap(0);
    for (Chunk chunk : chunks) {
      if (chunk != null) {
        drop(chunk.subrequest);
        chunk.subrequest = null;
      }
    }
  }

  @Override
  public final long progress() {
    return next;
  }

  @Override
  public final boolean awaits(PendingReply subrequest) {
    return true; // nothing is answered before the result is known
  }

  @Override
  public void cancel() {
    whole = null;
    dropChunks();
  }

  @Override
  public final void serverChanged() {
    waits = false;
    if (whole != null) {
      client.run(this::goOn);
    }
  }

  @Override
  public final void serverTooLate(String reason) {
    waits = false;
    if (whole != null) {
      failure = failure == null ? reason : failure;
      schedule();
    }
  }

  @Override
  public final long waitingSince() {
    return serverWaits.since();
  }
}
