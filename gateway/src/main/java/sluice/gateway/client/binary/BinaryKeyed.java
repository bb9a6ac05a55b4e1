package sluice.gateway.client.binary;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.binary.Opcode;
import sluice.codecs.memcached.bridge.BinaryReplyWriter;
import sluice.codecs.memcached.bridge.BinaryRequestReader;
import sluice.embedded.EmbeddedSession;
import sluice.gateway.client.ConnectedClient;
import sluice.gateway.client.ValueSlices;
import sluice.gateway.client.store.EmbeddedOutcome;
import sluice.gateway.client.store.StoreReply;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.ClientSession.LineEnd;
import sluice.gateway.dispatch.Dispatcher;
import sluice.gateway.dispatch.Limiter;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.request.KeyRewrite;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.Suppression;
import sluice.gateway.route.Rule;
import sluice.gateway.server.Server;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.session.LoopState;
import sluice.names.Command;
import sluice.names.Dialect;

/**
 * Handler of packets with a key: forwarded completely, gathered, or streamed; with the key
 * rewritten if the rule requires it.
 */
final class BinaryKeyed {
  private static final String INVALID = "Invalid arguments";

  private final Loop loop;
  private final BinaryRouting routing;
  private final BinaryBridged bridged;

  BinaryKeyed(LoopState loopState, Dispatcher dispatcher, BinaryRouting routing) {
    this.routing = routing;
    loop = loopState.loop();
    bridged =
        new BinaryBridged(
            loop,
            dispatcher,
            routing,
            (request, canonical) ->
                BinaryRequestReader.read(request.buffer(), request.from(), canonical),
            BinaryReplyWriter.INSTANCE);
  }

  // --- which way --------------------------------------------------------------------------------

  /** Handles a request with a key; some of its value may have arrived. Waits, or finishes it. */
  void handle(BinaryRequest request) {
    int value = request.valueLength();
    if (stores(request.command())) {
      request.client().writes(value);
    }
    if (request.isNew() && !admits(request)) {
      return;
    }
    Backend backend = routing.backend(request);
    Pool pool = backend.pool();
    EmbeddedSession embedded = pool.embedded();
    boolean canonical = backend.plain(Dialect.BINARY) == null;
    if (value > request.listenerView().limits().itemSizeBytes()) {
      tooLarge(request, canonical ? backend : null, pool);
    } else if (embedded != null) {
      if (request.hasValue()) {
        execute(request, embedded);
      } else {
        request.owner().gather(request, value);
      }
    } else if (canonical) {
      bridged.send(request, backend);
    } else if (request.hasValue()) {
      sendWhole(request, pool);
    } else if (value <= ConnectedClient.GATHER_LIMIT) {
      request.owner().gather(request, value);
    } else {
      stream(request, pool);
    }
  }

  /** Finds the rule of a new request. Returns whether it may be sent; otherwise it is answered. */
  private boolean admits(BinaryRequest request) {
    int value = request.valueLength();
    routing.find(request);
    Rule rule = request.rule();
    if (rule == null) {
      routing.refuse(request, Opcode.STATUS_INTERNAL_ERROR, routing.noRule(request), value);
      return false;
    }
    String reject = rule.reject();
    if (reject != null) {
      routing.refuse(request, Opcode.STATUS_INTERNAL_ERROR, reject, value);
      return false;
    }
    Limiter limiter = request.listenerView().limiter(rule);
    if (limiter != null && request.client().isOver(limiter)) {
      routing.refuse(request, Opcode.STATUS_BUSY, limiter.reason(), value);
      return false;
    }
    if (!request.isUsable()) {
      routing.refuse(request, Opcode.STATUS_INVALID_ARGUMENTS, INVALID, value);
      return false;
    }
    request.admitted();
    return true;
  }

  private static boolean stores(Command command) {
    return switch (command) {
      case SET, ADD, REPLACE, APPEND, PREPEND -> true;
      default -> false;
    };
  }

  // --- the store of this process ----------------------------------------------------------------

  /** Executes a request in the embedded store, with its key rewritten if the rule requires it. */
  private void execute(BinaryRequest request, EmbeddedSession store) {
    int value = request.valueLength();
    KeyRewrite rewrite = request.rewrite();
    if (rewrite == null) {
      routing.execute(request, store, value);
      return;
    }
    BinaryRequest.Owner owner = request.owner();
    Command command = request.command();
    ByteBuf renamed = renamedHead(request, rewrite);
    renamed.writeBytes(request.buffer(), request.headEnd(), value);
    ByteBuf reply = loop.buffer(256);
    boolean close = store.binary(renamed, 0, renamed.writerIndex(), reply);
    owner.client().copied(store.copied());
    renamed.release();
    Outcome outcome = EmbeddedOutcome.ofBinary(reply);
    ByteBuf head = withClientKey(request.packet, reply);
    owner.packetDone(request, value);
    BinaryRouting.answer(owner.client(), command, outcome, head, reply, close);
  }

  private void executeGathered(BinaryRequest request, EmbeddedSession store, ValueSlices slices) {
    BinaryRequest.Owner owner = request.owner();
    Command command = request.command();
    ByteBuf head = sentHead(request);
    ByteBuf whole = slices.copyBehind(head);
    head.release();
    ByteBuf reply = loop.buffer(256);
    boolean close = store.binary(whole, 0, whole.writerIndex(), reply);
    owner.client().copied(store.copied());
    whole.release();
    Outcome outcome = EmbeddedOutcome.ofBinary(reply);
    ByteBuf replyHead = request.rewrite() == null ? null : withClientKey(request.packet, reply);
    owner.gatheredDone(request);
    BinaryRouting.answer(owner.client(), command, outcome, replyHead, reply, close);
  }

  private @Nullable ByteBuf withClientKey(BinaryPacket packet, ByteBuf reply) {
    int key = packet.keyStart();
    return StoreReply.withBinaryKey(loop, reply, packet.buffer(), key, key + packet.keyLength());
  }

  // --- heads ------------------------------------------------------------------------------------

  /** The head with the server key; the caller owns the result. */
  private ByteBuf renamedHead(BinaryRequest request, KeyRewrite rewrite) {
    BinaryPacket packet = request.packet;
    int key = packet.keyStart();
    int longer = rewrite.serverLength(packet.keyLength()) - packet.keyLength();
    int value = request.hasValue() ? request.valueLength() : 0;
    ByteBuf head =
        loop.buffer(BinaryHeader.LENGTH + packet.extras() + packet.keyLength() + longer + value);
    head.writeBytes(packet.buffer(), packet.at(), BinaryHeader.LENGTH + packet.extras());
    rewrite.toServer(packet.buffer(), key, key + packet.keyLength(), head);
    head.setShort(2, packet.keyLength() + longer);
    return head.setInt(8, (int) packet.body() + longer);
  }

  /** The head of a gathered request in its form for the server; the caller owns the result. */
  private ByteBuf sentHead(BinaryRequest request) {
    KeyRewrite rewrite = request.rewrite();
    return rewrite == null
        ? loop.slice(request.buffer(), request.from(), request.headEnd() - request.from())
        : renamedHead(request, rewrite);
  }

  private static Server serverOf(Pool pool, BinaryPacket packet) {
    return serverOf(pool, packet.buffer(), packet.keyStart(), packet.keyLength());
  }

  private static Server serverOf(Pool pool, ByteBuf head) {
    return serverOf(pool, head, BinaryHeader.keyStart(head, 0), BinaryHeader.keyLength(head, 0));
  }

  private static Server serverOf(Pool pool, ByteBuf buffer, int key, int keyLength) {
    return pool.server(pool.serverOf(buffer, key, key + keyLength), Dialect.BINARY);
  }

  // --- servers ----------------------------------------------------------------------------------

  private void sendWhole(BinaryRequest request, Pool pool) {
    int value = request.valueLength();
    KeyRewrite rewrite = request.rewrite();
    ByteBuf head = rewrite == null ? null : renamedHead(request, rewrite);
    Server server = head == null ? serverOf(pool, request.packet) : serverOf(pool, head);
    ServerConnection connection = request.client().connectionTo(server);
    if (connection == null) {
      if (head != null) {
        head.release();
      }
      routing.failUnlessWaiting(request, value);
      return;
    }
    if (head == null) {
      routing.send(request, connection, value);
    } else {
      sendRenamed(request, connection, head);
      if (value > 0) {
        connection.write(request.buffer(), request.headEnd(), value);
      }
    }
    request.owner().packetDone(request, value);
  }

  /** Sends a head of the request's own. Consumes head. */
  private void sendRenamed(BinaryRequest request, ServerConnection connection, ByteBuf head) {
    PendingReply pending = routing.pending(request);
    pending.rewrite(request.rewrite());
    request.client().flushRun();
    connection.expect(pending);
    BinaryRouting.address(pending, request.packet, head, 0, connection.nextOpaque());
    if (request.isRepeatable()) {
      connection.mayRepeat(pending, head, 0, head.writerIndex());
    }
    connection.write(head);
  }

  /** Handles a request whose value has been gathered. Waits, or finishes it. Borrows slices. */
  void handleGathered(BinaryRequest request, ValueSlices slices) {
    Backend backend = routing.backend(request);
    Pool pool = backend.pool();
    EmbeddedSession embedded = pool.embedded();
    if (embedded != null) {
      executeGathered(request, embedded, slices);
      return;
    }
    if (backend.plain(Dialect.BINARY) == null) {
      bridged.sendGathered(request, backend, slices);
      return;
    }
    ByteBuf sent = sentHead(request);
    ConnectedClient client = request.client();
    ServerConnection connection = client.connectionTo(serverOf(pool, sent));
    if (connection == null) {
      sent.release();
      if (client.failure() != null) {
        routing.failGathered(request, client.failure());
      }
      return;
    }
    sendRenamed(request, connection, sent);
    slices.writeTo(connection);
    request.owner().gatheredDone(request);
  }

  private void stream(BinaryRequest request, Pool pool) {
    ConnectedClient client = request.client();
    if (!client.isAloneAndSettled()) {
      return;
    }
    ByteBuf head;
    KeyRewrite rewrite = request.rewrite();
    if (rewrite == null) {
      int length = request.headEnd() - request.from();
      head = loop.buffer(length);
      head.writeBytes(request.buffer(), request.from(), length);
    } else {
      head = renamedHead(request, rewrite);
    }
    int value = request.valueLength();
    Server server = serverOf(pool, head);
    PendingReply pending = routing.pending(request);
    pending.rewrite(rewrite);
    int opaque = ~request.packet.opaque() & 0x7FFFFFFF;
    BinaryRouting.address(pending, request.packet, head, 0, opaque);
    request.owner().packetDone(request, 0);
    client.sendAlone(server, pending, head, value, false, LineEnd.KEPT);
  }

  // --- an item that is too large ----------------------------------------------------------------

  /**
   * As in memcached, discards the value, and deletes a set's old value.
   *
   * @param backend that takes requests in canonical form; null if pool takes the packet
   */
  private void tooLarge(BinaryRequest request, @Nullable Backend backend, Pool pool) {
    boolean waits = false;
    if (request.command() == Command.SET) {
      waits = backend != null ? !bridged.delete(request, backend) : !delete(request, pool);
    }
    if (!waits) {
      routing.refuse(request, Opcode.STATUS_TOO_LARGE, "Too large.", request.valueLength());
    }
  }

  /** Deletes the item; returns false if it must be tried again. */
  private boolean delete(BinaryRequest request, Pool pool) {
    BinaryPacket packet = request.packet;
    int key = packet.keyStart();
    ByteBuf delete = loop.buffer(BinaryHeader.LENGTH + BinaryPacket.MAX_KEY);
    delete.writeByte(BinaryHeader.REQUEST_MAGIC).writeByte(Opcode.DELETE).writeZero(22);
    KeyRewrite rewrite = request.rewrite();
    if (rewrite == null) {
      delete.writeBytes(packet.buffer(), key, packet.keyLength());
    } else {
      rewrite.toServer(packet.buffer(), key, key + packet.keyLength(), delete);
    }
    int length = delete.writerIndex() - BinaryHeader.LENGTH;
    delete.setShort(2, length).setInt(8, length);
    EmbeddedSession embedded = pool.embedded();
    if (embedded == null) {
      return sendDelete(request.client(), pool, delete);
    }
    ByteBuf ignored = loop.buffer(64);
    embedded.binary(delete, 0, delete.writerIndex(), ignored);
    ignored.release();
    delete.release();
    return true;
  }

  /** Consumes delete. Returns false if it must be tried again. */
  private static boolean sendDelete(ConnectedClient client, Pool pool, ByteBuf delete) {
    ServerConnection connection = client.connectionTo(serverOf(pool, delete));
    if (connection == null) {
      delete.release();
      return client.failure() != null;
    }
    PendingReply pending = client.newReply(Command.DELETE, ReplyKind.PACKET, Suppression.ALL);
    pending.binary(Opcode.DELETE, 0);
    int opaque = connection.nextOpaque();
    pending.wireOpaque(opaque);
    BinaryHeader.setOpaque(delete, 0, opaque);
    client.flushRun();
    connection.expect(pending);
    connection.write(delete);
    return true;
  }
}
