package sluice.gateway.dispatch;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.memcached.bridge.Awaited;
import sluice.codecs.memcached.bridge.Failure;
import sluice.codecs.memcached.bridge.ReplyWriter;
import sluice.codecs.memcached.bridge.Request;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.near.SingleFlight;
import sluice.gateway.request.Bridged;
import sluice.gateway.request.KeyRewrite;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.Suppression;
import sluice.gateway.server.Server;
import sluice.gateway.server.connection.ServerConnection;
import sluice.names.Command;
import sluice.names.Dialect;

/**
 * Context of one request in canonical form on its way to a {@link Backend}: the request, its
 * client, and the connections found for it. Pooled; belongs to one event loop. The caller of {@link
 * RequestContexts#take} must release it there.
 */
public final class RequestContext implements OutgoingRequest {
  /** Pool of the contexts of one event loop. */
  public interface Recycler {
    /** A context for a request of the gateway's own; the caller must release it. */
    RequestContext take();

    /** Takes back a context. */
    void give(RequestContext context);
  }

  /** Approximate bytes of heap that one takes. */
  static final int BYTES = 700;

  private static final int LONGEST_KEY = 512;

  private final RequestSender sender;
  private final Recycler contexts;
  private final Request request = new Request();
  private final SliceList value;
  private final MemberConnections members = new MemberConnections();
  private final Answer answer = new Answer();
  private @Nullable ByteBuf renamed; // null before the first
  private @Nullable ClientSession client; // null: the request is the gateway's own
  private @Nullable Connector connector; // null: the client provides connections
  private Command command;
  private Dialect dialect;
  private ReplyWriter replies;
  private Suppression suppression;
  private @Nullable PendingReply
      subrequest; // the one to be answered; null: a new one of the client
  private @Nullable SingleFlight
      singleFlight; // that the request becomes, which others may wait for
  private @Nullable Failure refusal; // why it was not sent
  private @Nullable Bridged bridged; // from the head on, until the request is sent

  /** Answer that needs no server. */
  private static final class Answer {
    private @Nullable ByteBuf reply; // null for silence

    @SuppressWarnings("NullAway.Init") // set with the reply
    private Outcome outcome;
  }

  @SuppressWarnings("NullAway.Init") // begin sets the rest, which only clients' requests need
  RequestContext(RequestSender sender, Recycler contexts) {
    this.sender = sender;
    this.contexts = contexts;
    this.value = new SliceList(sender.loop().slices());
  }

  /**
   * Begins with a client's request.
   *
   * @param replies writer of replies to the client
   * @param suppression reply suppression, one of {@link PendingReply}'s constants
   */
  public RequestContext begin(
      ClientSession client,
      Command command,
      Dialect dialect,
      ReplyWriter replies,
      Suppression suppression) {
    this.client = client;
    this.command = command;
    this.dialect = dialect;
    this.replies = replies;
    this.suppression = suppression;
    return this;
  }

  /** Becomes a copy of other's request, and takes its single flight over. */
  public RequestContext of(RequestContext other) {
    begin(other.client(), other.command, other.dialect, other.replies, other.suppression);
    connector = other.connector;
    singleFlight = other.singleFlight;
    other.singleFlight = null;
    return this;
  }

  /**
   * Becomes a copy of other's request to be sent later: its bytes are copied, without its single
   * flight and its value.
   */
  public RequestContext again(RequestContext other) {
    begin(other.client(), other.command, other.dialect, other.replies, other.suppression);
    connector = other.connector;
    request.keep(other.request, renamed());
    return this;
  }

  /**
   * Marks the request as that for one key of a read of many; {@code connector} provides its
   * connections.
   */
  public RequestContext asOneOfMany(Connector connector) {
    this.connector = connector;
    return this;
  }

  /** Sets the reply suppression. */
  public RequestContext suppressing(Suppression replies) {
    suppression = replies;
    return this;
  }

  /** Whether it is the request for one key of a read of many. */
  public boolean isOneOfMany() {
    return connector != null;
  }

  /** Whether it is its client's next request, so that the client can wait for what it needs. */
  public boolean isClientsNext() {
    return connector == null || connector == client;
  }

  /** Sets the pending reply that it is sent as, a subrequest of a read of many keys. */
  public void sentAs(PendingReply pending) {
    subrequest = pending;
  }

  /** Resets everything. */
  public void clear() {
    if (singleFlight != null) {
      singleFlight.notSent();
      singleFlight = null;
    }
    if (answer.reply != null) {
      answer.reply.release();
      answer.reply = null;
    }
    if (bridged != null) {
      sender.loopState().requestPool().give(takeBridged());
    }
    value.clear();
    members.clear();
    client = null;
    connector = null;
    subrequest = null;
    refusal = null;
  }

  /** Releases what is kept for the next request. */
  public void close() {
    clear();
    if (renamed != null) {
      renamed.release();
      renamed = null;
    }
  }

  // --- what is asked --------------------------------------------------------------------------

  /** {@inheritDoc} The reader of the client's dialect fills it. */
  @Override
  public Request request() {
    return request;
  }

  /** {@inheritDoc} Empty at first. */
  @Override
  public SliceList value() {
    return value;
  }

  /** Rewrites the key for the servers; null if its rule does not. */
  public void rename(@Nullable KeyRewrite rewrite) {
    if (rewrite == null) {
      return;
    }
    ByteBuf key = renamed();
    rewrite.toServer(request.key.buffer, request.key.from, request.key.to, key);
    request.key.set(key, 0, key.writerIndex());
  }

  private ByteBuf renamed() {
    if (renamed == null) {
      renamed = sender.loop().buffer(LONGEST_KEY);
    }
    return renamed.clear();
  }

  // --- for whom -------------------------------------------------------------------------------

  public RequestSender sender() {
    return sender;
  }

  /** The event loop's contexts, for requests besides this one. */
  public Recycler contexts() {
    return contexts;
  }

  /** The client; the gateway's own requests have none. */
  @SuppressWarnings("NullAway") // nothing that is done with the gateway's own requests needs it
  public ClientSession client() {
    return client;
  }

  public Command command() {
    return command;
  }

  public Dialect dialect() {
    return dialect;
  }

  @Override
  public ReplyWriter replies() {
    return replies;
  }

  public Suppression suppression() {
    return suppression;
  }

  /**
   * The pending reply for the request's reply: the client's next, unless it is already a
   * subrequest.
   */
  public PendingReply pending() {
    PendingReply pending =
        subrequest != null
            ? subrequest
            : client().newReply(command, ReplyKind.BRIDGED, suppression);
    pending.binary(request.opcode, request.opaque);
    return pending;
  }

  // --- what it is sent with -------------------------------------------------------------------

  /** Finds the connection to server. */
  public Admission connect(Server server) {
    members.connection = connectionTo(server);
    members.failure = members.connection == null ? failureToConnect() : null;
    if (members.connection != null) {
      return Admission.READY;
    }
    return members.failure == null ? Admission.WAITS : Admission.FAILED;
  }

  /** As {@link ClientSession#connectionTo}. */
  public @Nullable ServerConnection connectionTo(Server server) {
    return connector == null ? client().connectionTo(server) : connector.connectionTo(server);
  }

  /** The reason for which {@link #connectionTo} found none; null if the client waits. */
  public @Nullable String failureToConnect() {
    return connector == null ? client().failure() : connector.failure();
  }

  public MemberConnections members() {
    return members;
  }

  /** The connection that {@link #connect} found, after {@link Admission#READY}. */
  @SuppressWarnings("NullAway") // connect has found it
  public ServerConnection connection() {
    return members.connection;
  }

  /** The reason for {@link Admission#FAILED}. */
  @SuppressWarnings("NullAway") // a failed request has one
  public String failure() {
    return members.failure;
  }

  @Override
  public void keep(Bridged made) {
    bridged = made;
  }

  /**
   * Remembers the fields of the request, because its value may refer to others that are read next.
   */
  public void remember() {
    bridged().remember(request);
  }

  @Override
  public Awaited awaited() {
    return bridged().awaited();
  }

  @Override
  public Bridged takeBridged() {
    Bridged taken = bridged();
    bridged = null;
    return taken;
  }

  @SuppressWarnings("NullAway") // kept when its head is made, and needed from then on
  private Bridged bridged() {
    return bridged;
  }

  // --- single flight --------------------------------------------------------------------------

  /**
   * Makes the request a single flight: its reply may be cached, and others wait for it from now on.
   */
  public void beginsSingleFlight(SingleFlight asked) {
    singleFlight = asked;
  }

  @Override
  public @Nullable SingleFlight singleFlight() {
    return singleFlight;
  }

  @Override
  public void departed() {
    singleFlight = null;
  }

  /** The request is sent for this client alone: waiting clients send their own. */
  public void staysHere() {
    if (singleFlight != null) {
      singleFlight.notSent();
      singleFlight = null;
    }
  }

  @Override
  public void doesNotDepart() {
    if (singleFlight != null) {
      singleFlight.dropped();
      singleFlight = null;
    }
  }

  // --- what is answered without a server --------------------------------------------------------

  /** Sets the answer, null for silence; consumed. */
  public Admission answered(Outcome of, @Nullable ByteBuf with) {
    answer.outcome = of;
    answer.reply = with;
    return Admission.ANSWERED;
  }

  /** The outcome after {@link Admission#ANSWERED}. */
  public Outcome outcome() {
    return answer.outcome;
  }

  /** The answer after {@link Admission#ANSWERED}; null for silence. The caller owns the result. */
  public @Nullable ByteBuf takeAnswer() {
    ByteBuf taken = answer.reply;
    answer.reply = null;
    return taken;
  }

  @Override
  public void refuse(Failure why) {
    refusal = why;
  }

  @Override
  @SuppressWarnings("NullAway") // refuse has set it
  public Failure refusal() {
    return refusal;
  }
}
