package sluice.gateway.client.binary;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.binary.Opcode;
import sluice.gateway.client.ConnectedClient;
import sluice.gateway.client.store.EmbeddedOutcome;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.listener.Listening;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.near.Changes;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.server.BinaryErrors;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.session.Worker;
import sluice.names.Command;
import sluice.names.Dialect;

/**
 * Common operations for all requests of the binary protocol: answers, failures, routing, and
 * execution in the embedded store. All state of a request is in its {@link BinaryRequest}.
 */
class BinaryRouting {
  private final ConnectedClient client;
  private final BinaryReader reader;
  private final Worker worker;
  private final Listening listening;

  BinaryRouting(ConnectedClient client, BinaryReader reader, Worker worker, Listening listening) {
    this.client = client;
    this.reader = reader;
    this.worker = worker;
    this.listening = listening;
  }

  /** A reply of the gateway's own to packet; the caller owns the result. */
  ByteBuf reply(BinaryPacket packet, int status, String text) {
    return BinaryErrors.packet(worker.loop(), packet.opcode(), packet.opaque(), status, text);
  }

  // --- which way --------------------------------------------------------------------------------

  /** Finds the rule for a new request's key. */
  void find(BinaryRequest request) {
    int key = request.packet.keyStart();
    int end = key + request.packet.keyLength();
    request.routed(
        listening
            .route()
            .find(request.command(), Dialect.BINARY, request.buffer(), key, end, null));
  }

  /**
   * The backend of a request whose rule does not reject. It may differ between calls, because
   * servers fail and return. Notifies near caches of its change.
   */
  Backend backend(BinaryRequest request) {
    boolean reads = request.command() == Command.GET;
    Changes changes = reads ? null : listening.changes(request.rule());
    client.changes(changes, changes == null ? 0 : Changes.of(request.keyHash()));
    int key = request.packet.keyStart();
    int end = key + request.packet.keyLength();
    // Only renamed keys are written, so that waiting requests hold no buffer for unchanged ones.
    ByteBuf renamed = request.rule().rewrite() == null ? Unpooled.EMPTY_BUFFER : request.scratch();
    return listening.backend(request.rule(), Dialect.BINARY, request.buffer(), key, end, renamed);
  }

  String noRule() {
    return "no rule of route " + listening.route().name() + " takes this request";
  }

  // --- nowhere ----------------------------------------------------------------------------------

  /** Answers a request that consists of its head only. */
  void refuse(BinaryRequest request, int status, String text) {
    answer(request, Outcome.REJECTED, reply(request.packet, status, text), 0);
  }

  /** Answers a request, after value bytes behind its head were discarded. Consumes reply. */
  void refuse(BinaryRequest request, int status, String text, long value) {
    Command command = request.command();
    ByteBuf reply = reply(request.packet, status, text);
    reader.packetDone(request, 0);
    reader.discard(value, command, Outcome.REJECTED, reply, false);
  }

  /**
   * Answers a request. Consumes reply, which may be null for silence.
   *
   * @param value bytes of its value, which have arrived
   */
  void answer(BinaryRequest request, Outcome outcome, ByteBuf reply, int value) {
    Command command = request.command();
    reader.packetDone(request, value);
    client.answer(command, outcome, reply);
  }

  /**
   * Without a connection: fails the request, unless it waits for one.
   *
   * @param value bytes of its value, which have arrived
   */
  void failUnlessWaiting(BinaryRequest request, int value) {
    if (client.failure() != null) {
      fail(request, client.failure(), value);
    }
  }

  /**
   * Fails the request.
   *
   * @param value bytes of its value, which have arrived
   */
  void fail(BinaryRequest request, String reason, int value) {
    PendingReply pending = pending(request);
    reader.packetDone(request, value);
    client.fail(pending, reason);
  }

  /** As {@link #fail}, for a request whose value was gathered. */
  void failGathered(BinaryRequest request, String reason) {
    PendingReply pending = pending(request);
    reader.gatheredDone(request);
    client.fail(pending, reason);
  }

  // --- there ------------------------------------------------------------------------------------

  PendingReply pending(BinaryRequest request) {
    ReplyKind kind = request.command() == Command.STATS ? ReplyKind.PACKETS : ReplyKind.PACKET;
    PendingReply pending = client.newReply(request.command(), kind, request.packet.suppression());
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
    client.forward(pending, buffer, from, to, connection);
    if (request.command().isRead()) {
      connection.mayRepeat(pending, buffer, from, to);
    }
  }

  static void address(
      PendingReply pending, BinaryPacket packet, ByteBuf buffer, int from, int wireOpaque) {
    pending.wireOpaque(wireOpaque);
    BinaryHeader.setOpcode(buffer, from, Opcode.loud(packet.opcode()));
    BinaryHeader.setOpaque(buffer, from, wireOpaque);
  }

  /**
   * Executes the request unchanged in the embedded store.
   *
   * @param value bytes of its value, which have arrived
   */
  void execute(BinaryRequest request, Pool pool, int value) {
    Command command = request.command();
    ByteBuf reply = worker.loop().buffer(256);
    int end = request.headEnd() + value;
    boolean close = pool.embedded().binary(request.buffer(), request.from(), end, reply);
    reader.packetDone(request, value);
    answer(command, EmbeddedOutcome.ofBinary(reply), null, reply, close);
  }

  void answer(Command command, Outcome outcome, ByteBuf head, ByteBuf reply, boolean close) {
    client.answer(command, outcome, head, reply);
    if (close) {
      client.end();
    }
  }
}
