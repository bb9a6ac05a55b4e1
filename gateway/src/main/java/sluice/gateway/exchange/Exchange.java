package sluice.gateway.exchange;

import io.netty.buffer.ByteBuf;
import sluice.gateway.loop.Loop;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.samples.KeyNote;
import sluice.names.Command;

/**
 * One request and the place of its reply: in the order of its client's replies, and in the order of
 * its server connection's. Pooled: every field is set anew for each request.
 *
 * <p>Holds the pieces of its reply until its turn comes, and owns them.
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

  private Requester requester;
  private Gathering gathering;
  private int part;
  private Gathering parts;
  private Bridged bridged;
  private Gathering.Continuation continuation;
  private Command command;
  private Grammar grammar;
  private int hides;
  private int opcode;
  private int opaque;
  private int wireOpaque;
  private final byte[] clientOpaque = new byte[32];
  private int clientOpaqueLength;
  private KeyRewrite rewrite;
  private ByteBuf echoKey;
  private long started;
  private long pausedBefore;
  private long flushed;
  private long serverNanos;
  private Outcome outcome;
  private boolean committed;
  private boolean unworked;
  private boolean complete;
  private RequestConnection server;
  private RequestConnection asked;
  private KeyNote note; // null until one is made
  private final SentRequest sent;
  private boolean late;
  private boolean foreign;
  private Guard guard;
  private long guarded;

  private final HeldPieces held = new HeldPieces();

  Exchange(MemoryShare memory) {
    sent = new SentRequest(memory);
  }

  void reset() {
    requester = null;
    gathering = null;
    parts = null;
    command = Command.UNKNOWN;
    grammar = Grammar.LINE;
    hides = HIDE_NOTHING;
    opcode = 0;
    opaque = 0;
    wireOpaque = NONE;
    clientOpaqueLength = NONE;
    bridged = null;
    continuation = null;
    rewrite = null;
    committed = false;
    unworked = false;
    complete = false;
    server = null;
    asked = null;
    if (note != null) {
      note.clear();
    }
    sent.clear();
    late = false;
    foreign = false;
    outcome = Outcome.OK;
    serverNanos = 0;
  }

  /** Sets what is known when the request was read. */
  public Exchange start(Requester by, Command command, Grammar grammar, int hides, long now) {
    this.requester = by;
    this.command = command;
    this.grammar = grammar;
    this.hides = hides;
    this.started = now;
    return this;
  }

  /** Who waits for the reply; null when nobody does any more and it is to be dropped. */
  public Requester requester() {
    return requester;
  }

  /** Guard knows of the request from now on until this is given back. */
  public void guard(Guard guard, long what) {
    this.guard = guard;
    guarded = what;
    guard.begin(what);
  }

  /** What knows of the request while it is under way, or null. */
  public Guard guard() {
    return guard;
  }

  /** What {@link #guard} was told of the request. */
  public long guarded() {
    return guarded;
  }

  /** The request is not under way any more. */
  void unguard() {
    if (guard != null) {
      Guard ended = guard;
      guard = null;
      ended.end(guarded);
    }
  }

  /** Whoever waited is gone, or was answered: the reply is dropped. Releases what is held. */
  public void forget() {
    releasePieces();
    if (bridged != null && bridged.work() != null) {
      bridged.work().dropped();
    }
    if (echoKey != null) {
      echoKey.release();
      echoKey = null;
    }
    requester = null;
    gathering = null;
  }

  /** Refers to nothing of its request any more, whose server or rule may be gone soon. */
  void letGo() {
    parts = null;
    bridged = null;
    continuation = null;
    rewrite = null;
    server = null;
    asked = null;
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

  /** As {@link ExchangePool#takeEcho} says; spare is null if asked is not bridged. */
  void echo(Exchange asked, Bridged spare) {
    foreign = true;
    command = asked.command;
    grammar = asked.grammar;
    started = asked.started;
    opcode = asked.opcode;
    opaque = asked.wireOpaque;
    wireOpaque = asked.wireOpaque;
    sent.copyKeys(asked.sent);
    if (asked.bridged != null) {
      bridged = spare;
      bridged.echo(asked.bridged);
    }
  }

  /** Whether another event loop's client waits, which gets the reply as the server sent it. */
  public boolean isForeign() {
    return foreign;
  }

  /** Sets who waits for a reply that is {@linkplain #isForeign foreign}. */
  public void askedBy(Requester by) {
    requester = by;
  }

  /** When the request was read, in {@link System#nanoTime}'s nanoseconds. */
  public long started() {
    return started;
  }

  /** The request is still being sent: its time begins anew. */
  public void restart(long now) {
    started = now;
  }

  /** Whether it was sent to the server of {@code next} on another connection. */
  public boolean wasSentElsewhere(RequestConnection next) {
    return server != null && server.isAnotherToSameServer(next);
  }

  /** The server connection that the request went to, or null. */
  public RequestConnection server() {
    return server;
  }

  /** Sets the connection, and for how long that had been paused for its clients until now. */
  public void sentTo(RequestConnection server, long pausedBefore) {
    this.server = server;
    this.asked = server;
    this.pausedBefore = pausedBefore;
    sent.goesAlone();
  }

  /** The server connection that was asked, also of one that answers in another's place; or null. */
  public RequestConnection asked() {
    return asked;
  }

  /** Keeps what a log may tell of the request's key. Copies it. */
  public void note(KeyNote noted) {
    if (note == null) {
      note = new KeyNote();
    }
    note.copy(noted);
  }

  /** What a log may tell of the request's key; null if that was never kept. */
  public KeyNote note() {
    return note;
  }

  /** The request has been given to the server's socket. */
  public void flushed(long now) {
    flushed = now;
  }

  /** The reply's last bytes have been read. */
  public void answered(long now) {
    serverNanos = Math.max(0, now - flushed);
  }

  /** How long the server took, in nanoseconds; 0 if none was asked. */
  public long serverNanos() {
    return serverNanos;
  }

  /** Nanoseconds that the server connection had been paused when the request was sent. */
  public long pausedBefore() {
    return pausedBefore;
  }

  /** How it ended, for the metrics. */
  public Outcome outcome() {
    return outcome;
  }

  public void outcome(Outcome outcome) {
    this.outcome = outcome;
  }

  /** Its server has not answered in time. */
  public void late() {
    late = true;
  }

  public boolean isLate() {
    return late;
  }

  /** Whether bytes of the reply have been written: there is no way back to an error. */
  public boolean isCommitted() {
    return committed;
  }

  public void commit() {
    committed = true;
  }

  /** Whether the whole reply is here, or was written. */
  public boolean isComplete() {
    return complete;
  }

  public void complete() {
    complete = true;
  }

  /** What the server is asked for, as it was sent. */
  public SentRequest sent() {
    return sent;
  }

  // --- binary -------------------------------------------------------------------------------

  /** Binary: the opcode and opaque that the client sent. */
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

  /** The gateway's own opaque on the server connection, or {@link #NONE}. */
  public int wireOpaque() {
    return wireOpaque;
  }

  public void wireOpaque(int wireOpaque) {
    this.wireOpaque = wireOpaque;
  }

  // --- meta ---------------------------------------------------------------------------------

  /** Meta: the client's opaque, the bytes [from, to) behind its letter. Borrows in. */
  public void clientOpaque(ByteBuf in, int from, int to) {
    clientOpaqueLength = to - from;
    in.getBytes(from, clientOpaque, 0, clientOpaqueLength);
  }

  /** Bytes of the client's meta opaque, or {@link #NONE}. */
  public int clientOpaqueLength() {
    return clientOpaqueLength;
  }

  public byte[] clientOpaque() {
    return clientOpaque;
  }

  // --- keys ---------------------------------------------------------------------------------

  /** How the key was rewritten on its way, or null. */
  public KeyRewrite rewrite() {
    return rewrite;
  }

  public void rewrite(KeyRewrite rewrite) {
    this.rewrite = rewrite;
  }

  /**
   * Meta: the base64 key that the gateway adds to the reply, because the server must not be asked
   * for it: it would repeat the raw key, which could break the line. Null if there is none.
   */
  public ByteBuf echoKey() {
    return echoKey;
  }

  /** Consumes key, which lives as long as the exchange. */
  public void echoKey(ByteBuf key) {
    echoKey = key;
  }

  /** Takes over what identifies the request of another exchange, to answer in its place. */
  public Exchange standInFor(Exchange other) {
    start(other.requester, other.command, other.grammar, other.hides, other.started);
    binary(other.opcode, other.opaque);
    asked = other.asked;
    if (other.note != null) {
      note(other.note);
    }
    return this;
  }

  // --- the reply held -----------------------------------------------------------------------

  /** Holds a piece of the reply until its turn. Consumes piece. */
  public void hold(ByteBuf piece) {
    if (requester == null) {
      piece.release();
      return;
    }
    held.add(piece);
    requester.hold(piece.readableBytes());
  }

  /** All pieces become the last of to, which owns them then. */
  public void movePieces(Exchange to) {
    if (to.requester == null) {
      releasePieces();
    } else if (held.count() > 0) {
      moves(held.bytes(), to);
      held.moveTo(to.held);
    }
  }

  /**
   * The first bytes that are held, so many, become the last of what to holds. Pieces of this cannot
   * be asked for by their index any more.
   *
   * @param loop of both
   */
  public void moveBytes(int bytes, Exchange to, Loop loop) {
    moves(bytes, to);
    held.moveFirst(bytes, to.held, loop);
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

  /** Takes piece {@code index} away; the caller owns it. */
  public ByteBuf takePiece(int index) {
    ByteBuf piece = held.take(index);
    requester.hold(-piece.readableBytes());
    return piece;
  }

  public int heldBytes() {
    return held.bytes();
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
    return !unworked && held.count() > 0 && (committed || held.bytes() >= from);
  }

  /** Writes what is held to its requester, whose turn it is. */
  public void writePieces() {
    if (held.count() > 0) {
      committed = true;
      requester.hold(-held.bytes());
      held.writeTo(requester);
    }
  }

  /** Releases what is held. */
  public void releasePieces() {
    if (held.count() > 0) {
      requester.hold(-held.bytes());
      held.release();
    }
  }
}
