package sluice.gateway.request;

import org.jspecify.annotations.Nullable;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.metrics.Outcome;
import sluice.names.Command;

/**
 * Request on a server connection, from before it is written until its reply has been read to the
 * end. Pooled, and reset when it is released.
 *
 * <p>A request whose client was answered, or is gone, stays on the connection without a {@link
 * #reply}: what the server sends for it is dropped.
 */
public final class ServerRequest {
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
    /** A request in its initial state. */
    ServerRequest takeRequest();

    /** Takes back a request that is on no connection. */
    void give(ServerRequest request);
  }

  private @Nullable PendingReply reply;
  private @Nullable Relay relay;
  private boolean relayed;
  private boolean usesSent; // since the last reset
  private Command command = Command.UNKNOWN;
  private ReplyKind kind = ReplyKind.LINE;
  private int opcode;
  private int opaque = PendingReply.NONE;
  private @Nullable KeyRewrite rewrite;
  private @Nullable Bridged bridged; // for a request without a reply; otherwise the reply has it
  private @Nullable RequestConnection connection;
  private final SendTimes times = new SendTimes();
  private @Nullable InFlightLink guarded; // null before the first guard of a detached reply
  private final SentRequest sent;

  ServerRequest(MemoryShare memory) {
    sent = new SentRequest(memory);
  }

  /** From now on another loop's memory accounts for it: it has moved there. */
  void accountTo(MemoryShare memory) {
    sent.accountTo(memory);
  }

  // --- who gets the reply -------------------------------------------------------------------

  void replyTo(PendingReply reply) {
    this.reply = reply;
  }

  /** The reply that the server's answer is for; null if no client of this event loop waits. */
  public @Nullable PendingReply reply() {
    return reply;
  }

  /** The client of {@link #reply}, or the event loop that the reply is passed on to; or null. */
  public @Nullable ReplyReceiver receiver() {
    return reply != null ? reply.requester() : relay;
  }

  /** Whether the reply has a receiver: it is not dropped. */
  public boolean isAwaited() {
    return reply != null || relay != null;
  }

  /** Whether another event loop's client waits, which gets the reply unchanged. */
  public boolean isRelayed() {
    return relayed;
  }

  /** The event loop that the reply is passed on to; null if there is none any more. */
  public @Nullable Relay relay() {
    return relay;
  }

  /** Sets the receiver of a reply that is {@linkplain #isRelayed passed on}. */
  public void relayTo(Relay to) {
    relay = to;
  }

  /** The event loop that sent the request has gone: the reply is dropped. */
  public void forgetRelay() {
    relay = null;
  }

  /** The reply is answered otherwise, or its client is gone. */
  void detach(PendingReply from) {
    from.moveRestTo(this);
    bridged = from.takeBridged();
    reply = null;
  }

  /** The link to the guard of a reply that was detached. */
  InFlightLink guarded() {
    guarded = guarded == null ? new InFlightLink() : guarded;
    return guarded;
  }

  /** Restores the initial state, after the last use. */
  void reset() {
    if (guarded != null) {
      guarded.end();
    }
    reply = null;
    relay = null;
    relayed = false;
    times.reset();
    command = Command.UNKNOWN;
    kind = ReplyKind.LINE;
    opcode = 0;
    opaque = PendingReply.NONE;
    rewrite = null;
    bridged = null;
    connection = null;
    if (usesSent) {
      usesSent = false;
      sent.clear();
    }
  }

  /** Whether it is in its initial state, as far as requests that follow depend on it. */
  boolean isReset() {
    return reply == null
        && relay == null
        && !relayed
        && !times.hasTimedOut()
        && opaque == PendingReply.NONE
        && rewrite == null
        && bridged == null
        && connection == null
        && sent.length() == 0
        && sent.keys() == 0;
  }

  // --- what is asked ------------------------------------------------------------------------

  /** Sets the facts about the request that are needed to read its reply. */
  public void begin(Command command, ReplyKind kind, int opcode, long now) {
    this.command = command;
    this.kind = kind;
    this.opcode = opcode;
    times.start(now);
  }

  public Command command() {
    return command;
  }

  /** The reply kind. */
  public ReplyKind kind() {
    return kind;
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
    return reply != null ? reply.bridged() : bridged;
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
    times.pausedBefore(pausedBefore);
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
    return times.started();
  }

  void restart(long now) {
    times.start(now);
  }

  /** Total time of the server connection's pauses when the request was sent, in nanoseconds. */
  public long pausedBefore() {
    return times.pausedBefore();
  }

  /** The request was flushed to the server's socket. */
  public void flushed(long now) {
    times.flush(now);
  }

  /** The reply's last bytes were read; returns the time that the server took, in nanoseconds. */
  public long answered(long now) {
    long nanos = Math.max(0, now - times.flushed());
    if (reply != null) {
      reply.serverTook(nanos);
    }
    return nanos;
  }

  /** The server has not answered in time. */
  public void timedOut() {
    times.timedOut();
  }

  public boolean hasTimedOut() {
    return times.hasTimedOut();
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
   * Sets the facts that another event loop needs about asked; spare is null if it is not bridged.
   */
  void echo(ServerRequest asked, @Nullable Bridged spare) {
    begin(asked.command, asked.kind, asked.opcode, asked.started());
    relayed = true;
    opaque = asked.opaque;
    if (asked.usesSent) {
      sent().copyKeys(asked.sent);
    }
    Bridged bridge = asked.bridged();
    if (spare != null && bridge != null) {
      bridged = spare;
      spare.echo(bridge);
    }
  }
}
