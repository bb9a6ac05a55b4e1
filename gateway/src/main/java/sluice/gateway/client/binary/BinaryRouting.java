package sluice.gateway.client.binary;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.embedded.EmbeddedSession;
import sluice.gateway.client.ConnectedClient;
import sluice.gateway.client.store.EmbeddedOutcome;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.listener.ListenerView;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.near.Changes;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.route.Rule;
import sluice.gateway.server.BinaryErrors;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.session.LoopState;
import sluice.names.Command;
import sluice.names.Dialect;

/**
 * Common operations for all requests of the binary protocol: answers, failures, routing, and
 * execution in the embedded store. All state of a request, its client among it, is in its {@link
 * BinaryRequest}.
 */
class BinaryRouting {
  private final LoopState loopState;

  BinaryRouting(LoopState loopState) {
    this.loopState = loopState;
  }

  /** A reply of the gateway's own to packet; the caller owns the result. */
  ByteBuf reply(BinaryPacket packet, int status, String text) {
    return BinaryErrors.packet(loopState.loop(), packet.opcode(), packet.opaque(), status, text);
  }

  // --- which way --------------------------------------------------------------------------------

  /** Finds the rule for a new request's key. */
  void find(BinaryRequest request) {
    int key = request.packet.keyStart();
    int end = key + request.packet.keyLength();
    ListenerView listenerView = request.listenerView();
    Rule rule =
        listenerView
            .route()
            .find(request.command(), Dialect.BINARY, request.buffer(), key, end, null);
    listenerView.matched(rule);
    request.routed(rule);
  }

  /** The rule of a request that was not refused. */
  @SuppressWarnings("NullAway") // a request without a rule is refused
  private static Rule ruleOf(BinaryRequest request) {
    return request.rule();
  }

  /**
   * The backend of a request whose rule does not reject. It may differ between calls, because
   * servers fail and return. Notifies near caches of its change.
   */
  Backend backend(BinaryRequest request) {
    Rule rule = ruleOf(request);
    ListenerView listenerView = request.listenerView();
    boolean reads = request.command() == Command.GET;
    Changes changes = reads ? null : listenerView.changes(rule);
    request.client().changes(changes, changes == null ? 0 : Changes.of(request.keyHash()));
    int key = request.packet.keyStart();
    int end = key + request.packet.keyLength();
    // Only renamed keys are written, so that waiting requests hold no buffer for unchanged ones.
    ByteBuf renamed = rule.rewrite() == null ? Unpooled.EMPTY_BUFFER : request.scratch();
    return listenerView.backend(rule, Dialect.BINARY, request.buffer(), key, end, renamed);
  }

  String noRule(BinaryRequest request) {
    return "no rule of route " + request.listenerView().route().name() + " matches this request";
  }

  // --- nowhere ----------------------------------------------------------------------------------

  /** Answers a request that consists of its head only. */
  void refuse(BinaryRequest request, int status, String text) {
    answer(request, Outcome.REJECTED, reply(request.packet, status, text), 0);
  }

  /** Answers a request, after value bytes behind its head were discarded. Consumes reply. */
  void refuse(BinaryRequest request, int status, String text, long value) {
    BinaryRequest.Owner owner = request.owner();
    Command command = request.command();
    ByteBuf reply = reply(request.packet, status, text);
    owner.packetDone(request, 0);
    owner.discard(value, command, Outcome.REJECTED, reply);
  }

  /**
   * Answers a request. Consumes reply; null for silence.
   *
   * @param value bytes of its value, which have arrived
   */
  void answer(BinaryRequest request, Outcome outcome, @Nullable ByteBuf reply, int value) {
    BinaryRequest.Owner owner = request.owner();
    Command command = request.command();
    owner.packetDone(request, value);
    owner.client().answer(command, outcome, reply);
  }

  /**
   * Without a connection: fails the request, unless it waits for one.
   *
   * @param value bytes of its value, which have arrived
   */
  void failUnlessWaiting(BinaryRequest request, int value) {
    String failure = request.client().failure();
    if (failure != null) {
      fail(request, failure, value);
    }
  }

  /**
   * Fails the request.
   *
   * @param value bytes of its value, which have arrived
   */
  void fail(BinaryRequest request, String reason, int value) {
    BinaryRequest.Owner owner = request.owner();
    PendingReply pending = pending(request);
    owner.packetDone(request, value);
    owner.client().fail(pending, reason);
  }

  /** As {@link #fail}, for a request whose value was gathered. */
  void failGathered(BinaryRequest request, String reason) {
    BinaryRequest.Owner owner = request.owner();
    PendingReply pending = pending(request);
    owner.gatheredDone(request);
    owner.client().fail(pending, reason);
  }

  // --- there ------------------------------------------------------------------------------------

  PendingReply pending(BinaryRequest request) {
    ReplyKind kind = request.command() == Command.STATS ? ReplyKind.PACKETS : ReplyKind.PACKET;
    PendingReply pending =
        request.client().newReply(request.command(), kind, request.packet.suppression());
    pending.binary(request.packet.opcode(), request.packet.opaque());
    return pending;
  }

  /** Sends the head and value bytes behind it unchanged except for opcode and opaque. */
  void send(BinaryRequest request, ServerConnection connection, int value) {
    ByteBuf buffer = request.buffer();
    int from = request.from();
    int to = request.headEnd() + value;
    PendingReply pending = pending(request);
    address(pending, request.packet, buffer, from, connection.nextOpaque());
    request.client().forward(pending, buffer, from, to, connection);
    if (request.isRepeatable()) {
      connection.mayRepeat(pending, buffer, from, to);
    }
  }

  static void address(
      PendingReply pending, BinaryPacket packet, ByteBuf buffer, int from, int wireOpaque) {
    pending.wireOpaque(wireOpaque);
    BinaryHeader.setOpcode(buffer, from, packet.loud());
    BinaryHeader.setOpaque(buffer, from, wireOpaque);
  }

  /**
   * Executes the request unchanged in the embedded store.
   *
   * @param value bytes of its value, which have arrived
   */
  void execute(BinaryRequest request, EmbeddedSession store, int value) {
    BinaryRequest.Owner owner = request.owner();
    Command command = request.command();
    ByteBuf reply = loopState.loop().buffer(256);
    int end = request.headEnd() + value;
    boolean close = store.binary(request.buffer(), request.from(), end, reply);
    owner.client().copied(store.copied());
    owner.packetDone(request, value);
    answer(owner.client(), command, EmbeddedOutcome.ofBinary(reply), null, reply, close);
  }

  /** Answers a request of client that was released. Consumes head and reply. */
  static void answer(
      ConnectedClient client,
      Command command,
      Outcome outcome,
      @Nullable ByteBuf head,
      ByteBuf reply,
      boolean close) {
    client.answer(command, outcome, head, reply);
    if (close) {
      client.end();
    }
  }
}
