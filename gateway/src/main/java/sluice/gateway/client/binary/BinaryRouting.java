package sluice.gateway.client.binary;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.binary.Opcode;
import sluice.gateway.client.EmbeddedOutcome;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.Grammar;
import sluice.gateway.listener.Listening;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.near.Changes;
import sluice.gateway.near.NearCache;
import sluice.gateway.route.Rule;
import sluice.gateway.server.BinaryErrors;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.session.Worker;
import sluice.names.Command;

/**
 * What all requests of the binary protocol have in common, whatever their opcode: answers, ways to
 * fail, how a packet is addressed, the store of this process.
 */
class BinaryRouting {
  private final BinaryClient client;
  private final Worker worker;
  private final Listening listening;
  private final BinaryPacket packet;

  BinaryRouting(BinaryClient client, Worker worker, Listening listening, BinaryPacket packet) {
    this.client = client;
    this.worker = worker;
    this.listening = listening;
    this.packet = packet;
  }

  /** The packet that everything here is about. */
  BinaryPacket packet() {
    return packet;
  }

  /** An answer that is not a server's; the caller owns the result. */
  ByteBuf reply(int status, String text) {
    return BinaryErrors.packet(worker.loop(), packet.opcode(), packet.opaque(), status, text);
  }

  /** The packet's command goes where a rule says: near caches are to know of what it changes. */
  void changes(Command command, Rule rule) {
    Changes changes = command == Command.GET ? null : listening.changes(rule);
    client.changes(changes, changes == null ? 0 : Changes.of(hash(rule)));
  }

  /** The hash of the key as its servers know it. */
  private int hash(Rule rule) {
    ByteBuf in = packet.buffer();
    int from = packet.keyStart();
    int to = from + packet.keyLength();
    if (rule.rewrite() == null || !rule.rewrite().fits(in, from, to)) {
      return NearCache.hash(in, from, to);
    }
    ByteBuf renamed = worker.renamed().clear();
    rule.rewrite().toServer(in, from, to, renamed);
    return NearCache.hash(renamed, 0, renamed.writerIndex());
  }

  String noRule() {
    return "no rule of route " + listening.route().name() + " takes this request";
  }

  void refuse(Command command, int status, String text, ByteBuf buffer, int headEnd) {
    ByteBuf reply = reply(status, text);
    client.packetDone(buffer, headEnd);
    client.answer(command, Outcome.REJECTED, reply);
  }

  Exchange exchange(Command command) {
    Exchange exchange = client.newExchange(command, grammar(command), packet.hides());
    exchange.binary(packet.opcode(), packet.opaque());
    return exchange;
  }

  private static Grammar grammar(Command command) {
    return command == Command.STATS ? Grammar.PACKETS : Grammar.PACKET;
  }

  /** Sends [from, to) of buffer as it is but for opcode and opaque. */
  void send(Command command, ServerConnection connection, ByteBuf buffer, int from, int to) {
    Exchange exchange = exchange(command);
    connection.expect(exchange);
    address(exchange, buffer, from, connection.nextOpaque());
    if (command.isRead()) {
      connection.mayRepeat(exchange, buffer, from, to);
    }
    client.forward(buffer, from, to, connection);
  }

  void address(Exchange exchange, ByteBuf buffer, int from, int wireOpaque) {
    exchange.wireOpaque(wireOpaque);
    BinaryHeader.setOpcode(buffer, from, Opcode.loud(packet.opcode()));
    BinaryHeader.setOpaque(buffer, from, wireOpaque);
  }

  void failUnlessWaiting(Command command, ByteBuf buffer, int next) {
    if (client.failure() != null) {
      String reason = client.failure();
      client.packetDone(buffer, next);
      client.fail(exchange(command), reason);
    }
  }

  /** The store of this process executes the packet [from, to) of buffer as it is. */
  void execute(Command command, Pool pool, ByteBuf buffer, int from, int to) {
    ByteBuf reply = worker.loop().buffer(256);
    boolean close = pool.embedded().binary(buffer, from, to, reply);
    client.packetDone(buffer, to);
    answer(command, EmbeddedOutcome.ofBinary(reply), null, reply, close);
  }

  void answer(Command command, Outcome outcome, ByteBuf head, ByteBuf reply, boolean close) {
    client.answer(command, outcome, head, reply);
    if (close) {
      client.end();
    }
  }
}
