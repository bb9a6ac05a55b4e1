package sluice.gateway.exchange;

import sluice.gateway.loop.MemoryShare;
import sluice.gateway.metrics.Outcome;
import sluice.names.Command;

/**
 * Request on a server connection, from before it is written until its reply has been read to the
 * end. Pooled: every field is set anew for each request.
 *
 * <p>A request whose client was answered, or is gone, stays on the connection without a {@link
 * #reply}: what the server sends for it is dropped.
 */
public final class ServerRequest {
  /**
   * Receiver of the replies to another event loop's requests: it gets them as the server sent them,
   * while they come.
   */
  public interface Relay extends ReplyReceiver {
    /** The reply to request has been passed on to its end. Consumes request. */
    void completed(ServerRequest request);
  }

  /** Where requests come from. */
  interface Source {
    /** A request whose fields are as new. */
    ServerRequest takeRequest();

    /** Gives a request back that is on no connection. */
    void give(ServerRequest request);
  }

  private Exchange reply;
  private Relay relay;
  private boolean relayed;
  private boolean late;
  private Command command;
  private Grammar grammar;
  private int opcode;
  private int opaque;
  private KeyRewrite rewrite;
  private Bridged bridged; // of a request without a reply; otherwise the reply has it
  private RequestConnection connection;
  private final SendTimes times = new SendTimes();
  private final Guarded guarded = new Guarded();
  private final SentRequest sent;

  ServerRequest(MemoryShare memory) {
    sent = new SentRequest(memory);
  }

  void reset() {
    reply = null;
    relay = null;
    relayed = false;
    late = false;
    command = Command.UNKNOWN;
    grammar = Grammar.LINE;
    opcode = 0;
    opaque = Exchange.NONE;
    rewrite = null;
    bridged = null;
    connection = null;
    sent.clear();
  }

  // --- who gets the reply -------------------------------------------------------------------

  void replyTo(Exchange reply) {
    this.reply = reply;
  }

  /** The reply that the server's answer becomes; null when nobody on this event loop waits. */
  public Exchange reply() {
    return reply;
  }

  /** The client of {@link #reply}, or the event loop that the reply is passed on to; or null. */
  public ReplyReceiver receiver() {
    return reply != null ? reply.requester() : relay;
  }

  /** Whether somebody gets the reply: it is not dropped. */
  public boolean isAwaited() {
    return reply != null || relay != null;
  }

  /** Whether another event loop's client waits, which gets the reply as the server sent it. */
  public boolean isRelayed() {
    return relayed;
  }

  /** The event loop that the reply is passed on to; null if it is not, or no longer. */
  public Relay relay() {
    return relay;
  }

  /** Sets where a reply goes that is {@linkplain #isRelayed passed on}. */
  public void relayTo(Relay to) {
    relay = to;
  }

  /** The event loop that asked has gone: the reply is dropped. */
  public void forgetRelay() {
    relay = null;
  }

  /** The reply is answered otherwise, or its client is gone. */
  void detach() {
    reply.moveRestTo(guarded);
    bridged = reply.takeBridged();
    reply = null;
  }

  /** Has the request's server answer it nothing more; nothing refers to it. */
  void letGo() {
    guarded.end();
    reply = null;
    relay = null;
    rewrite = null;
    bridged = null;
    connection = null;
  }

  // --- what is asked ------------------------------------------------------------------------

  /** Sets what the request is, so that its reply can be read. */
  public void begin(Command command, Grammar grammar, int opcode, long now) {
    this.command = command;
    this.grammar = grammar;
    this.opcode = opcode;
    times.start(now);
  }

  public Command command() {
    return command;
  }

  /** How the end of the reply is found. */
  public Grammar grammar() {
    return grammar;
  }

  /** Binary: the opcode that the client sent. */
  public int opcode() {
    return opcode;
  }

  /** The gateway's own opaque, or {@link Exchange#NONE}. */
  public int opaque() {
    return opaque;
  }

  public void opaque(int opaque) {
    this.opaque = opaque;
  }

  /** How the key was rewritten on its way, or null. */
  public KeyRewrite rewrite() {
    return rewrite;
  }

  void rewrite(KeyRewrite rewrite) {
    this.rewrite = rewrite;
  }

  /** What stands between the dialects of client and server; null: replies pass as they are. */
  public Bridged bridged() {
    return reply != null ? reply.bridged() : bridged;
  }

  /** The bytes and keys as they were sent. */
  public SentRequest sent() {
    return sent;
  }

  // --- its way ------------------------------------------------------------------------------

  /** Sets the connection, and for how long that had been paused for its clients until now. */
  public void sentTo(RequestConnection to, long pausedBefore) {
    connection = to;
    times.pausedBefore(pausedBefore);
    sent.goesAlone();
    if (reply != null) {
      reply.sentTo(to);
    }
  }

  /** The connection that the request went to, or null. */
  public RequestConnection connection() {
    return connection;
  }

  /** When the request was read. */
  public long started() {
    return times.started();
  }

  void restart(long now) {
    times.start(now);
  }

  /** Nanoseconds that the server connection had been paused when the request was sent. */
  public long pausedBefore() {
    return times.pausedBefore();
  }

  /** The request has been given to the server's socket. */
  public void flushed(long now) {
    times.flush(now);
  }

  /** The reply's last bytes have been read; returns how many nanoseconds the server took. */
  public long answered(long now) {
    long nanos = Math.max(0, now - times.flushed());
    if (reply != null) {
      reply.serverTook(nanos);
    }
    return nanos;
  }

  /** The server has not answered in time. */
  public void late() {
    late = true;
  }

  public boolean isLate() {
    return late;
  }

  // --- of the reply, if anybody waits for it ------------------------------------------------

  /** How the reply ended, for the metrics of whoever waits for it. */
  public void outcome(Outcome outcome) {
    if (reply != null) {
      reply.outcome(outcome);
    }
  }

  /** What a quiet request hides of its reply. */
  public int hides() {
    return reply != null ? reply.hides() : Exchange.HIDE_NOTHING;
  }

  /** What gathers the reply with others, or null. */
  public Gathering gathering() {
    return reply != null ? reply.gathering() : null;
  }

  /** Makes this what another event loop needs to know of asked; spare is null if not bridged. */
  void echo(ServerRequest asked, Bridged spare) {
    begin(asked.command, asked.grammar, asked.opcode, asked.started());
    relayed = true;
    opaque = asked.opaque;
    sent.copyKeys(asked.sent);
    if (spare != null) {
      bridged = spare;
      bridged.echo(asked.bridged());
    }
  }
}
