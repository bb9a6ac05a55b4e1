package sluice.gateway.client.binary;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.FieldReader;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.binary.Opcode;
import sluice.codecs.memcached.bridge.BinaryReplyWriter;
import sluice.gateway.client.ConnectedClient;
import sluice.gateway.client.ValueSlices;
import sluice.gateway.dispatch.Dispatcher;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.request.PendingReply;
import sluice.gateway.server.BinaryErrors;
import sluice.gateway.session.LoopState;
import sluice.names.Command;

/**
 * Handler of binary-protocol requests: answers them locally or forwards them, in the form for their
 * server.
 *
 * <p>A quiet opcode is sent as the answering one, and the suppressed reply is dropped here, so that
 * every request on a server connection has a reply. The opaque is the connection's own. Both are
 * overwritten in place.
 *
 * <p>All state of a request, its client among it, is in its {@link BinaryRequest}. A method that
 * must wait returns without finishing the request: it is called again with the same one.
 */
public final class BinaryRequests implements BinaryReader.Handler {
  private final LoopState loopState;
  private final BinaryRouting routing;
  private final BinaryOperations operations;
  private final BinaryKeyed keyed;
  private final BinaryLogin login;
  private final FieldReader fields = new FieldReader();

  /** The handler of requests of all clients of loopState's event loop. */
  public BinaryRequests(LoopState loopState, Dispatcher dispatcher) {
    this.loopState = loopState;
    routing = new BinaryRouting(loopState);
    operations = new BinaryOperations(loopState, dispatcher, routing, BinaryReplyWriter.INSTANCE);
    keyed = new BinaryKeyed(loopState, dispatcher, routing);
    login = new BinaryLogin(loopState, routing);
  }

  @Override
  public int headLength(ByteBuf in, int at) {
    fields.of(in, at, BinaryHeader.LENGTH);
    int key = BinaryHeader.keyLength(fields);
    int extras = BinaryHeader.extrasLength(fields);
    boolean sane =
        key <= BinaryPacket.MAX_KEY
            && extras <= BinaryPacket.MAX_EXTRAS
            && key + extras <= BinaryHeader.bodyLength(fields);
    return sane ? BinaryHeader.LENGTH + extras + key : BinaryHeader.LENGTH;
  }

  @Override
  public ByteBuf failureReply(PendingReply pending, String reason) {
    return BinaryErrors.packet(
        loopState.loop(),
        pending.opcode(),
        pending.opaque(),
        Opcode.STATUS_TEMPORARY_FAILURE,
        reason);
  }

  @Override
  public boolean answersAll() {
    return false;
  }

  @Override
  public void handle(BinaryRequest request) {
    BinaryPacket packet = request.packet;
    Command command = request.command();
    if (packet.keyLength() + packet.extras() > packet.body()) {
      end(request, Opcode.STATUS_UNKNOWN_COMMAND, "Unknown command");
    } else if (!BinaryLogin.passes(request)) {
      login.handle(request);
    } else if (packet.body() > BinaryPacket.MAX_BODY || packet.keyLength() > BinaryPacket.MAX_KEY) {
      end(request, Opcode.STATUS_INVALID_ARGUMENTS, "Invalid arguments");
    } else if (command == Command.UNKNOWN
        || command == Command.SASL
        || (command == Command.VERBOSITY && !operations.takesVerbosity(request))) {
      routing.refuse(request, Opcode.STATUS_UNKNOWN_COMMAND, "Unknown command", request.rest());
    } else if (!packet.isWellFormed()) {
      end(request, Opcode.STATUS_INVALID_ARGUMENTS, "Invalid arguments");
    } else if (command == Command.GET && request.client().wantsNoReplies()) {
      ConnectedClient client = request.client();
      request.owner().packetDone(request, 0);
      client.unwanted(command);
    } else if (packet.keyLength() == 0 || command == Command.STATS) {
      keyless(request);
    } else {
      keyed.handle(request);
    }
  }

  @Override
  public void handleGathered(BinaryRequest request, ValueSlices slices) {
    if (request.command() == Command.SASL) {
      login.handleGathered(request, slices);
    } else {
      keyed.handleGathered(request, slices);
    }
  }

  /** Answers with an error after which memcached closes. */
  private void end(BinaryRequest request, int status, String text) {
    ConnectedClient client = request.client();
    routing.answer(request, Outcome.PROTOCOL_ERROR, routing.reply(request.packet, status, text), 0);
    client.end();
  }

  private void keyless(BinaryRequest request) {
    switch (request.command()) {
      case NOOP ->
          routing.answer(
              request, Outcome.OK, routing.reply(request.packet, Opcode.STATUS_OK, ""), 0);
      case QUIT -> {
        boolean quiet = request.packet.opcode() == Opcode.QUITQ;
        ByteBuf reply = quiet ? null : routing.reply(request.packet, Opcode.STATUS_OK, "");
        ConnectedClient client = request.client();
        routing.answer(request, Outcome.OK, reply, 0);
        client.end();
      }
      default -> operations.handle(request);
    }
  }
}
