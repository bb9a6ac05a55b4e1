package sluice.gateway.dispatch.chunks;

import io.netty.buffer.ByteBuf;
import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.buffer.Slices;
import sluice.codecs.memcached.bridge.Awaited;
import sluice.codecs.memcached.bridge.Failure;
import sluice.codecs.memcached.bridge.Operation;
import sluice.codecs.memcached.bridge.Reply;
import sluice.codecs.memcached.bridge.Request;
import sluice.codecs.split.ChunkSum;
import sluice.codecs.split.SplitHead;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.dispatch.PoolBackend;
import sluice.gateway.loop.Loop;
import sluice.gateway.request.Aggregator;
import sluice.gateway.request.Bridged;
import sluice.gateway.request.PendingReply;
import sluice.gateway.route.Action;
import sluice.gateway.values.ValueWork;
import sluice.names.Dialect;

/**
 * Storage of large values of one rule in one of its pools. A value is stored in chunks under keys
 * of their own, and a {@link SplitHead} that describes them is stored under the client's key
 * (docs/reference/values.md). Other processing applies to the whole value, before it is split and
 * after it was joined. Belongs to one event loop.
 */
public final class Split implements ValueWork {
  private static final Failure HOLDS_HEAD =
      Failure.ofServer("data to be added contains the head of a chunked value");

  /** The error for a value whose chunks are not read. */
  public static final Failure TOO_LONG =
      Failure.ofServer("chunked value exceeds the item size limit");

  /** The most chunks of any value: other gateways may use smaller ones than this rule. */
  private static final long MOST_CHUNKS = 1024;

  private final int above;
  private final int flag;
  private final long most;
  private final long mostChunks;
  private final PoolBackend home;
  private final PoolBackend[] failover;
  private final @Nullable ValueWork next;
  private final SplittableRandom stamps;
  private final Map<Dialect, Aggregator.Continuation> readers = new EnumMap<>(Dialect.class);
  private final SplitHead head = new SplitHead();
  private final ChunkSum sum = new ChunkSum();
  private final Slices slices;
  private boolean headSuffices; // for the reply that is described next

  @SuppressWarnings("NullAway.Init") // reader sets it, before a value is examined
  private ChunkReader chunkReader; // the loop's

  /**
   * Storage for one pool.
   *
   * @param of the pool, with all processing of whole values
   * @param failover pools for chunks whose server accepts no requests: the same for all pools of a
   *     rule, so that a reader of a head finds its chunks
   * @param most length of the largest values that clients may have, in bytes
   * @param seed of the stamps of values, which must differ from that of other gateways
   */
  public Split(
      Action.Chunks chunks,
      PoolBackend of,
      PoolBackend[] failover,
      long most,
      long seed,
      Loop loop) {
    above = (int) chunks.above();
    flag = chunks.flag();
    this.most = most;
    mostChunks = Math.max(MOST_CHUNKS, (most + above - 1) / above);
    next = of.work();
    home = new PoolBackend(of.pool(), null);
    this.failover = failover.clone();
    stamps = new SplittableRandom(seed);
    slices = loop.slices();
    for (Dialect dialect : Dialect.values()) {
      readers.put(dialect, (pending, reply, value) -> of(dialect, pending, reply, value));
    }
  }

  // --- where chunks are ----------------------------------------------------------------------

  /** The pool of the chunk with this key, which is all readable bytes. Borrows key. */
  PoolBackend of(Dialect dialect, ByteBuf key) {
    if (failover.length == 0 || !home.pool().isDown(dialect, key, 0, key.writerIndex())) {
      return home;
    }
    for (PoolBackend other : failover) {
      if (!other.pool().isDown(dialect, key, 0, key.writerIndex())) {
        return other;
      }
    }
    return home;
  }

  /** The pool of heads, and of chunks whose servers take requests. */
  Pool home() {
    return home.pool();
  }

  // --- values ---------------------------------------------------------------------------------

  /** Length of each chunk but the last in bytes. */
  public int chunkLength() {
    return above;
  }

  /** The bit of the flags that marks heads. */
  public int flag() {
    return flag;
  }

  /** Further processing of whole values, if any. */
  public @Nullable ValueWork next() {
    return next;
  }

  /** A stamp that no other value has. */
  public long stamp() {
    return stamps.nextLong();
  }

  public SplitHead head() {
    return head;
  }

  /** Calculator of sums, for one chunk at a time. */
  public ChunkSum sum() {
    return sum;
  }

  /**
   * Whether {@link #head} describes a value longer than clients may have, or more chunks than a
   * gateway makes. Any client may have stored it, and each chunk costs a request.
   */
  public boolean isHeadTooLong() {
    long length = head.valueLength();
    return length > most || (length - 1) / head.chunkLength() >= mostChunks;
  }

  private boolean isFlagged(int flags) {
    return (flags & flag) != 0;
  }

  /** Whether a request, whose value was otherwise processed, is stored in chunks. */
  public boolean splits(Request request, SliceList value) {
    return switch (request.operation) {
      case SET, ADD, REPLACE ->
          value.length() > above || (isFlagged(request.flags) && holdsHead(value));
      default -> false;
    };
  }

  /** Whether value contains a head; then {@link #head} shows the first. */
  public boolean holdsHead(SliceList value) {
    return value.length() >= SplitHead.LENGTH && head.find(value);
  }

  @Override
  public void prepare(Request request) {
    if (next != null) {
      next.prepare(request);
    }
    if (request.operation == Operation.TOUCH && request.isMeta()) {
      request.operation = Operation.GET; // a read, which reaches the chunks and has the same reply
    }
    if (request.operation == Operation.GET
        && (request.timeToLive.isGiven
            || request.wants(Request.VALUE | Request.FLAGS | Request.SIZE))) {
      request.likes |= Request.VALUE | Request.FLAGS | Request.CAS;
    }
  }

  @Override
  public boolean gathers(Request request) {
    boolean own =
        switch (request.operation) {
          case SET, ADD, REPLACE -> request.valueLength > above || isFlagged(request.flags);
          case APPEND, PREPEND -> true;
          default -> false;
        };
    return own || (next != null && next.gathers(request));
  }

  @Override
  public @Nullable Failure outbound(Request request, SliceList value) {
    Failure error = next != null && next.gathers(request) ? next.outbound(request, value) : null;
    boolean adds = request.operation == Operation.APPEND || request.operation == Operation.PREPEND;
    return error == null && adds && holdsHead(value) ? HOLDS_HEAD : error;
  }

  @Override
  public boolean gathers(Reply reply, Awaited awaited) {
    return isFlagged(reply.flags) || (next != null && next.gathers(reply, awaited));
  }

  @Override
  public @Nullable Failure inbound(Reply reply, Awaited awaited, SliceList value) {
    return next != null && next.gathers(reply, awaited)
        ? next.inbound(reply, awaited, value)
        : null;
  }

  @Override
  public @Nullable Failure describe(Reply reply, Awaited awaited, SliceList value) {
    boolean headOnly = headSuffices;
    headSuffices = false;
    if (next == null) {
      return null;
    }
    if (headOnly) {
      next.unmark(reply);
      return null;
    }
    return next.gathers(reply, awaited) ? next.describe(reply, awaited, value) : null;
  }

  @Override
  public void answered(Reply reply, Awaited awaited) {
    if (next != null) {
      next.answered(reply, awaited);
    }
    if (reply.size >= 0 && awaited.operation().isStorage()) {
      boolean adds =
          awaited.operation() == Operation.APPEND || awaited.operation() == Operation.PREPEND;
      reply.size = adds ? -1 : awaited.valueLength();
    }
    if (!awaited.operation().isStorage()) {
      reply.flags &= ~flag; // only the value could tell whether the client had set the bit
    }
  }

  // --- reading ----------------------------------------------------------------------------------

  /** Reader of the chunks of a value whose head was found. */
  public interface ChunkReader {
    /** A read whose reply becomes that of whole. Borrows head, consumes before and behind. */
    Aggregator read(
        Split split,
        Dialect dialect,
        PendingReply whole,
        Reply head,
        SliceList before,
        SliceList behind);
  }

  /** A continuation that examines values read by clients of a dialect, and reads their chunks. */
  @SuppressWarnings("NullAway") // there is one for each dialect
  public Aggregator.Continuation reader(Dialect dialect, ChunkReader reads) {
    chunkReader = reads;
    return readers.get(dialect);
  }

  private @Nullable Aggregator of(
      Dialect dialect, PendingReply pending, Reply reply, SliceList value) {
    headSuffices = false;
    if (!isFlagged(reply.flags) || !holdsHead(value)) {
      return null; // the flag was set by a client
    }
    if (!head.hasClientsBit()) {
      reply.flags &= ~flag;
    }
    Bridged bridged = bridged(pending);
    Awaited awaited = bridged.awaited();
    if (!awaited.wantsValue() && !awaited.wantsSize() && !bridged.setsExptime()) {
      headSuffices = true;
      return null;
    }
    SliceList before = new SliceList(slices);
    value.moveTo(before, head.offset());
    value.skip(SplitHead.LENGTH);
    SliceList behind = new SliceList();
    value.moveTo(behind);
    return chunkReader.read(this, dialect, pending, reply, before, behind);
  }

  /** What is remembered of a read whose value is examined. */
  @SuppressWarnings("NullAway") // only the values of bridged replies are examined
  static Bridged bridged(PendingReply pending) {
    return pending.bridged();
  }
}
