package sluice.gateway.client.text;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.text.MetaLine;
import sluice.codecs.memcached.text.StorageLine;
import sluice.codecs.memcached.text.TextLine;
import sluice.gateway.client.ClientConnection;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.Grammar;
import sluice.gateway.exchange.KeyRewrite;
import sluice.gateway.listener.Listening;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.route.Rule;
import sluice.gateway.server.Server;
import sluice.gateway.server.TextErrors;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.session.Worker;
import sluice.names.Command;

/**
 * Requests with a data block: set, add, replace, append, prepend, cas and ms. A block that has not
 * arrived is gathered or, if it is large, streamed.
 */
final class TextStorage {
  /** Below this a value is copied behind its changed line: one piece instead of two. */
  private static final int COPY_BELOW = 1024;

  private final TextClient client;
  private final Worker worker;
  private final Listening listening;
  private final TextLine line;
  private final TextRouting routing;
  private final MetaLine meta;
  private final StorageLine storage;
  private final TextMeta metas;
  private final TextBridged bridged;

  TextStorage(
      TextClient client,
      Worker worker,
      Listening listening,
      TextRouting routing,
      TextMeta metas,
      TextBridged bridged) {
    this.bridged = bridged;
    this.client = client;
    this.worker = worker;
    this.listening = listening;
    this.routing = routing;
    this.metas = metas;
    line = worker.line;
    meta = worker.meta;
    storage = worker.storage;
  }

  /**
   * A request whose line, [from, next) of buffer, announces a block, which follows in in as far as
   * it has arrived. Waits, or is done with it. Borrows both.
   */
  void request(Command command, ByteBuf buffer, int from, int next, ByteBuf in) {
    Backend backend = null;
    Pool pool = listening.firstTarget();
    Rule rule = null;
    if (line.count() > 1) {
      boolean base64 = command == Command.MS && meta.read(line, 3).base64();
      rule = routing.rule(command, 1, base64);
      if (rule != null && rule.pool() >= 0) {
        backend = routing.backend(command);
        pool = backend.pool();
      }
    }
    read(command, pool);
    int length = storage.dataLength();
    int block = length < 0 ? 0 : length + 2;
    client.writes(length);
    boolean embedded = pool != null && pool.embedded() != null;
    boolean large = length > listening.limits().itemSizeBytes();
    if (storage.error() != null && (large || !embedded)) {
      ByteBuf reply = storage.noreply() ? null : TextErrors.line(worker.loop(), storage.error());
      client.lineDone(buffer, next);
      client.swallow(block, command, Outcome.PROTOCOL_ERROR, reply);
      return;
    }
    if (line.count() > 1 && routing.refused(rule, command, buffer, next, block)) {
      return;
    }
    if (line.count() > 1 && isUnusable(command)) {
      routing.refuseLongKey(command, buffer, next, block);
      return;
    }
    boolean canonical = backend != null && backend.plain(TextRouting.dialect(command)) == null;
    if (large) {
      tooLarge(command, canonical ? backend : null, pool, buffer, next, block);
    } else if (embedded) {
      embeddedStorage(command, pool, buffer, from, next, block, in);
    } else if (canonical) {
      bridged.storage(command, backend, buffer, from, next, block, in);
    } else {
      serverStorage(command, pool, buffer, from, next, block, in);
    }
  }

  /**
   * A request of a dialect that the listener does not take. Its block goes by, where a server would
   * run it as commands: the client may have a value there that somebody else has chosen.
   */
  void refuseDialect(Command command, ByteBuf buffer, int next) {
    storage.read(line, command, listening.version());
    int length = storage.dataLength();
    ByteBuf reply = storage.noreply() ? null : TextErrors.line(worker.loop(), "ERROR");
    client.lineDone(buffer, next);
    client.swallow(length < 0 ? 0 : length + 2, Command.UNKNOWN, Outcome.PROTOCOL_ERROR, reply);
  }

  /**
   * Reads the line as the server of the key does. A canonical line is read alike by all, so which
   * server that is matters for others only.
   */
  private void read(Command command, Pool pool) {
    ServerVersion version = pool == null ? ServerVersion.UNKNOWN : pool.version();
    storage.read(line, command, version);
    if (pool != null && pool.size() > 1 && line.count() > 1 && !isReadAlike(command)) {
      storage.read(line, command, TextRouting.version(routing.serverOf(pool, routing.rewrite())));
    }
  }

  private boolean isReadAlike(Command command) {
    return storage.isCanonical() && storage.error() == null && command != Command.MS;
  }

  /**
   * As memcached: the block goes by, and a set's old value goes with it.
   *
   * @param backend that takes requests in canonical form; null if pool takes the line
   */
  private void tooLarge(
      Command command, Backend backend, Pool pool, ByteBuf buffer, int next, int block) {
    boolean deletes = command == Command.SET || command == Command.MS;
    if (deletes && backend != null) {
      if (!bridged.delete(command, backend)) {
        return;
      }
    } else if (deletes && line.length(1) <= TextRouting.MAX_KEY) {
      boolean base64 = command == Command.MS && meta.base64();
      KeyRewrite rewrite = routing.rewrite();
      ByteBuf delete = worker.loop().buffer(300);
      RequestLine.writeDelete(line, base64, rewrite, delete);
      if (pool.embedded() != null) {
        ByteBuf ignored = worker.loop().buffer(64);
        pool.embedded().text(delete, 0, delete.writerIndex(), ignored);
        ignored.release();
        delete.release();
      } else {
        ServerConnection connection = client.connectionTo(routing.serverOf(pool, rewrite));
        if (connection == null) {
          delete.release();
          if (client.failure() == null) {
            return;
          }
        } else if (routing.isRefusedBy(connection, command)) {
          delete.release(); // it would be another key there
        } else {
          Exchange exchange =
              client.newExchange(
                  Command.DELETE, base64 ? Grammar.META : Grammar.DELETED, Exchange.HIDE_ALL);
          connection.expect(exchange);
          routing.send(connection, delete);
        }
      }
    }
    boolean silent = storage.noreply();
    client.lineDone(buffer, next);
    client.swallow(
        block,
        command,
        Outcome.REJECTED,
        silent ? null : TextErrors.line(worker.loop(), "SERVER_ERROR object too large for cache"));
  }

  private void embeddedStorage(
      Command command, Pool pool, ByteBuf buffer, int from, int next, int block, ByteBuf in) {
    if (buffer == in ? in.writerIndex() - next >= block : block == 0) {
      boolean base64 = command == Command.MS && meta.base64();
      routing.execute(command, pool, 1, base64, buffer, from, next, next + block);
    } else {
      client.gather(buffer, from, next, block);
    }
  }

  private void serverStorage(
      Command command, Pool pool, ByteBuf buffer, int from, int next, int block, ByteBuf in) {
    boolean whole = buffer == in && in.writerIndex() - next >= block;
    if (whole && !endsWell(in, next + block)) {
      badChunk(command, buffer, next + block);
      return;
    }
    KeyRewrite rewrite = routing.rewrite();
    if (whole) {
      storeWhole(command, pool, rewrite, buffer, from, next, block);
    } else if (block <= ClientConnection.GATHER_LIMIT) {
      client.gather(buffer, from, next, block);
    } else {
      stream(command, pool, rewrite, buffer, from, next, block);
    }
  }

  /** Whether no server could have the item under the name that its key becomes. */
  private boolean isUnusable(Command command) {
    KeyRewrite rewrite = routing.rewrite();
    boolean isMeta = command == Command.MS;
    return routing.isUnusable(rewrite, isMeta && meta.base64())
        || (isMeta && metas.isTooLong(rewrite));
  }

  private static boolean endsWell(ByteBuf in, int end) {
    return in.getByte(end - 2) == '\r' && in.getByte(end - 1) == '\n';
  }

  private void badChunk(Command command, ByteBuf buffer, int next) {
    boolean silent = storage.noreply();
    client.lineDone(buffer, next);
    client.answer(
        command,
        Outcome.PROTOCOL_ERROR,
        silent ? null : TextErrors.line(worker.loop(), "CLIENT_ERROR bad data chunk"));
  }

  private void storeWhole(
      Command command,
      Pool pool,
      KeyRewrite rewrite,
      ByteBuf buffer,
      int from,
      int next,
      int block) {
    ServerConnection connection = client.connectionTo(routing.serverOf(pool, rewrite));
    if (connection == null) {
      routing.failUnlessWaiting(command, storage.noreply(), buffer, next + block);
      return;
    }
    if (routing.isRefusedBy(connection, command)) {
      routing.refuseFor(connection, command, storage.noreply(), buffer, next + block);
      return;
    }
    Exchange exchange = storageExchange(command);
    connection.expect(exchange);
    ByteBuf changed = changedStorage(command, exchange, connection, rewrite, from, next);
    if (changed == null) {
      client.forward(buffer, from, next + block, connection);
    } else if (block < COPY_BELOW) {
      routing.send(connection, changed.writeBytes(buffer, next, block));
    } else {
      routing.send(connection, changed);
      connection.write(buffer, next, block);
    }
    client.lineDone(buffer, next + block);
  }

  private Exchange storageExchange(Command command) {
    if (command == Command.MS) {
      return client.newExchange(command, Grammar.META, metas.hides(command));
    }
    return client.newExchange(
        command, Grammar.STORED, storage.noreply() ? Exchange.HIDE_ALL : Exchange.HIDE_NOTHING);
  }

  private ByteBuf changedStorage(
      Command command,
      Exchange exchange,
      ServerConnection connection,
      KeyRewrite rewrite,
      int from,
      int next) {
    boolean changes =
        command == Command.MS
            ? metas.changes(exchange, connection, rewrite)
            : isWrittenAnew(rewrite);
    if (!changes && storage.isCanonical()) {
      return null;
    }
    ByteBuf changed = worker.loop().buffer(TextRouting.lengthOf(rewrite, from, next) + COPY_BELOW);
    if (command == Command.MS) {
      metas.write(rewrite, storage.dataLength(), changed);
    } else {
      RequestLine.writeStorage(storage, command, line, rewrite, changed);
    }
    return changed;
  }

  private boolean isWrittenAnew(KeyRewrite rewrite) {
    return storage.noreply() || rewrite != null || !storage.isCanonical();
  }

  /** Begins to stream a value too large to be gathered. */
  private void stream(
      Command command,
      Pool pool,
      KeyRewrite rewrite,
      ByteBuf buffer,
      int from,
      int next,
      int block) {
    if (line.hasNul()) {
      routing.refuseLongKey(command, buffer, next, block); // which process has it is not known yet
      return;
    }
    if (!client.isAlone()) {
      return;
    }
    Server server = routing.serverOf(pool, rewrite);
    Exchange exchange = storageExchange(command);
    ByteBuf head = worker.loop().buffer(TextRouting.lengthOf(rewrite, from, next));
    if (command == Command.MS) {
      metas.changes(exchange, rewrite);
      metas.write(rewrite, storage.dataLength(), head);
    } else if (isWrittenAnew(rewrite)) {
      RequestLine.writeStorage(storage, command, line, rewrite, head);
    } else {
      head.writeBytes(buffer, from, next - from);
    }
    client.lineDone(buffer, next);
    client.lentRequest().begin(server, exchange, head, block, false);
  }

  /** A request whose line is head and whose block has been gathered. Borrows head. */
  void gathered(Command command, ByteBuf head) {
    boolean base64 = command == Command.MS && meta.read(line, 3).base64();
    Rule rule = routing.rule(command, 1, base64);
    Backend backend = rule != null && rule.pool() >= 0 ? routing.backend(command) : null;
    Pool pool = backend == null ? listening.firstTarget() : backend.pool();
    if (pool.embedded() != null) {
      storage.read(line, command, pool.version());
      routing.executeGathered(command, pool, base64, head);
      return;
    }
    read(command, pool);
    if (storage.error() != null
        || storage.dataLength() + 2 != client.pieces().length()
        || isUnusable(command)) {
      // The server's version, or the rule, is another than when the line was read.
      boolean silent = storage.noreply();
      client.gatheredDone();
      client.answer(
          command,
          Outcome.PROTOCOL_ERROR,
          silent ? null : TextErrors.line(worker.loop(), "CLIENT_ERROR bad command line format"));
      return;
    }
    if (backend != null && backend.plain(TextRouting.dialect(command)) == null) {
      bridged.gathered(command, backend);
      return;
    }
    if (!client.pieces().endWithLineEnd()) {
      boolean silent = storage.noreply();
      client.gatheredDone();
      client.answer(
          command,
          Outcome.PROTOCOL_ERROR,
          silent ? null : TextErrors.line(worker.loop(), "CLIENT_ERROR bad data chunk"));
      return;
    }
    KeyRewrite rewrite = routing.rewrite();
    ServerConnection connection = client.connectionTo(routing.serverOf(pool, rewrite));
    if (connection == null) {
      if (client.failure() != null) {
        String reason = client.failure();
        Exchange exchange = storageExchange(command);
        client.gatheredDone();
        client.fail(exchange, reason);
      }
      return;
    }
    if (routing.isRefusedBy(connection, command)) {
      client.gatheredDone();
      client.answer(
          command,
          Outcome.REJECTED,
          storage.noreply()
              ? null
              : TextErrors.line(worker.loop(), "CLIENT_ERROR bad command line format"));
      return;
    }
    Exchange exchange = storageExchange(command);
    connection.expect(exchange);
    ByteBuf changed = changedStorage(command, exchange, connection, rewrite, 0, head.writerIndex());
    routing.send(
        connection,
        changed == null
            ? worker.loop().slice(head, head.readerIndex(), head.readableBytes())
            : changed);
    client.pieces().writeTo(connection);
    client.gatheredDone();
  }
}
