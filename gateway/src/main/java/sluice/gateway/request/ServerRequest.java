package sluice.gateway.request;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.metrics.Outcome;
import sluice.names.Command;

/**
 * Request on a server connection, from before it is written until its reply has been read to the
 * end. Pooled, and reset when it is released.
 *
 * <p>A request whose client was answered, or is gone, stays on the connection without a {@link
 * #reply}: the server's reply to it is dropped.
 */
public final class ServerRequest {
  /**
   * How old a {@linkplain #isLeftBehind change that was left behind} may become while the server is
   * busy with requests before it. It is as long as a client that is gone is served.
   */
  public static final long LEFT_BEHIND_NANOS = TimeUnit.SECONDS.toNanos(30);

  /**
   * Receiver of the replies to another event loop's requests: it gets them unchanged, as they
   * arrive.
   */
  public interface Relay extends ReplyReceiver {
    /** The reply to request has been passed on to its end. Consumes request. */
    void completed(ServerRequest request);
  }

  /** Pool of requests. */
  interface Source {
    /** A request in its initial state, about to be used. */
    ServerRequest takeRequest();

    /** Takes back a request that is on no connection. */
    void give(ServerRequest request);
  }

  /** State that few requests have. */
  private static final class Rare {
    private final InFlightLink guarded = new InFlightLink(); // of a detached reply
    private @Nullable Relay relay;
    private boolean relayed;
    private @Nullable Bridged bridged; // of a request without a reply; otherwise, the reply has it
    private boolean timedOut;
    private boolean givenUp;

    /** Ends the guard's observation, and restores the initial state. */
    void reset() {
      guarded.end();
      relay = null;
      relayed = false;
      bridged = null;
      timedOut = false;
      givenUp = false;
    }

    boolean isReset() {
      return guarded.guard() == null
          && relay == null
          && !relayed
          && bridged == null
          && !timedOut
          && !givenUp;
    }
  }

  private @Nullable PendingReply reply;
  private boolean idle = true;
  private boolean usesSent; // since the last reset
  private ExpectedReply expected = ExpectedReply.NONE;
  private int opcode;
  private int opaque = PendingReply.NONE;
  private @Nullable KeyRewrite rewrite;
  private @Nullable RequestConnection connection;
  private long started;
  private long flushed;
  private long pausedBefore;
  private final SentRequest sent;

  // An object that is not touched takes no space in the CPU's cache.
  private @Nullable Rare rare; // null before the first use

  ServerRequest(MemoryShare memory) {
    sent = new SentRequest(memory);
  }

  private Rare rare() {
    rare = rare == null ? new Rare() : rare;
    return rare;
  }

  /** From now on, another loop's memory accounts for it: it has moved there. */
  void accountTo(MemoryShare memory) {
    sent.accountTo(memory);
  }

  // --- who gets the reply -------------------------------------------------------------------

  void replyTo(PendingReply reply) {
    this.reply = reply;
  }

  /** The reply that the server's answer belongs to; null if no client of this event loop waits. */
  public @Nullable PendingReply reply() {
    return reply;
  }

  /** The client of {@link #reply}, or the event loop that the reply is passed on to; or null. */
  public @Nullable ReplyReceiver receiver() {
    return reply != null ? reply.requester() : relay();
  }

  /** Whether the reply has a receiver: it is not dropped. */
  public boolean isAwaited() {
    return reply != null || relay() != null;
  }

  /** Whether another event loop's client waits, which gets the reply unchanged. */
  public boolean isRelayed() {
    return rare != null && rare.relayed;
  }

  /** The event loop that the reply is passed on to; null if there is none any more. */
  public @Nullable Relay relay() {
    return rare == null ? null : rare.relay;
  }

  /** Sets the receiver of a reply that is {@linkplain #isRelayed passed on}. */
  public void relayTo(Relay to) {
    rare().relay = to;
  }

  /** The event loop that sent the request has gone: the reply is dropped. */
  public void forgetRelay() {
    if (rare != null) {
      rare.relay = null;
    }
  }

  /** The reply is answered in another way, or its client is gone. */
  void detach(PendingReply from) {
    from.moveRestTo(this);
    Bridged bridged = from.takeBridged();
    if (bridged != null) {
      rare().bridged = bridged;
    }
    reply = null;
  }

  /** The link to the guard of a reply that was detached. */
  InFlightLink guarded() {
    return rare().guarded;
  }

  /** Whether the reply was detached, and a guard observes the request until it is answered. */
  public boolean isGuarded() {
    return rare != null && rare.guarded.guard() != null;
  }

  /** Restores the initial state, after the last use. It stays with its reply, if it has one. */
  void reset() {
    if (rare != null) {
      rare.reset();
    }
    idle = true;
    expected = ExpectedReply.NONE;
    opcode = 0;
    opaque = PendingReply.NONE;
    if (rewrite != null) { // storing a reference costs a write barrier of the collector
      rewrite = null;
    }
    connection = null;
    if (usesSent) {
      usesSent = false;
      sent.clear();
    }
  }

  /** Whether it is in its initial state, as far as later requests depend on it. */
  boolean isReset() {
    return idle
        && (rare == null || rare.isReset())
        && opaque == PendingReply.NONE
        && rewrite == null
        && connection == null
        && sent.length() == 0
        && sent.keys() == 0;
  }

  /** Marks it as used, until {@link #reset}. */
  void use() {
    assert isReset() : "a request was used after its release";
    idle = false;
  }

  /** Whether nothing uses it. */
  boolean isIdle() {
    return idle;
  }

  // --- what is asked ------------------------------------------------------------------------

  /** Sets the facts about the request that are needed to read its reply. */
  public void begin(Command command, ReplyKind kind, int opcode, long now) {
    begin(ExpectedReply.of(command, kind, Suppression.NOTHING), opcode, now);
  }

  void begin(ExpectedReply expected, int opcode, long now) {
    this.expected = expected;
    this.opcode = opcode;
    started = now;
    flushed = now; // its bytes may be sent, and answered, before the batch is flushed
  }

  public Command command() {
    return expected.command();
  }

  /** The reply kind. */
  public ReplyKind kind() {
    return expected.kind();
  }

  /** Binary: the opcode that the client sent. */
  public int opcode() {
    return opcode;
  }

  /** The gateway's own opaque, or {@link PendingReply#NONE}. */
  public int opaque() {
    return opaque;
  }

  public void opaque(int opaque) {
    this.opaque = opaque;
  }

  /** How the key was rewritten, or null. */
  public @Nullable KeyRewrite rewrite() {
    return rewrite;
  }

  void rewrite(@Nullable KeyRewrite rewrite) {
    this.rewrite = rewrite;
  }

  /** The bridge between the dialects of client and server; null: replies pass unchanged. */
  public @Nullable Bridged bridged() {
    if (reply != null) {
      return reply.bridged();
    }
    return rare == null ? null : rare.bridged;
  }

  /** The bytes and keys as they were sent. */
  public SentRequest sent() {
    usesSent = true;
    return sent;
  }

  // --- its way ------------------------------------------------------------------------------

  /** Sets the connection, and the total time that it had been paused for its clients until now. */
  public void sentTo(RequestConnection to, long pausedBefore) {
    connection = to;
    this.pausedBefore = pausedBefore;
    if (usesSent) {
      sent.goesAlone(); // it may have shared a line before
    }
    if (reply != null) {
      reply.sentTo(to);
    }
  }

  /** The connection that the request was sent on, or null. */
  public @Nullable RequestConnection connection() {
    return connection;
  }

  /** When the request was read. */
  public long started() {
    return started;
  }

  /**
   * Its value is complete only now: the time that the client took to send it is not the server's
   * time.
   */
  void restart(long now) {
    started = now;
    flushed = now;
  }

  /** Total time of the server connection's pauses when the request was sent, in nanoseconds. */
  public long pausedBefore() {
    return pausedBefore;
  }

  /** The request was flushed to the server's socket. */
  public void flushed(long now) {
    flushed = now;
  }

  /**
   * The reply's last bytes were read; returns the time that the server took, in nanoseconds. Time
   * in which a client paused the connection is not the server's.
   *
   * @param paused total time of the connection's pauses until now
   */
  public long answered(long now, long paused) {
    long nanos = Math.max(0, now - flushed - (paused - pausedBefore));
    if (reply != null) {
      reply.serverTook(nanos);
    }
    return nanos;
  }

  /** The server has not answered in time. */
  public void timedOut() {
    rare().timedOut = true;
    if (reply != null) {
      reply.timedOut();
    }
  }

  public boolean hasTimedOut() {
    return rare != null && rare.timedOut;
  }

  /** Its client was told that it has timed out, although the server may still carry it out. */
  public void giveUp() {
    rare().givenUp = true;
  }

  /**
   * Whether it is a change of this event loop that is to be carried out although its client is
   * gone. Of a request of another loop only that loop knows.
   */
  public boolean isLeftBehind() {
    return !isAwaited()
        && !isRelayed()
        && command().changesItems()
        && (rare == null || !rare.givenUp);
  }

  /** Whether it is a change that another event loop waits for, or has left behind. */
  public boolean isRelayedChange() {
    return relay() != null && command().changesItems();
  }

  // --- of the reply, if it has a receiver ------------------------------------------------

  /** Sets the outcome, for the receiver's metrics. */
  public void outcome(Outcome outcome) {
    if (reply != null) {
      reply.outcome(outcome);
    }
  }

  /** The reply suppression. */
  public Suppression suppression() {
    return reply != null ? reply.suppression() : Suppression.NOTHING;
  }

  /** The aggregator of the reply, or null. */
  public @Nullable Aggregator aggregator() {
    return reply != null ? reply.aggregator() : null;
  }

  /**
   * Sets the facts about asked that another event loop needs; spare is null if asked is not
   * bridged.
   */
  void echo(ServerRequest asked, @Nullable Bridged spare) {
    begin(asked.expected, asked.opcode, asked.started);
    rare().relayed = true;
    opaque = asked.opaque;
    if (asked.usesSent) {
      sent().copyKeys(asked.sent);
    }
    Bridged bridge = asked.bridged();
    if (spare != null && bridge != null) {
      rare().bridged = spare;
      spare.echo(bridge);
    }
  }
}
