package sluice.gateway.client;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import sluice.codecs.memcached.Command;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.binary.Opcode;
import sluice.config.Dialect;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.Grammar;
import sluice.gateway.exchange.KeyRewrite;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.route.Rule;
import sluice.gateway.server.BinaryErrors;
import sluice.gateway.server.Server;
import sluice.gateway.server.ServerConnection;

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
final class BinaryRequests {
  static final int MAX_KEY = 250;
  static final int MAX_EXTRAS = 20;

  private static final long MAX_BODY = 1L << 30;

  private final BinaryClient client;
  private final Worker worker;
  private final Listening listening;

  private ByteBuf packet;
  private int at;
  private int opcode;
  private int opaque;
  private int keyLength;
  private int extras;
  private long body;

  BinaryRequests(BinaryClient client, Worker worker, Listening listening) {
    this.client = client;
    this.worker = worker;
    this.listening = listening;
  }

  /**
   * A packet whose head is [from, headEnd) of buffer, which is in or what the client keeps; its
   * value follows in in as far as it has arrived. Borrows both.
   */
  void packet(ByteBuf buffer, int from, int headEnd, ByteBuf in) {
    read(buffer, from);
    if (keyLength + extras > body) {
      end(buffer, headEnd, Opcode.STATUS_UNKNOWN_COMMAND, "Unknown command");
      return;
    }
    Command command = command(opcode);
    if (command == Command.UNKNOWN || command == Command.SASL || command == Command.VERBOSITY) {
      unknown(command, buffer, from, headEnd);
    } else if (body > MAX_BODY || !isWellFormed()) {
      end(buffer, headEnd, Opcode.STATUS_INVALID_ARGUMENTS, "Invalid arguments");
    } else if (keyLength == 0) {
      keyless(command, buffer, from, headEnd);
    } else if (command == Command.STATS) {
      keyless(command, buffer, from, headEnd);
    } else {
      keyed(command, buffer, from, headEnd, in);
    }
  }

  private void read(ByteBuf buffer, int from) {
    packet = buffer;
    at = from;
    opcode = BinaryHeader.opcode(buffer, from);
    opaque = BinaryHeader.opaque(buffer, from);
    keyLength = BinaryHeader.keyLength(buffer, from);
    extras = BinaryHeader.extrasLength(buffer, from);
    body = BinaryHeader.bodyLength(buffer, from);
  }

  static Command command(int opcode) {
    return switch (Opcode.loud(opcode)) {
      case Opcode.GET, Opcode.GETK -> Command.GET;
      case Opcode.GAT, Opcode.GATK -> Command.GAT;
      case Opcode.SET -> Command.SET;
      case Opcode.ADD -> Command.ADD;
      case Opcode.REPLACE -> Command.REPLACE;
      case Opcode.APPEND -> Command.APPEND;
      case Opcode.PREPEND -> Command.PREPEND;
      case Opcode.DELETE -> Command.DELETE;
      case Opcode.INCREMENT -> Command.INCR;
      case Opcode.DECREMENT -> Command.DECR;
      case Opcode.TOUCH -> Command.TOUCH;
      case Opcode.NOOP -> Command.NOOP;
      case Opcode.QUIT -> Command.QUIT;
      case Opcode.FLUSH -> Command.FLUSH_ALL;
      case Opcode.VERSION -> Command.VERSION;
      case Opcode.STAT -> Command.STATS;
      case Opcode.VERBOSITY -> Command.VERBOSITY;
      case Opcode.SASL_LIST, Opcode.SASL_AUTH, Opcode.SASL_STEP -> Command.SASL;
      default -> Command.UNKNOWN;
    };
  }

  /** Whether the lengths are what memcached wants of the opcode (protocols/memcached.md, 4). */
  private boolean isWellFormed() {
    boolean noValue = body == keyLength + extras;
    boolean key = keyLength > 0 && keyLength <= MAX_KEY;
    return switch (Opcode.loud(opcode)) {
      case Opcode.GET, Opcode.GETK, Opcode.DELETE -> key && extras == 0 && noValue;
      case Opcode.GAT, Opcode.GATK, Opcode.TOUCH -> key && extras == 4 && noValue;
      case Opcode.SET, Opcode.ADD, Opcode.REPLACE -> key && extras == 8;
      case Opcode.APPEND, Opcode.PREPEND -> key && extras == 0;
      case Opcode.INCREMENT, Opcode.DECREMENT -> key && extras == 20 && noValue;
      case Opcode.FLUSH -> keyLength == 0 && (extras == 0 || extras == 4) && noValue;
      case Opcode.NOOP, Opcode.QUIT, Opcode.VERSION -> body == 0;
      case Opcode.STAT -> extras == 0 && keyLength <= MAX_KEY && noValue;
      default -> false;
    };
  }

  private int hides() {
    return switch (opcode) {
      case Opcode.GETQ, Opcode.GETKQ, Opcode.GATQ, Opcode.GATKQ -> Exchange.HIDE_MISS;
      default -> Opcode.loud(opcode) == opcode ? Exchange.HIDE_NOTHING : Exchange.HIDE_SUCCESS;
    };
  }

  // --- answered here ------------------------------------------------------------------------

  private ByteBuf reply(int status, String text) {
    return BinaryErrors.packet(worker.loop(), opcode, opaque, status, text);
  }

  /** Answers with an error after which memcached closes. */
  private void end(ByteBuf buffer, int headEnd, int status, String text) {
    Command command = command(opcode);
    ByteBuf reply = reply(status, text);
    client.packetDone(buffer, headEnd);
    client.answer(command, Outcome.PROTOCOL_ERROR, reply);
    client.end();
  }

  private void unknown(Command command, ByteBuf buffer, int from, int headEnd) {
    ByteBuf reply = reply(Opcode.STATUS_UNKNOWN_COMMAND, "Unknown command");
    long rest = body - (headEnd - from - BinaryHeader.LENGTH);
    client.packetDone(buffer, headEnd);
    client.swallow(rest, command, Outcome.REJECTED, reply, false);
  }

  // --- without a key ------------------------------------------------------------------------

  private void keyless(Command command, ByteBuf buffer, int from, int headEnd) {
    switch (command) {
      case NOOP -> {
        ByteBuf reply = reply(Opcode.STATUS_OK, "");
        client.packetDone(buffer, headEnd);
        client.answer(command, Outcome.OK, reply);
      }
      case QUIT -> {
        ByteBuf reply = opcode == Opcode.QUITQ ? null : reply(Opcode.STATUS_OK, "");
        client.packetDone(buffer, headEnd);
        client.answer(command, Outcome.OK, reply);
        client.end();
      }
      default -> everywhere(command, buffer, from, headEnd);
    }
  }

  private void everywhere(Command command, ByteBuf buffer, int from, int headEnd) {
    if (!listening.allows(command)) {
      refuse(command, Opcode.STATUS_AUTH_ERROR, "Auth failure.", buffer, headEnd);
      return;
    }
    List<Target> stores = new ArrayList<>(1);
    List<Server> servers = new ArrayList<>(4);
    for (int pool : listening.route().keylessPools(command, Dialect.BINARY)) {
      Target target = listening.target(pool);
      if (target.embedded() != null) {
        stores.add(target);
      }
      for (int i = 0; i < target.size(); i++) {
        servers.add(target.binary(i));
      }
    }
    if (servers.isEmpty() && stores.size() == 1) {
      execute(command, stores.get(0), buffer, from, headEnd, headEnd);
    } else if (servers.size() == 1 && stores.isEmpty()) {
      one(command, servers.get(0), buffer, from, headEnd);
    } else if (servers.isEmpty() && stores.isEmpty()) {
      refuse(command, Opcode.STATUS_INTERNAL_ERROR, noRule(), buffer, headEnd);
    } else {
      all(command, servers, stores, buffer, from, headEnd);
    }
  }

  private String noRule() {
    return "no rule of route " + listening.route().name() + " takes this request";
  }

  private void refuse(Command command, int status, String text, ByteBuf buffer, int headEnd) {
    ByteBuf reply = reply(status, text);
    client.packetDone(buffer, headEnd);
    client.answer(command, Outcome.REJECTED, reply);
  }

  private static Grammar grammar(Command command) {
    return command == Command.STATS ? Grammar.PACKETS : Grammar.PACKET;
  }

  private void one(Command command, Server server, ByteBuf buffer, int from, int headEnd) {
    ServerConnection connection = client.connectionTo(server);
    if (connection == null) {
      failUnlessWaiting(command, buffer, headEnd);
      return;
    }
    send(command, connection, buffer, from, headEnd);
    client.packetDone(buffer, headEnd);
  }

  private Exchange exchange(Command command) {
    Exchange exchange = client.newExchange(command, grammar(command), hides());
    exchange.binary(opcode, opaque);
    return exchange;
  }

  /** Sends [from, to) of buffer as it is but for opcode and opaque. */
  private void send(
      Command command, ServerConnection connection, ByteBuf buffer, int from, int to) {
    Exchange exchange = exchange(command);
    connection.expect(exchange);
    address(exchange, buffer, from, connection.nextOpaque());
    client.forward(buffer, from, to, connection);
  }

  private void address(Exchange exchange, ByteBuf buffer, int from, int wireOpaque) {
    exchange.wireOpaque(wireOpaque);
    BinaryHeader.setOpcode(buffer, from, Opcode.loud(opcode));
    BinaryHeader.setOpaque(buffer, from, wireOpaque);
  }

  private void failUnlessWaiting(Command command, ByteBuf buffer, int next) {
    if (client.failure != null) {
      String reason = client.failure;
      client.packetDone(buffer, next);
      client.fail(exchange(command), reason);
    }
  }

  private void all(
      Command command,
      List<Server> servers,
      List<Target> stores,
      ByteBuf buffer,
      int from,
      int headEnd) {
    Optional<FanOut.Aggregate> aggregate = aggregate(command, buffer, from);
    if (aggregate.isEmpty()) {
      refuse(
          command,
          Opcode.STATUS_INTERNAL_ERROR,
          command.label() + " needs a route to one server",
          buffer,
          headEnd);
      return;
    }
    List<ServerConnection> connections = new ArrayList<>();
    String failure = null;
    for (Server server : servers) {
      ServerConnection connection = client.connectionTo(server);
      if (connection == null && client.failure == null) {
        return;
      }
      failure = connection == null && failure == null ? client.failure : failure;
      connections.add(connection);
    }
    Exchange whole = exchange(command);
    client.flushRun();
    FanOut fanOut = new FanOut(worker, client, whole, aggregate.get());
    if (failure != null) {
      fanOut.failed(failure);
    }
    for (ServerConnection connection : connections) {
      if (connection != null) {
        Exchange part = fanOut.part();
        part.binary(opcode, opaque);
        connection.expect(part);
        ByteBuf copy = worker.loop().buffer(headEnd - from);
        copy.writeBytes(buffer, from, headEnd - from);
        address(part, copy, 0, connection.nextOpaque());
        connection.write(copy);
      }
    }
    for (Target store : stores) {
      Exchange part = fanOut.part();
      ByteBuf reply = worker.loop().buffer(256);
      store.embedded().binary(buffer, from, headEnd, reply);
      part.hold(reply);
      part.complete();
      fanOut.partCompleted(part, null);
    }
    client.packetDone(buffer, headEnd);
    fanOut.sent();
  }

  private Optional<FanOut.Aggregate> aggregate(Command command, ByteBuf buffer, int from) {
    int asked = opaque;
    boolean quiet = hides() != Exchange.HIDE_NOTHING;
    return switch (command) {
      case FLUSH_ALL -> Optional.of(replies -> worst(replies, quiet));
      case VERSION -> Optional.of(BinaryRequests::lowestVersion);
      case STATS -> {
        if (keyLength == 0) {
          yield Optional.of(replies -> StatsSum.ofBinary(worker.loop(), replies, asked));
        }
        String name =
            buffer.toString(
                BinaryHeader.keyStart(buffer, from),
                keyLength,
                java.nio.charset.StandardCharsets.ISO_8859_1);
        yield name.equals("reset")
            ? Optional.of(replies -> worst(replies, false))
            : Optional.empty();
      }
      default -> Optional.empty();
    };
  }

  /** The first that is not good; else the first, or silence. */
  private static ByteBuf worst(List<ByteBuf> replies, boolean quiet) {
    for (ByteBuf reply : replies) {
      if (reply.isReadable()
          && BinaryHeader.status(reply, reply.readerIndex()) != Opcode.STATUS_OK) {
        return reply.retainedSlice();
      }
    }
    return quiet ? null : replies.get(0).retainedSlice();
  }

  private static ByteBuf lowestVersion(List<ByteBuf> replies) {
    ByteBuf lowest = replies.get(0);
    for (ByteBuf reply : replies) {
      if (version(reply).compareTo(version(lowest)) < 0) {
        lowest = reply;
      }
    }
    return lowest.retainedSlice();
  }

  private static ServerVersion version(ByteBuf reply) {
    int value = reply.readerIndex() + BinaryHeader.LENGTH;
    return ServerVersion.parse(
        reply.toString(
            value, reply.writerIndex() - value, java.nio.charset.StandardCharsets.ISO_8859_1));
  }

  // --- with a key ---------------------------------------------------------------------------

  private Rule rule(Command command) {
    int key = BinaryHeader.keyStart(packet, at);
    return listening.route().find(command, Dialect.BINARY, packet, key, key + keyLength);
  }

  private void keyed(Command command, ByteBuf buffer, int from, int headEnd, ByteBuf in) {
    Rule rule = rule(command);
    int value = (int) (body - keyLength - extras);
    if (rule == null || rule.reject() != null) {
      ByteBuf reply = reply(Opcode.STATUS_INTERNAL_ERROR, rule == null ? noRule() : rule.reject());
      client.packetDone(buffer, headEnd);
      client.swallow(value, command, Outcome.REJECTED, reply, false);
      return;
    }
    Target target = listening.target(rule.pool());
    boolean whole = value == 0 || (buffer == in && in.writerIndex() - headEnd >= value);
    if (value > listening.limits().itemSizeBytes()) {
      tooLarge(command, target, rule, buffer, headEnd, value);
    } else if (target.embedded() != null) {
      if (whole) {
        execute(command, target, buffer, from, headEnd + value, headEnd + value);
      } else {
        client.gather(buffer, from, headEnd, value);
      }
    } else if (whole) {
      sendWhole(command, target, rule, buffer, from, headEnd, value);
    } else if (value <= ClientConnection.GATHER_LIMIT) {
      client.gather(buffer, from, headEnd, value);
    } else {
      stream(command, target, rule, buffer, from, headEnd, value);
    }
  }

  private void execute(Command command, Target target, ByteBuf buffer, int from, int to, int next) {
    ByteBuf reply = worker.loop().buffer(256);
    boolean close = target.embedded().binary(buffer, from, to, reply);
    client.packetDone(buffer, next);
    client.answer(command, EmbeddedOutcome.ofBinary(reply), reply);
    if (close) {
      client.end();
    }
  }

  private KeyRewrite rewriteOf(Rule rule) {
    KeyRewrite rewrite = rule.rewrite();
    int key = BinaryHeader.keyStart(packet, at);
    return rewrite != null && rewrite.fits(packet, key, key + keyLength) ? rewrite : null;
  }

  /** The head with the server's name of its key; the caller owns the result. */
  private ByteBuf renamedHead(KeyRewrite rewrite) {
    int key = BinaryHeader.keyStart(packet, at);
    int longer = rewrite.serverLength(keyLength) - keyLength;
    ByteBuf head = worker.loop().buffer(BinaryHeader.LENGTH + extras + keyLength + longer);
    head.writeBytes(packet, at, BinaryHeader.LENGTH + extras);
    rewrite.toServer(packet, key, key + keyLength, head);
    head.setShort(2, keyLength + longer);
    return head.setInt(8, (int) body + longer);
  }

  private Server serverOf(Target target, ByteBuf head, int headAt) {
    int key = BinaryHeader.keyStart(head, headAt);
    return target.binary(target.serverOf(head, key, key + BinaryHeader.keyLength(head, headAt)));
  }

  private boolean refusedAsLong(
      Command command, KeyRewrite rewrite, ByteBuf buffer, int headEnd, long value) {
    if (rewrite == null || rewrite.serverLength(keyLength) <= MAX_KEY) {
      return false;
    }
    ByteBuf reply = reply(Opcode.STATUS_INVALID_ARGUMENTS, "Invalid arguments");
    client.packetDone(buffer, headEnd);
    client.swallow(value, command, Outcome.REJECTED, reply, false);
    return true;
  }

  private void sendWhole(
      Command command, Target target, Rule rule, ByteBuf buffer, int from, int headEnd, int value) {
    KeyRewrite rewrite = rewriteOf(rule);
    if (refusedAsLong(command, rewrite, buffer, headEnd, value)) {
      return;
    }
    ByteBuf head = rewrite == null ? null : renamedHead(rewrite);
    Server server = head == null ? serverOf(target, buffer, from) : serverOf(target, head, 0);
    ServerConnection connection = client.connectionTo(server);
    if (connection == null) {
      if (head != null) {
        head.release();
      }
      failUnlessWaiting(command, buffer, headEnd + value);
      return;
    }
    if (head == null) {
      send(command, connection, buffer, from, headEnd + value);
    } else {
      sendRenamed(command, connection, rewrite, head);
      if (value > 0) {
        connection.write(buffer.retainedSlice(headEnd, value));
      }
    }
    client.packetDone(buffer, headEnd + value);
  }

  private void sendRenamed(
      Command command, ServerConnection connection, KeyRewrite rewrite, ByteBuf head) {
    Exchange exchange = exchange(command);
    exchange.rewrite(rewrite);
    connection.expect(exchange);
    address(exchange, head, 0, connection.nextOpaque());
    client.flushRun();
    connection.write(head);
  }

  /** A packet whose head is whole and whose value has been gathered. Borrows both. */
  void gathered(ByteBuf head, Pieces pieces) {
    read(head, 0);
    Command command = command(opcode);
    Rule rule = rule(command);
    Target target = listening.target(rule.pool());
    if (target.embedded() != null) {
      ByteBuf whole = pieces.copyBehind(head);
      ByteBuf reply = worker.loop().buffer(256);
      boolean close = target.embedded().binary(whole, 0, whole.writerIndex(), reply);
      whole.release();
      client.gatheredDone();
      client.answer(command, EmbeddedOutcome.ofBinary(reply), reply);
      if (close) {
        client.end();
      }
      return;
    }
    KeyRewrite rewrite = rewriteOf(rule);
    if (rewrite != null && rewrite.serverLength(keyLength) > MAX_KEY) {
      ByteBuf reply = reply(Opcode.STATUS_INVALID_ARGUMENTS, "Invalid arguments");
      client.gatheredDone();
      client.answer(command, Outcome.REJECTED, reply);
      return;
    }
    ByteBuf sent = rewrite == null ? head.retainedSlice() : renamedHead(rewrite);
    ServerConnection connection = client.connectionTo(serverOf(target, sent, 0));
    if (connection == null) {
      sent.release();
      if (client.failure != null) {
        String reason = client.failure;
        client.gatheredDone();
        client.fail(exchange(command), reason);
      }
      return;
    }
    sendRenamed(command, connection, rewrite, sent);
    pieces.writeTo(connection);
    client.gatheredDone();
  }

  private void stream(
      Command command, Target target, Rule rule, ByteBuf buffer, int from, int headEnd, int value) {
    KeyRewrite rewrite = rewriteOf(rule);
    if (refusedAsLong(command, rewrite, buffer, headEnd, value) || !client.isAlone()) {
      return;
    }
    ByteBuf head;
    if (rewrite == null) {
      head = worker.loop().buffer(headEnd - from);
      head.writeBytes(buffer, from, headEnd - from);
    } else {
      head = renamedHead(rewrite);
    }
    Server server = serverOf(target, head, 0);
    Exchange exchange = exchange(command);
    exchange.rewrite(rewrite);
    address(exchange, head, 0, ~opaque & 0x7FFFFFFF);
    client.packetDone(buffer, headEnd);
    client.lentRequest().begin(server, exchange, head, value, false);
  }

  /** As memcached: the value goes by, and a set's old value goes with it. */
  private void tooLarge(
      Command command, Target target, Rule rule, ByteBuf buffer, int headEnd, int value) {
    if (command == Command.SET) {
      KeyRewrite rewrite = target.embedded() == null ? rewriteOf(rule) : null;
      int key = BinaryHeader.keyStart(packet, at);
      ByteBuf delete = worker.loop().buffer(BinaryHeader.LENGTH + MAX_KEY);
      delete.writeByte(BinaryHeader.REQUEST_MAGIC).writeByte(Opcode.DELETE).writeZero(22);
      if (rewrite == null) {
        delete.writeBytes(packet, key, keyLength);
      } else {
        rewrite.toServer(packet, key, key + keyLength, delete);
      }
      int length = delete.writerIndex() - BinaryHeader.LENGTH;
      delete.setShort(2, length).setInt(8, length);
      if (target.embedded() != null) {
        ByteBuf ignored = worker.loop().buffer(64);
        target.embedded().binary(delete, 0, delete.writerIndex(), ignored);
        ignored.release();
        delete.release();
      } else if (!sendDelete(target, delete)) {
        return;
      }
    }
    ByteBuf reply = reply(Opcode.STATUS_TOO_LARGE, "Too large.");
    client.packetDone(buffer, headEnd);
    client.swallow(value, command, Outcome.REJECTED, reply, false);
  }

  /** Consumes delete. Returns false if it has to be tried again. */
  private boolean sendDelete(Target target, ByteBuf delete) {
    ServerConnection connection = client.connectionTo(serverOf(target, delete, 0));
    if (connection == null) {
      delete.release();
      return client.failure != null;
    }
    Exchange exchange = client.newExchange(Command.DELETE, Grammar.PACKET, Exchange.HIDE_ALL);
    exchange.binary(Opcode.DELETE, 0);
    exchange.wireOpaque(connection.nextOpaque());
    BinaryHeader.setOpaque(delete, 0, exchange.wireOpaque());
    connection.expect(exchange);
    client.flushRun();
    connection.write(delete);
    return true;
  }
}
