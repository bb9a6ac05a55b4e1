package sluice.gateway.exchange;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.SliceList;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.samples.KeyNote;
import sluice.names.Command;

/**
 * Reply that a client, or a part of a client's request, waits for: its place in the order of the
 * client's replies. Pooled: every field is set anew for each request.
 *
 * <p>Holds the pieces of the reply until its turn comes, and owns them. {@link ServerRequest} is
 * what a server is asked for it. The two part when the reply is answered otherwise.
 */
public final class Exchange {
  /** No opaque: the client sent none, or none is expected back. */
  public static final int NONE = -1;

  /** What a quiet request hides of its reply. */
  public static final int HIDE_NOTHING = 0;

  /** Hides every reply: noreply. */
  public static final int HIDE_ALL = 1;

  /** Hides the miss: meta {@code EN}, binary status 1. */
  public static final int HIDE_MISS = 2;

  /** Hides success: meta {@code HD}, binary status 0. */
  public static final int HIDE_SUCCESS = 3;

  private enum Progress {
    /** Nothing of the reply has been written. */
    AWAITED,
    /** Bytes of the reply have been written: there is no way back to an error. */
    BEGUN,
    /** The whole reply is here, or was written. */
    COMPLETE
  }

  /** Client of servers: awaits replies, in the order in which it asked. */
  public interface Requester extends ReplyReceiver {
    /** Whether the replies to everything asked before exchange have been written. */
    boolean isTurnOf(Exchange exchange);

    /**
     * Exchange is complete, and what has to be written of it was written or is held by it. It must
     * not be used afterwards: its place is free for another request.
     *
     * @return whether replies that were held for this moment follow, which {@link #advance} writes
     */
    boolean completed(Exchange exchange);

    /** Whether nothing can be written before more of exchange, or of a part's, has come. */
    boolean needsNext(Exchange exchange);

    /** Writes the held replies whose turn has come. */
    void advance();

    /** Counts bytes that exchanges hold for this requester; negative: no longer. */
    void hold(long delta);

    /**
     * The answer to exchange that says why it has no other, in the requester's dialect. The caller
     * owns the result.
     */
    ByteBuf failureReply(Exchange exchange, String reason);

    /** A reply of which bytes have been written will never be whole: only closing is left. */
    void abandon(String reason);
  }

  private final ServerRequest.Source pool;
  private final Observation observation = new Observation();
  private final Echoed echoed = new Echoed();
  private final Guarded guarded = new Guarded();
  private final SliceList held = new SliceList();

  private Requester requester;
  private Gathering gathering;
  private int part;
  private Gathering parts;
  private Bridged bridged;
  private Gathering.Continuation continuation;
  private Command command;
  private Grammar grammar;
  private int hides;
  private Progress progress = Progress.AWAITED;
  private boolean unworked;
  private ServerRequest request;

  Exchange(ServerRequest.Source pool) {
    this.pool = pool;
  }

  void reset() {
    requester = null;
    gathering = null;
    part = 0;
    parts = null;
    bridged = null;
    continuation = null;
    command = Command.UNKNOWN;
    grammar = Grammar.LINE;
    hides = HIDE_NOTHING;
    progress = Progress.AWAITED;
    unworked = false;
    request = null;
    observation.reset();
    echoed.reset();
  }

  /** Sets what is known when the request was read. */
  public Exchange start(Requester by, Command command, Grammar grammar, int hides, long now) {
    this.requester = by;
    this.command = command;
    this.grammar = grammar;
    this.hides = hides;
    observation.start(now);
    return this;
  }

  /** The client that waits for the reply. */
  public Requester requester() {
    return requester;
  }

  /** Guard knows of the request from now on until it is not under way any more. */
  public void guard(Guard guard, long what) {
    guarded.begin(guard, what);
  }

  /** What knows of the request while it is under way, or null. */
  public Guard guard() {
    return guarded.guard();
  }

  /** What {@link #guard} was told of the request. */
  public long guarded() {
    return guarded.what();
  }

  /** Whether the client needs this, or what it is a part of, next. */
  public boolean isNeededNext() {
    return requester.needsNext(this);
  }

  // --- what the server is asked -------------------------------------------------------------

  /** The request that brings the reply from a server; made when it is first needed. */
  public ServerRequest request() {
    if (request == null) {
      request = pool.takeRequest();
      request.replyTo(this);
    }
    return request;
  }

  /** The request, about to be sent: it knows now what the reply is to be read as. */
  public ServerRequest sends() {
    request().begin(command, grammar, echoed.opcode(), observation.started());
    return request;
  }

  /**
   * Nothing of what the server sends from now on is for this reply: it is answered otherwise. Holds
   * what it held.
   */
  public void detach() {
    if (request == null) {
      return;
    }
    dropWork();
    ServerRequest sent = request;
    request = null;
    if (sent.connection() == null) {
      pool.give(sent);
    } else {
      sent.detach(); // its connection gives it back when the server has answered
    }
  }

  /** The request has been answered, or is lost: its connection gives it back. */
  void requestEnds() {
    request = null;
  }

  /** The request goes on without this. */
  void moveRestTo(Guarded other) {
    guarded.moveTo(other);
  }

  /** Releases what is held, and refers to nothing that may be gone soon. */
  void letGo() {
    releasePieces();
    dropWork();
    detach();
    guarded.end();
    requester = null;
    gathering = null;
    parts = null;
    continuation = null;
    echoed.reset();
    observation.reset();
  }

  private void dropWork() {
    if (bridged != null && bridged.work() != null) {
      bridged.work().dropped();
    }
  }

  /** What gathers the parts that this request was split into, or null. */
  public Gathering parts() {
    return parts;
  }

  public void splitInto(Gathering parts) {
    this.parts = parts;
  }

  /** The request this one is a part of, or null. */
  public Gathering gathering() {
    return gathering;
  }

  /** Makes this the part of a request that is number {@code part} of gathering's. */
  public void partOf(Gathering gathering, int part) {
    this.gathering = gathering;
    this.part = part;
  }

  /** Which of its gathering's parts this is. */
  public int part() {
    return part;
  }

  /** What stands between the dialects of client and server; null: replies pass as they are. */
  public Bridged bridged() {
    return bridged;
  }

  /** Bridges this exchange, until it is given back. */
  public void bridge(Bridged bridged) {
    this.bridged = bridged;
    grammar = Grammar.BRIDGED;
  }

  /** The value that it asks for may stand for others, which are asked for next. */
  public void continueBy(Gathering.Continuation by) {
    continuation = by;
  }

  /** What looks at the reply's value when it is whole, or null. */
  public Gathering.Continuation continuation() {
    return continuation;
  }

  /** What bridges this exchange, which it does no longer; the caller gives it back. */
  public Bridged takeBridged() {
    Bridged taken = bridged;
    bridged = null;
    return taken;
  }

  public Command command() {
    return command;
  }

  public Grammar grammar() {
    return grammar;
  }

  public int hides() {
    return hides;
  }

  // --- what metrics and logs report ---------------------------------------------------------

  /** When the request was read, in {@link System#nanoTime}'s nanoseconds. */
  public long started() {
    return observation.started();
  }

  /** The request is still being sent: its time begins anew. */
  public void restart(long now) {
    observation.start(now);
    if (request != null) {
      request.restart(now);
    }
  }

  /** Whether it was sent to the server of {@code next} on another connection. */
  public boolean wasSentElsewhere(RequestConnection next) {
    return request != null
        && request.connection() != null
        && request.connection().isAnotherToSameServer(next);
  }

  void sentTo(RequestConnection server) {
    observation.sentTo(server);
  }

  /** The server connection that was asked, also of a reply that was answered otherwise; or null. */
  public RequestConnection asked() {
    return observation.asked();
  }

  /** Keeps what a log may tell of the request's key. Copies it. */
  public void note(KeyNote noted) {
    observation.note(noted);
  }

  /** What a log may tell of the request's key; null if that was never kept. */
  public KeyNote note() {
    return observation.note();
  }

  /** Several servers are asked from now on, by requests that the gateway makes itself. */
  public void askServers(long now) {
    observation.askServers(now);
  }

  /** Those servers have answered. */
  public void serversAnswered(long now) {
    observation.serversAnswered(now);
  }

  void serverTook(long nanos) {
    observation.serverTook(nanos);
  }

  /** How long the server took, in nanoseconds; 0 if none was asked. */
  public long serverNanos() {
    return observation.serverNanos();
  }

  /** How it ended, for the metrics. */
  public Outcome outcome() {
    return observation.outcome();
  }

  public void outcome(Outcome outcome) {
    observation.outcome(outcome);
  }

  /** Whether bytes of the reply have been written: there is no way back to an error. */
  public boolean isCommitted() {
    return progress == Progress.BEGUN;
  }

  /** Whether the whole reply is here, or was written. */
  public boolean isComplete() {
    return progress == Progress.COMPLETE;
  }

  public void complete() {
    progress = Progress.COMPLETE;
  }

  // --- what the reply repeats ---------------------------------------------------------------

  /** Binary: the opcode and opaque that the client sent. */
  public void binary(int opcode, int opaque) {
    echoed.binary(opcode, opaque);
  }

  public int opcode() {
    return echoed.opcode();
  }

  public int opaque() {
    return echoed.opaque();
  }

  /** Sets the gateway's own opaque on the server connection. */
  public void wireOpaque(int wireOpaque) {
    request().opaque(wireOpaque);
  }

  /** Meta: the client's opaque, the bytes [from, to) behind its letter. Borrows in. */
  public void clientOpaque(ByteBuf in, int from, int to) {
    echoed.metaOpaque(in, from, to);
  }

  /** Bytes of the client's meta opaque, or {@link #NONE}. */
  public int clientOpaqueLength() {
    return echoed.metaOpaqueLength();
  }

  public byte[] clientOpaque() {
    return echoed.metaOpaque();
  }

  /** Sets how the key is rewritten on its way, or null. */
  public void rewrite(KeyRewrite rewrite) {
    request().rewrite(rewrite);
  }

  /** What the server is asked for, as it is sent. */
  public SentRequest sent() {
    return request().sent();
  }

  /**
   * Meta: the base64 key that the gateway adds to the reply, because the server must not be asked
   * for it: it would repeat the raw key, which could break the line. Null if there is none.
   */
  public ByteBuf echoKey() {
    return echoed.key();
  }

  /** Consumes key, which lives as long as the exchange. */
  public void echoKey(ByteBuf key) {
    echoed.key(key);
  }

  // --- the reply held -----------------------------------------------------------------------

  /** Holds a piece of the reply until its turn. Consumes piece. */
  public void hold(ByteBuf piece) {
    int bytes = piece.readableBytes();
    held.add(piece);
    requester.hold(bytes);
  }

  /** All pieces become the last of to, which owns them then. */
  public void movePieces(Exchange to) {
    if (!held.isEmpty()) {
      moves(held.length(), to);
      held.moveTo(to.held);
    }
  }

  /**
   * The first bytes that are held, so many, become the last of what to holds. A few are copied
   * together, as they would be when they are written.
   *
   * @param loop of both
   */
  public void moveBytes(int bytes, Exchange to, Loop loop) {
    moves(bytes, to);
    held.joinTo(to.held, bytes, loop.slices(), loop.workspace().allocator());
  }

  /** A request and its parts are one requester's, who holds what it held. */
  private void moves(int bytes, Exchange to) {
    if (requester != to.requester) {
      requester.hold(-bytes);
      to.requester.hold(bytes);
    }
  }

  public int pieceCount() {
    return held.count();
  }

  /** Piece {@code index}; borrowed. */
  public ByteBuf piece(int index) {
    return held.get(index);
  }

  /** Moves all pieces to the end of a list, which owns them then. */
  public void movePieces(SliceList to) {
    if (!held.isEmpty()) {
      requester.hold(-held.length());
      held.moveTo(to);
    }
  }

  public int heldBytes() {
    return held.length();
  }

  /**
   * Whether what is held is not what its requester is to have: a value that is worked on as soon as
   * it is whole.
   */
  public void holdsUnworked(boolean holds) {
    unworked = holds;
  }

  /**
   * Whether so much is held that it is written before it is whole, if it is the requester's turn.
   */
  public boolean isLong(int from) {
    return !unworked && !held.isEmpty() && (isCommitted() || held.length() >= from);
  }

  /** Writes what is held to its requester, whose turn it is. */
  public void writePieces() {
    if (!held.isEmpty()) {
      progress = progress == Progress.AWAITED ? Progress.BEGUN : progress;
      requester.hold(-held.length());
      held.drainTo(requester);
    }
  }

  /** Releases what is held. */
  public void releasePieces() {
    if (!held.isEmpty()) {
      requester.hold(-held.length());
      held.clear();
    }
  }
}
