package sluice.gateway.request;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.SliceList;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.metrics.RuleMetrics;
import sluice.gateway.samples.KeyNote;
import sluice.names.Command;

/**
 * Reply that a client, or a subrequest of a client's request, waits for: its place in the order of
 * the client's replies. Pooled, and reset when it is released.
 *
 * <p>Buffers the slices of the reply until it is next in order, and owns them. A {@link
 * ServerRequest} represents the request to a server. The two separate if the reply is answered in
 * another way.
 *
 * <p>Longer than 400 lines because it contains the interface of its client, and because most
 * methods, each with its contract, delegate to one part.
 */
public final class PendingReply {
  /** No opaque: the client sent none, or expects none back. */
  public static final int NONE = -1;

  private enum Progress {
    /** Nothing of the reply has been written. */
    AWAITED,
    /** Bytes of the reply have been written: an error can no longer replace it. */
    BEGUN,
    /** The whole reply has been received or written. */
    COMPLETE
  }

  /** Client of servers, which gets replies in the order of its requests. */
  public interface Requester extends ReplyReceiver {
    /** Whether the replies to all requests before pending reply have been written. */
    boolean isTurnOf(PendingReply pending);

    /**
     * The reply is complete: its bytes were written, or it buffers them. It must not be used
     * afterwards, because it may be reused for another request.
     *
     * @return whether buffered replies follow, which {@link #advance} writes
     */
    boolean completed(PendingReply pending);

    /**
     * Whether nothing can be written until more of {@code pending}, or of a subrequest's reply, has
     * arrived.
     */
    boolean needsNext(PendingReply pending);

    /**
     * As {@link #reply(ByteBuf, int, int)}, for a few bytes. Borrows source, which may be reused at
     * once.
     */
    void replyCopy(ByteBuf source, int from, int length);

    /** Writes the buffered replies that are next in order. */
    void advance();

    /** Accounts for bytes that pending replies buffer for this requester; negative: fewer. */
    void hold(long delta);

    /**
     * The error reply in place of {@code pending}, which states the reason, in the requester's
     * dialect. The caller owns the result.
     */
    ByteBuf failureReply(PendingReply pending, String reason);

    /** A partly written reply cannot be completed: the connection must close. */
    void abandon(String reason);
  }

  /** State that few replies have: above all, links to other objects. */
  private static final class Rare {
    private final InFlightLink guarded = new InFlightLink();
    private final Echoed echoed = new Echoed();
    private @Nullable Aggregator aggregator; // that it is a subrequest of
    private int number;
    private @Nullable Aggregator subrequests; // the aggregator of its own subrequests
    private Aggregator.@Nullable Continuation continuation;
    private boolean unworked;
    private long cost;
    private long askedAt;
    private long earlierNanos; // of servers, before it was asked
    private boolean late;
    private boolean logged;
    private @Nullable RequestConnection asked; // unless it is not logged
    private @Nullable KeyNote note; // null until the first

    /** Ends the guard's observation, and clears everything. */
    void reset() {
      guarded.end();
      echoed.reset();
      aggregator = null;
      number = 0;
      subrequests = null;
      continuation = null;
      unworked = false;
      cost = 0;
      askedAt = 0;
      earlierNanos = 0;
      late = false;
      logged = false;
      asked = null;
      if (note != null) {
        note.clear();
      }
    }

    boolean isReset() {
      return guarded.guard() == null
          && echoed.isReset()
          && aggregator == null
          && subrequests == null
          && continuation == null
          && !unworked
          && cost == 0
          && asked == null;
    }
  }

  private final ServerRequest.Source pool;
  private final SliceList held = new SliceList();

  @SuppressWarnings("NullAway.Init") // start sets it
  private Requester requester;

  private @Nullable Bridged bridged;
  private ExpectedReply expected = ExpectedReply.NONE;
  private Progress progress = Progress.AWAITED;
  private @Nullable ServerRequest request; // idle if no server is asked; null before the first
  private int opcode; // that a binary client sent, as its opaque
  private int opaque;
  private long started;
  private long serverNanos;
  private Outcome outcome = Outcome.OK;
  private @Nullable RuleMetrics rule;

  // An object that is not touched takes no space in the CPU's cache.
  private @Nullable Rare rare; // null before the first use

  PendingReply(ServerRequest.Source pool) {
    this.pool = pool;
  }

  /** Sets the facts known when the request was read. */
  public PendingReply start(
      Requester by, Command command, ReplyKind kind, Suppression suppression, long now) {
    this.requester = by;
    expected = ExpectedReply.of(command, kind, suppression);
    started = now;
    return this;
  }

  /** The client that waits for the reply. */
  public Requester requester() {
    return requester;
  }

  /** Sets a guard, which is notified until the request is no longer in flight. */
  public void guard(InFlightWatcher guard, long what) {
    rare().guarded.begin(guard, what);
  }

  /** The guard of the request, or null. */
  public @Nullable InFlightWatcher guard() {
    return rare == null ? null : rare.guarded.guard();
  }

  /** The argument of {@link #guard} for the request. */
  public long guarded() {
    return rare == null ? 0 : rare.guarded.what();
  }

  /** Whether the client needs this reply, or the one that it is a subrequest of, next. */
  public boolean isNeededNext() {
    return requester.needsNext(this);
  }

  // --- what the server is asked -------------------------------------------------------------

  /** The request to a server for this reply. The reply keeps it for the next use. */
  public ServerRequest request() {
    if (request == null) {
      request = pool.takeRequest();
      request.replyTo(this);
    } else if (request.isIdle()) {
      request.use();
    }
    return request;
  }

  private boolean isAsking() {
    return request != null && !request.isIdle();
  }

  /** The request, about to be sent: it now gets the reply kind. */
  public ServerRequest sends() {
    ServerRequest sent = request();
    sent.begin(expected, opcode, started);
    return sent;
  }

  /**
   * Separates the reply from the server: further bytes are dropped, because the reply is answered
   * in another way. Buffered bytes stay.
   */
  public void detach() {
    ServerRequest sent = request;
    if (sent == null || sent.isIdle()) {
      return;
    }
    dropWork();
    if (sent.connection() == null) {
      sent.reset();
    } else {
      request = null;
      sent.detach(this); // its connection releases it when the server has answered
    }
  }

  /** Gives up and returns the request that it kept for the next use; null if there is none. */
  @Nullable ServerRequest takeIdleRequest() {
    ServerRequest kept = request;
    request = null;
    return kept;
  }

  /** The request continues without this reply. */
  void moveRestTo(ServerRequest other) {
    if (rare != null && rare.guarded.guard() != null) {
      rare.guarded.moveTo(other.guarded());
    }
  }

  /**
   * Releases buffered bytes, and restores the initial state. The pool takes the {@linkplain
   * #takeBridged bridge} out.
   */
  void reset() {
    releaseSlices();
    dropWork();
    detach();
    if (rare != null) {
      rare.reset();
    }
    leaveRequester();
    expected = ExpectedReply.NONE;
    progress = Progress.AWAITED;
    opcode = 0;
    opaque = 0;
    serverNanos = 0;
    outcome = Outcome.OK;
    if (rule != null) { // storing a reference costs a write barrier of the collector
      rule = null;
    }
  }

  @SuppressWarnings("NullAway") // only a reply in the pool has none
  private void leaveRequester() {
    requester = null;
  }

  /** Whether it is in its initial state, as far as later requests depend on it. */
  boolean isReset() {
    return requester == null
        && (rare == null || rare.isReset())
        && bridged == null
        && expected == ExpectedReply.NONE
        && progress == Progress.AWAITED
        && !isAsking()
        && held.isEmpty()
        && outcome == Outcome.OK;
  }

  private void dropWork() {
    if (bridged != null && bridged.work() != null) {
      bridged.work().dropped();
    }
  }

  private Rare rare() {
    rare = rare == null ? new Rare() : rare;
    return rare;
  }

  /** The aggregator of the subrequests that this request was split into, or null. */
  public @Nullable Aggregator subrequests() {
    return rare == null ? null : rare.subrequests;
  }

  public void splitInto(@Nullable Aggregator subrequests) {
    rare().subrequests = subrequests;
  }

  /** The aggregator that this is a subrequest of, or null. */
  public @Nullable Aggregator aggregator() {
    return rare == null ? null : rare.aggregator;
  }

  /** Makes this a subrequest of aggregator, with a number. */
  public void subrequestOf(Aggregator aggregator, int number) {
    Rare own = rare();
    own.aggregator = aggregator;
    own.number = number;
  }

  /** Its number among the subrequests. */
  public int subrequestNumber() {
    return rare == null ? 0 : rare.number;
  }

  /** The bridge between the dialects of client and server; null: replies pass unchanged. */
  public @Nullable Bridged bridged() {
    return bridged;
  }

  /** Bridges this pending reply, until it is released. */
  public void bridge(Bridged bridged) {
    this.bridged = bridged;
    expected = expected.readAs(ReplyKind.BRIDGED);
  }

  /** The value may refer to other values, which are then read next. */
  public void continueBy(Aggregator.@Nullable Continuation by) {
    rare().continuation = by;
  }

  /** The examination of the reply's complete value, or null. */
  public Aggregator.@Nullable Continuation continuation() {
    return rare == null ? null : rare.continuation;
  }

  /** Takes the bridge out of this pending reply; the caller releases it. */
  public @Nullable Bridged takeBridged() {
    Bridged taken = bridged;
    bridged = null;
    return taken;
  }

  public Command command() {
    return expected.command();
  }

  public ReplyKind kind() {
    return expected.kind();
  }

  public Suppression suppression() {
    return expected.suppression();
  }

  // --- what metrics and logs report ---------------------------------------------------------

  /** When the request was read, in {@link System#nanoTime}'s nanoseconds. */
  public long started() {
    return started;
  }

  /** The client is still sending the request: its time starts again. */
  public void restart(long now) {
    started = now;
    if (request != null && isAsking()) {
      request.restart(now);
    }
  }

  /** Whether it was sent to the server of {@code next} on another connection. */
  public boolean wasSentElsewhere(RequestConnection next) {
    return request != null
        && request.connection() != null
        && request.connection().isAnotherToSameServer(next);
  }

  /** Whether it is with a server that has not answered it. */
  public boolean isWithServer() {
    return request != null && request.connection() != null;
  }

  /** Whether it is with another server than that of {@code next}, which has not answered it. */
  public boolean isWithAnotherServer(RequestConnection next) {
    return request != null
        && request.connection() != null
        && request.connection() != next
        && !request.connection().isAnotherToSameServer(next);
  }

  void sentTo(RequestConnection server) {
    if (rare != null && rare.logged) {
      rare.asked = server;
    }
  }

  /**
   * The server connection that the request was sent on, even if it was answered in another way;
   * null if there is none, or if the request is not {@linkplain #logged logged}.
   */
  public @Nullable RequestConnection asked() {
    return rare == null ? null : rare.asked;
  }

  /** Sets the counters of the rule that decided the request; null for none. */
  public void rule(@Nullable RuleMetrics matched) {
    if (rule != matched) { // storing a reference costs a write barrier of the collector
      rule = matched;
    }
  }

  /** The counters of the rule that decided the request; null for none. */
  public @Nullable RuleMetrics rule() {
    return rule;
  }

  /**
   * A log may need the request: its server and a note of its key are kept.
   *
   * @param noted is copied; null if the request has no key
   */
  public void logged(@Nullable KeyNote noted) {
    Rare own = rare();
    own.logged = true;
    if (noted != null) {
      own.note = own.note == null ? new KeyNote() : own.note;
      own.note.copy(noted);
    }
  }

  /** The note of the request's key for a log; null if there never was one. */
  public @Nullable KeyNote note() {
    return rare == null ? null : rare.note;
  }

  /**
   * From now on, servers are asked for the next step of the reply: one of them, or several at the
   * same time. Their time adds to that of the steps before.
   */
  public void askServers(long now) {
    Rare own = rare();
    own.askedAt = now;
    own.earlierNanos = serverNanos;
  }

  /** The step has ended: all of its time is that of servers. */
  public void serversAnswered(long now) {
    serverTook(now - rare().askedAt);
  }

  /** A server took so long for this step. That counts for the reply that this is a part of, too. */
  void serverTook(long nanos) {
    long took = Math.max(0, nanos);
    for (PendingReply of = this; of != null; of = of.whole()) {
      took += of.rare == null ? 0 : of.rare.earlierNanos;
      of.serverNanos = Math.max(of.serverNanos, took);
    }
  }

  /** The reply of the same requester that this is a part of; null if it is none. */
  private @Nullable PendingReply whole() {
    Aggregator aggregator = aggregator();
    PendingReply whole = aggregator == null ? null : aggregator.whole();
    return whole == null || whole.requester != requester ? null : whole;
  }

  /** The time that the server took, in nanoseconds; 0 if there was none. */
  public long serverNanos() {
    return serverNanos;
  }

  /** The outcome, for the metrics. */
  public Outcome outcome() {
    return outcome;
  }

  public void outcome(Outcome outcome) {
    this.outcome = outcome;
  }

  /**
   * No server has answered in time: if the reply that this is a part of fails, it was late, too.
   */
  void timedOut() {
    for (PendingReply of = this; of != null; of = of.whole()) {
      of.rare().late = true;
    }
  }

  /** Sets the outcome of a reply without which its requester must do: some server has failed. */
  public void fails() {
    outcome = rare != null && rare.late ? Outcome.TIMEOUT : Outcome.SERVER_DOWN;
  }

  /** Whether bytes of the reply have been written: an error cannot replace it any more. */
  public boolean isCommitted() {
    return progress == Progress.BEGUN;
  }

  /** Number that changes with every progress of its bytes and of its subrequests. */
  public long progress() {
    Aggregator own = subrequests();
    return heldBytes() + (own == null ? 0 : own.progress());
  }

  /** Whether the whole reply has been received or written. */
  public boolean isComplete() {
    return progress == Progress.COMPLETE;
  }

  public void complete() {
    progress = Progress.COMPLETE;
  }

  // --- what the reply repeats ---------------------------------------------------------------

  /** Binary: sets the opcode and opaque that the client sent. */
  public void binary(int opcode, int opaque) {
    this.opcode = opcode;
    this.opaque = opaque;
  }

  public int opcode() {
    return opcode;
  }

  public int opaque() {
    return opaque;
  }

  /** Sets the gateway's own opaque on the server connection. */
  public void wireOpaque(int wireOpaque) {
    request().opaque(wireOpaque);
  }

  /** Meta: sets the client's opaque, the bytes [from, to) after its letter. Borrows in. */
  public void clientOpaque(ByteBuf in, int from, int to) {
    rare().echoed.metaOpaque(in, from, to);
  }

  /** Length of the client's meta opaque, or {@link #NONE}. */
  public int clientOpaqueLength() {
    return rare == null ? NONE : rare.echoed.metaOpaqueLength();
  }

  public byte[] clientOpaque() {
    return rare().echoed.metaOpaque();
  }

  /** Sets how the key was rewritten, or null. */
  public void rewrite(@Nullable KeyRewrite rewrite) {
    request().rewrite(rewrite);
  }

  /** The request to the server in its sent form. */
  public SentRequest sent() {
    return request().sent();
  }

  /**
   * Meta: the base64 key that the gateway adds to the reply. The server must not return it, because
   * it would repeat the raw key, which could break the line. Null if there is none.
   */
  public @Nullable ByteBuf echoKey() {
    return rare == null ? null : rare.echoed.key();
  }

  /** Consumes key, which lives as long as the pending reply. */
  public void echoKey(ByteBuf key) {
    rare().echoed.key(key);
  }

  // --- the reply held -----------------------------------------------------------------------

  /** Buffers a slice of the reply until it is next in order. Consumes slice. */
  public void hold(ByteBuf slice) {
    int bytes = slice.readableBytes();
    held.add(slice);
    requester.hold(bytes);
  }

  /**
   * Buffers a copy of the bytes [from, from + length) of source, after those copied before. Borrows
   * source.
   *
   * @param allocator of the buffer that is copied into
   */
  public void holdCopy(ByteBuf source, int from, int length, ByteBufAllocator allocator) {
    held.copy(source, from, length, allocator);
    requester.hold(length);
  }

  /** Moves all slices to the end of those of to, which owns them then. */
  public void moveSlices(PendingReply to) {
    if (!held.isEmpty()) {
      moves(held.length(), to);
      held.moveTo(to.held);
    }
  }

  /**
   * Moves the first buffered bytes to the end of those of to. The indexes of this pending reply's
   * slices become invalid.
   *
   * @param loop of both
   */
  public void moveBytes(int bytes, PendingReply to, Loop loop) {
    moves(bytes, to);
    held.joinTo(to.held, bytes, loop.slices(), loop.workspace().allocator());
  }

  /**
   * Accounting: a request and its subrequests belong to one requester, which held the bytes before.
   */
  private void moves(int bytes, PendingReply to) {
    if (requester != to.requester) {
      requester.hold(-bytes);
      to.requester.hold(bytes);
    }
  }

  public int sliceCount() {
    return held.count();
  }

  /** Slice {@code index}; borrowed. */
  public ByteBuf slice(int index) {
    return held.get(index);
  }

  /** Moves all slices to the end of a list, which owns them then. */
  public void moveSlices(SliceList to) {
    if (!held.isEmpty()) {
      requester.hold(-held.length());
      held.moveTo(to);
    }
  }

  public int heldBytes() {
    return held.length();
  }

  /**
   * Sets whether the buffered bytes are a value that must be processed before the requester may get
   * it.
   */
  public void holdsUnworked(boolean holds) {
    if (holds || rare != null) {
      rare().unworked = holds;
    }
  }

  /** Whether the buffered bytes are such a value, or the part of it that has arrived. */
  public boolean holdsUnworked() {
    return rare != null && rare.unworked;
  }

  /**
   * A server sends a value of this length for the reply, or the gateway makes one. The requester
   * may get no byte of it. The length counts for the reply that this is a part of.
   */
  public void costs(long bytes) {
    PendingReply of = this;
    for (PendingReply whole = of.whole(); whole != null; whole = of.whole()) {
      of = whole;
    }
    of.rare().cost += bytes;
  }

  /** Bytes of the values that it {@linkplain #costs cost}. */
  public long cost() {
    return rare == null ? 0 : rare.cost;
  }

  /** Whether enough is buffered to write it before it is complete, if it is next in order. */
  public boolean isLong(int from) {
    return !holdsUnworked() && !held.isEmpty() && (isCommitted() || held.length() >= from);
  }

  /** Writes the buffered bytes to the requester; this pending reply must be next in order. */
  public void writeSlices() {
    if (!held.isEmpty()) {
      progress = progress == Progress.AWAITED ? Progress.BEGUN : progress;
      requester.hold(-held.length());
      held.drainTo(requester);
    }
  }

  /**
   * Writes a few bytes, [from, from + length) of source, to the requester; this pending reply must
   * be next in order, and buffer nothing. Borrows source, which may be reused at once.
   */
  public void writeCopy(ByteBuf source, int from, int length) {
    progress = progress == Progress.AWAITED ? Progress.BEGUN : progress;
    requester.replyCopy(source, from, length);
  }

  /** Releases the buffered bytes. */
  public void releaseSlices() {
    if (!held.isEmpty()) {
      requester.hold(-held.length());
      held.clear();
    }
  }
}
