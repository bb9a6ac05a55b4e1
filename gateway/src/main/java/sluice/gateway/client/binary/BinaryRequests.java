package sluice.gateway.client.binary;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.binary.Opcode;
import sluice.codecs.memcached.bridge.BinaryReplyWriter;
import sluice.gateway.client.Pieces;
import sluice.gateway.dispatch.Dispatcher;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.listener.Listening;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.server.BinaryErrors;
import sluice.gateway.session.Worker;
import sluice.names.Command;

/**
 * What becomes of one packet of the binary protocol: answered here, or sent on and in which form.
 *
 * <p>A quiet opcode is sent as the one that answers, and what it hides is dropped here, so that
 * every request on a server connection has a reply. The opaque is the connection's own on the way
 * out. Both are overwritten in place.
 *
 * <p>A method that has to wait for a server leaves everything as it is: it is called again with the
 * same packet.
 */
public final class BinaryRequests implements BinaryClient.Packets {

  private final BinaryClient client;
  private final Worker worker;
  private final BinaryPacket packet;
  private final BinaryRouting routing;
  private final BinaryOperations operations;
  private final BinaryKeyed keyed;
  private final BinaryLogin login; // null if none is wanted

  public BinaryRequests(
      BinaryClient client, Worker worker, Dispatcher dispatcher, Listening listening) {
    this.client = client;
    this.worker = worker;
    routing = new BinaryRouting(client, worker, listening, new BinaryPacket(false));
    packet = routing.packet();
    operations =
        new BinaryOperations(
            client, worker, dispatcher, listening, routing, BinaryReplyWriter.INSTANCE);
    keyed = new BinaryKeyed(client, worker, dispatcher, listening, routing);
    login = listening.users() == null ? null : new BinaryLogin(client, worker, listening, routing);
  }

  @Override
  public int headLength(ByteBuf in, int at) {
    int key = BinaryHeader.keyLength(in, at);
    int extras = BinaryHeader.extrasLength(in, at);
    boolean sane =
        key <= BinaryPacket.MAX_KEY
            && extras <= BinaryPacket.MAX_EXTRAS
            && key + extras <= BinaryHeader.bodyLength(in, at);
    return sane ? BinaryHeader.LENGTH + extras + key : BinaryHeader.LENGTH;
  }

  @Override
  public ByteBuf failureReply(Exchange exchange, String reason) {
    return BinaryErrors.packet(
        worker.loop(),
        exchange.opcode(),
        exchange.opaque(),
        Opcode.STATUS_TEMPORARY_FAILURE,
        reason);
  }

  @Override
  public void packet(ByteBuf buffer, int from, int headEnd, ByteBuf in) {
    packet.wrap(buffer, from);
    if (packet.keyLength() + packet.extras() > packet.body()) {
      end(buffer, headEnd, Opcode.STATUS_UNKNOWN_COMMAND, "Unknown command");
      return;
    }
    Command command = packet.command();
    if (login != null && !login.passes(command)) {
      login.packet(command, buffer, from, headEnd);
    } else if (command == Command.UNKNOWN
        || command == Command.SASL
        || (command == Command.VERBOSITY && !operations.takesVerbosity())) {
      unknown(command, buffer, from, headEnd);
    } else if (packet.body() > BinaryPacket.MAX_BODY || !packet.isWellFormed()) {
      end(buffer, headEnd, Opcode.STATUS_INVALID_ARGUMENTS, "Invalid arguments");
    } else if (command == Command.GET && client.wantsNoReplies()) {
      client.packetDone(buffer, headEnd);
      client.unwanted(command);
    } else if (packet.keyLength() == 0) {
      keyless(command, buffer, from, headEnd);
    } else if (command == Command.STATS) {
      keyless(command, buffer, from, headEnd);
    } else {
      keyed.packet(command, buffer, from, headEnd, in);
    }
  }

  @Override
  public void gathered(ByteBuf head, Pieces pieces) {
    if (packet.wrap(head, 0).command() == Command.SASL) {
      login.gathered(head, pieces);
    } else {
      keyed.gathered(head, pieces);
    }
  }

  /** Answers with an error after which memcached closes. */
  private void end(ByteBuf buffer, int headEnd, int status, String text) {
    Command command = packet.command();
    ByteBuf reply = routing.reply(status, text);
    client.packetDone(buffer, headEnd);
    client.answer(command, Outcome.PROTOCOL_ERROR, reply);
    client.end();
  }

  private void unknown(Command command, ByteBuf buffer, int from, int headEnd) {
    ByteBuf reply = routing.reply(Opcode.STATUS_UNKNOWN_COMMAND, "Unknown command");
    long rest = packet.body() - (headEnd - from - BinaryHeader.LENGTH);
    client.packetDone(buffer, headEnd);
    client.swallow(rest, command, Outcome.REJECTED, reply, false);
  }

  private void keyless(Command command, ByteBuf buffer, int from, int headEnd) {
    switch (command) {
      case NOOP -> {
        ByteBuf reply = routing.reply(Opcode.STATUS_OK, "");
        client.packetDone(buffer, headEnd);
        client.answer(command, Outcome.OK, reply);
      }
      case QUIT -> {
        ByteBuf reply =
            packet.opcode() == Opcode.QUITQ ? null : routing.reply(Opcode.STATUS_OK, "");
        client.packetDone(buffer, headEnd);
        client.answer(command, Outcome.OK, reply);
        client.end();
      }
      default -> operations.everywhere(command, buffer, from, headEnd);
    }
  }
}
