package sluice.gateway.client.binary;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.binary.Opcode;
import sluice.codecs.memcached.bridge.BinaryReplyWriter;
import sluice.codecs.memcached.bridge.BinaryRequestReader;
import sluice.gateway.client.ClientConnection;
import sluice.gateway.client.EmbeddedOutcome;
import sluice.gateway.client.Pieces;
import sluice.gateway.client.StoreReply;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.Dispatcher;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.Grammar;
import sluice.gateway.exchange.KeyRewrite;
import sluice.gateway.listener.Listening;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.route.Rule;
import sluice.gateway.server.Server;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.session.Worker;
import sluice.names.Command;
import sluice.names.Dialect;

/**
 * Packets with a key: sent on whole, gathered, or streamed; with the key renamed where the rule
 * says so.
 */
final class BinaryKeyed {
  private final BinaryClient client;
  private final Worker worker;
  private final Listening listening;
  private final BinaryPacket packet;
  private final BinaryRouting routing;
  private final BinaryBridged bridged;

  BinaryKeyed(
      BinaryClient client,
      Worker worker,
      Dispatcher dispatcher,
      Listening listening,
      BinaryRouting routing) {
    this.client = client;
    this.worker = worker;
    this.listening = listening;
    this.routing = routing;
    bridged =
        new BinaryBridged(
            client,
            worker,
            dispatcher,
            routing,
            BinaryRequestReader::read,
            BinaryReplyWriter.INSTANCE);
    packet = routing.packet();
  }

  private Rule rule(Command command) {
    int key = packet.keyStart();
    return listening
        .route()
        .find(command, Dialect.BINARY, packet.buffer(), key, key + packet.keyLength(), null);
  }

  /**
   * A packet with a key, whose head is [from, headEnd) of buffer; its value follows in in as far as
   * it has arrived. Waits, or is done with it. Borrows both.
   */
  void packet(Command command, ByteBuf buffer, int from, int headEnd, ByteBuf in) {
    Rule rule = rule(command);
    int value = (int) (packet.body() - packet.keyLength() - packet.extras());
    if (stores(command)) {
      client.writes(value);
    }
    if (rule == null || rule.reject() != null) {
      ByteBuf reply =
          routing.reply(
              Opcode.STATUS_INTERNAL_ERROR, rule == null ? routing.noRule() : rule.reject());
      client.packetDone(buffer, headEnd);
      client.swallow(value, command, Outcome.REJECTED, reply, false);
      return;
    }
    if (client.isOver(listening.limiter(rule))) {
      ByteBuf reply = routing.reply(Opcode.STATUS_BUSY, listening.limiter(rule).reason());
      client.packetDone(buffer, headEnd);
      client.swallow(value, command, Outcome.REJECTED, reply, false);
      return;
    }
    if (refusedForKey(command, rewriteOf(rule), buffer, headEnd, value)) {
      return;
    }
    Backend backend = backend(command, rule);
    Pool pool = backend.pool();
    boolean canonical = backend.plain(Dialect.BINARY) == null;
    boolean whole = value == 0 || (buffer == in && in.writerIndex() - headEnd >= value);
    if (value > listening.limits().itemSizeBytes()) {
      tooLarge(command, canonical ? backend : null, pool, rule, buffer, headEnd, value);
    } else if (pool.embedded() != null) {
      if (whole) {
        execute(command, pool, rule, buffer, from, headEnd, value);
      } else {
        client.gather(buffer, from, headEnd, value);
      }
    } else if (canonical) {
      bridged.packet(command, backend, rewriteOf(rule), buffer, from, headEnd, value, whole);
    } else if (whole) {
      sendWhole(command, pool, rule, buffer, from, headEnd, value);
    } else if (value <= ClientConnection.GATHER_LIMIT) {
      client.gather(buffer, from, headEnd, value);
    } else {
      stream(command, pool, rule, buffer, from, headEnd, value);
    }
  }

  private static boolean stores(Command command) {
    return switch (command) {
      case SET, ADD, REPLACE, APPEND, PREPEND -> true;
      default -> false;
    };
  }

  private Backend backend(Command command, Rule rule) {
    int key = packet.keyStart();
    routing.changes(command, rule);
    return listening.backend(
        rule, Dialect.BINARY, packet.buffer(), key, key + packet.keyLength(), worker.renamed());
  }

  private KeyRewrite rewriteOf(Rule rule) {
    KeyRewrite rewrite = rule.rewrite();
    int key = packet.keyStart();
    return rewrite != null && rewrite.fits(packet.buffer(), key, key + packet.keyLength())
        ? rewrite
        : null;
  }

  /** The head with the server's name of its key; the caller owns the result. */
  private ByteBuf renamedHead(KeyRewrite rewrite) {
    int key = packet.keyStart();
    int longer = rewrite.serverLength(packet.keyLength()) - packet.keyLength();
    ByteBuf head =
        worker.loop().buffer(BinaryHeader.LENGTH + packet.extras() + packet.keyLength() + longer);
    head.writeBytes(packet.buffer(), packet.at(), BinaryHeader.LENGTH + packet.extras());
    rewrite.toServer(packet.buffer(), key, key + packet.keyLength(), head);
    head.setShort(2, packet.keyLength() + longer);
    return head.setInt(8, (int) packet.body() + longer);
  }

  /** The store of this process executes a packet, with its key renamed if the rule says so. */
  private void execute(
      Command command, Pool pool, Rule rule, ByteBuf buffer, int from, int headEnd, int value) {
    KeyRewrite rewrite = rewriteOf(rule);
    if (rewrite == null) {
      routing.execute(command, pool, buffer, from, headEnd + value);
      return;
    }
    ByteBuf request = renamedHead(rewrite).writeBytes(buffer, headEnd, value);
    ByteBuf reply = worker.loop().buffer(256);
    boolean close = pool.embedded().binary(request, 0, request.writerIndex(), reply);
    request.release();
    Outcome outcome = EmbeddedOutcome.ofBinary(reply);
    ByteBuf head = withClientKey(reply);
    client.packetDone(buffer, headEnd + value);
    routing.answer(command, outcome, head, reply, close);
  }

  private void executeGathered(Command command, Pool pool, Rule rule, ByteBuf head, Pieces pieces) {
    KeyRewrite rewrite = rewriteOf(rule);
    if (refusedGathered(command, rewrite)) {
      return;
    }
    ByteBuf renamed =
        rewrite == null
            ? worker.loop().slice(head, head.readerIndex(), head.readableBytes())
            : renamedHead(rewrite);
    ByteBuf request = pieces.copyBehind(renamed);
    renamed.release();
    ByteBuf reply = worker.loop().buffer(256);
    boolean close = pool.embedded().binary(request, 0, request.writerIndex(), reply);
    request.release();
    Outcome outcome = EmbeddedOutcome.ofBinary(reply);
    ByteBuf replyHead = rewrite == null ? null : withClientKey(reply);
    client.gatheredDone();
    routing.answer(command, outcome, replyHead, reply, close);
  }

  private ByteBuf withClientKey(ByteBuf reply) {
    int key = packet.keyStart();
    return StoreReply.withBinaryKey(
        worker.loop(), reply, packet.buffer(), key, key + packet.keyLength());
  }

  private Server serverOf(Pool pool, ByteBuf head, int headAt) {
    int key = BinaryHeader.keyStart(head, headAt);
    return pool.server(
        pool.serverOf(head, key, key + BinaryHeader.keyLength(head, headAt)), Dialect.BINARY);
  }

  /** Answers if no server can have the key that the client's becomes; returns whether it did. */
  private boolean refusedForKey(
      Command command, KeyRewrite rewrite, ByteBuf buffer, int headEnd, long value) {
    if (isUsable(rewrite)) {
      return false;
    }
    ByteBuf reply = routing.reply(Opcode.STATUS_INVALID_ARGUMENTS, "Invalid arguments");
    client.packetDone(buffer, headEnd);
    client.swallow(value, command, Outcome.REJECTED, reply, false);
    return true;
  }

  private boolean isUsable(KeyRewrite rewrite) {
    if (rewrite == null) {
      return true;
    }
    int length = rewrite.serverLength(packet.keyLength());
    return length > 0 && length <= BinaryPacket.MAX_KEY;
  }

  private boolean refusedGathered(Command command, KeyRewrite rewrite) {
    if (isUsable(rewrite)) {
      return false;
    }
    ByteBuf reply = routing.reply(Opcode.STATUS_INVALID_ARGUMENTS, "Invalid arguments");
    client.gatheredDone();
    client.answer(command, Outcome.REJECTED, reply);
    return true;
  }

  private void sendWhole(
      Command command, Pool pool, Rule rule, ByteBuf buffer, int from, int headEnd, int value) {
    KeyRewrite rewrite = rewriteOf(rule);
    ByteBuf head = rewrite == null ? null : renamedHead(rewrite);
    Server server = head == null ? serverOf(pool, buffer, from) : serverOf(pool, head, 0);
    ServerConnection connection = client.connectionTo(server);
    if (connection == null) {
      if (head != null) {
        head.release();
      }
      routing.failUnlessWaiting(command, buffer, headEnd + value);
      return;
    }
    if (head == null) {
      routing.send(command, connection, buffer, from, headEnd + value);
    } else {
      sendRenamed(command, connection, rewrite, head);
      if (value > 0) {
        connection.write(buffer, headEnd, value);
      }
    }
    client.packetDone(buffer, headEnd + value);
  }

  private void sendRenamed(
      Command command, ServerConnection connection, KeyRewrite rewrite, ByteBuf head) {
    Exchange exchange = routing.exchange(command);
    exchange.rewrite(rewrite);
    connection.expect(exchange);
    routing.address(exchange, head, 0, connection.nextOpaque());
    if (command.isRead()) {
      connection.mayRepeat(exchange, head, 0, head.writerIndex());
    }
    client.flushRun();
    connection.write(head);
  }

  /** A packet whose head is whole and whose value has been gathered. Borrows both. */
  void gathered(ByteBuf head, Pieces pieces) {
    Command command = packet.wrap(head, 0).command();
    Rule rule = rule(command);
    Backend backend = backend(command, rule);
    Pool pool = backend.pool();
    if (pool.embedded() != null) {
      executeGathered(command, pool, rule, head, pieces);
      return;
    }
    KeyRewrite rewrite = rewriteOf(rule);
    if (refusedGathered(command, rewrite)) {
      return;
    }
    if (backend.plain(Dialect.BINARY) == null) {
      bridged.gathered(command, backend, rewrite, pieces);
      return;
    }
    ByteBuf sent =
        rewrite == null
            ? worker.loop().slice(head, head.readerIndex(), head.readableBytes())
            : renamedHead(rewrite);
    ServerConnection connection = client.connectionTo(serverOf(pool, sent, 0));
    if (connection == null) {
      sent.release();
      if (client.failure() != null) {
        String reason = client.failure();
        client.gatheredDone();
        client.fail(routing.exchange(command), reason);
      }
      return;
    }
    sendRenamed(command, connection, rewrite, sent);
    pieces.writeTo(connection);
    client.gatheredDone();
  }

  private void stream(
      Command command, Pool pool, Rule rule, ByteBuf buffer, int from, int headEnd, int value) {
    KeyRewrite rewrite = rewriteOf(rule);
    if (!client.isAlone()) {
      return;
    }
    ByteBuf head;
    if (rewrite == null) {
      head = worker.loop().buffer(headEnd - from);
      head.writeBytes(buffer, from, headEnd - from);
    } else {
      head = renamedHead(rewrite);
    }
    Server server = serverOf(pool, head, 0);
    Exchange exchange = routing.exchange(command);
    exchange.rewrite(rewrite);
    routing.address(exchange, head, 0, ~packet.opaque() & 0x7FFFFFFF);
    client.packetDone(buffer, headEnd);
    client.lentRequest().begin(server, exchange, head, value, false);
  }

  /**
   * As memcached: the value goes by, and a set's old value goes with it.
   *
   * @param backend that takes requests in canonical form; null if pool takes the packet
   */
  private void tooLarge(
      Command command,
      Backend backend,
      Pool pool,
      Rule rule,
      ByteBuf buffer,
      int headEnd,
      int value) {
    if (command == Command.SET && backend != null) {
      if (!bridged.delete(command, backend, rewriteOf(rule))) {
        return;
      }
    } else if (command == Command.SET) {
      KeyRewrite rewrite = rewriteOf(rule);
      int key = packet.keyStart();
      ByteBuf delete = worker.loop().buffer(BinaryHeader.LENGTH + BinaryPacket.MAX_KEY);
      delete.writeByte(BinaryHeader.REQUEST_MAGIC).writeByte(Opcode.DELETE).writeZero(22);
      if (rewrite == null) {
        delete.writeBytes(packet.buffer(), key, packet.keyLength());
      } else {
        rewrite.toServer(packet.buffer(), key, key + packet.keyLength(), delete);
      }
      int length = delete.writerIndex() - BinaryHeader.LENGTH;
      delete.setShort(2, length).setInt(8, length);
      if (pool.embedded() != null) {
        ByteBuf ignored = worker.loop().buffer(64);
        pool.embedded().binary(delete, 0, delete.writerIndex(), ignored);
        ignored.release();
        delete.release();
      } else if (!sendDelete(pool, delete)) {
        return;
      }
    }
    ByteBuf reply = routing.reply(Opcode.STATUS_TOO_LARGE, "Too large.");
    client.packetDone(buffer, headEnd);
    client.swallow(value, command, Outcome.REJECTED, reply, false);
  }

  /** Consumes delete. Returns false if it has to be tried again. */
  private boolean sendDelete(Pool pool, ByteBuf delete) {
    ServerConnection connection = client.connectionTo(serverOf(pool, delete, 0));
    if (connection == null) {
      delete.release();
      return client.failure() != null;
    }
    Exchange exchange = client.newExchange(Command.DELETE, Grammar.PACKET, Exchange.HIDE_ALL);
    exchange.binary(Opcode.DELETE, 0);
    int opaque = connection.nextOpaque();
    exchange.wireOpaque(opaque);
    BinaryHeader.setOpaque(delete, 0, opaque);
    connection.expect(exchange);
    client.flushRun();
    connection.write(delete);
    return true;
  }
}
