package sluice.gateway.client;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.Command;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.text.MetaLine;
import sluice.codecs.memcached.text.StorageLine;
import sluice.codecs.memcached.text.TextLine;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.Grammar;
import sluice.gateway.exchange.KeyRewrite;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.route.Rule;
import sluice.gateway.server.Server;
import sluice.gateway.server.ServerConnection;
import sluice.gateway.server.TextErrors;

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
    Target target = listening.firstTarget();
    Rule rule = null;
    if (line.count() > 1) {
      boolean base64 = command == Command.MS && meta.read(line, 3).base64();
      rule = routing.rule(command, 1, base64);
      if (rule != null && rule.pool() >= 0) {
        target = routing.target(command);
      }
    }
    ServerVersion version = target == null ? ServerVersion.UNKNOWN : target.version();
    storage.read(line, command, version);
    int length = storage.dataLength();
    int block = length < 0 ? 0 : length + 2;
    client.writes(length);
    boolean embedded = target != null && target.embedded() != null;
    if (storage.error() != null && !embedded) {
      ByteBuf reply = storage.noreply() ? null : TextErrors.line(worker.loop(), storage.error());
      client.lineDone(buffer, next);
      client.swallow(block, command, Outcome.PROTOCOL_ERROR, reply);
      return;
    }
    if (line.count() > 1 && routing.refused(rule, command, buffer, next, block)) {
      return;
    }
    if (length > listening.limits().itemSizeBytes()) {
      tooLarge(command, target, buffer, next, block);
    } else if (embedded) {
      embeddedStorage(command, target, buffer, from, next, block, in);
    } else if (target.isBridged(TextRouting.dialect(command))) {
      bridged.storage(command, target, buffer, from, next, block, in);
    } else {
      serverStorage(command, target, buffer, from, next, block, in);
    }
  }

  /** As memcached: the block goes by, and a set's old value goes with it. */
  private void tooLarge(Command command, Target target, ByteBuf buffer, int next, int block) {
    boolean deletes = command == Command.SET || command == Command.MS;
    if (deletes && target.isBridged(TextRouting.dialect(command))) {
      if (!bridged.delete(command, target)) {
        return;
      }
    } else if (deletes && line.length(1) <= TextRouting.MAX_KEY) {
      boolean base64 = command == Command.MS && meta.base64();
      String verb = base64 ? "md " : "delete ";
      ByteBuf delete = worker.loop().buffer(300);
      delete.writeCharSequence(verb, US_ASCII);
      KeyRewrite rewrite = routing.rewrite();
      if (rewrite == null) {
        delete.writeBytes(line.buffer(), line.start(1), line.length(1));
      } else {
        RequestLine.writeKey(line.buffer(), line.start(1), line.end(1), base64, rewrite, delete);
      }
      if (base64) {
        delete.writeShort(' ' << 8 | 'b');
      }
      delete.writeShort('\r' << 8 | '\n');
      if (target.embedded() != null) {
        ByteBuf ignored = worker.loop().buffer(64);
        target.embedded().text(delete, 0, delete.writerIndex(), ignored);
        ignored.release();
        delete.release();
      } else {
        ServerConnection connection = client.connectionTo(routing.serverOf(target, rewrite));
        if (connection == null) {
          delete.release();
          if (client.failure == null) {
            return;
          }
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
      Command command, Target target, ByteBuf buffer, int from, int next, int block, ByteBuf in) {
    if (buffer == in ? in.writerIndex() - next >= block : block == 0) {
      boolean base64 = command == Command.MS && meta.base64();
      routing.execute(command, target, 1, base64, buffer, from, next, next + block);
    } else {
      client.gather(buffer, from, next, block);
    }
  }

  private void serverStorage(
      Command command, Target target, ByteBuf buffer, int from, int next, int block, ByteBuf in) {
    boolean whole = buffer == in && in.writerIndex() - next >= block;
    if (whole && !endsWell(in, next + block)) {
      badChunk(command, buffer, next + block);
      return;
    }
    KeyRewrite rewrite = routing.rewrite();
    if (rewrite != null && rewrite.serverLength(routing.keyLength()) > TextRouting.MAX_KEY) {
      routing.refuseLongKey(command, buffer, next, block);
    } else if (whole) {
      storeWhole(command, target, rewrite, buffer, from, next, block);
    } else if (block <= ClientConnection.GATHER_LIMIT) {
      client.gather(buffer, from, next, block);
    } else {
      stream(command, target, rewrite, buffer, from, next, block);
    }
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
      Target target,
      KeyRewrite rewrite,
      ByteBuf buffer,
      int from,
      int next,
      int block) {
    ServerConnection connection = client.connectionTo(routing.serverOf(target, rewrite));
    if (connection == null) {
      routing.failUnlessWaiting(command, storage.noreply(), buffer, next + block);
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
            : storage.noreply() || rewrite != null;
    if (!changes) {
      return null;
    }
    ByteBuf changed = worker.loop().buffer(TextRouting.lengthOf(rewrite, from, next) + COPY_BELOW);
    if (command == Command.MS) {
      metas.write(rewrite, 3, changed);
      return changed;
    }
    RequestLine.write(line, storage.noreply() ? line.count() - 1 : -1, 1, false, rewrite, changed);
    return changed;
  }

  /** Begins to stream a value too large to be gathered. */
  private void stream(
      Command command,
      Target target,
      KeyRewrite rewrite,
      ByteBuf buffer,
      int from,
      int next,
      int block) {
    if (!client.isAlone()) {
      return;
    }
    Server server = routing.serverOf(target, rewrite);
    Exchange exchange = storageExchange(command);
    ByteBuf head = null;
    if (command == Command.MS) {
      int stripped = meta.isClean() ? routing.strippedToken() : -1;
      if ((meta.isClean() && meta.quiet() >= 0) || rewrite != null || stripped >= 0) {
        head = worker.loop().buffer(TextRouting.lengthOf(rewrite, from, next));
        exchange.rewrite(rewrite);
        RequestLine.writeMeta(
            line,
            meta.isClean() ? meta.quiet() : -1,
            stripped,
            -1,
            -1,
            false,
            3,
            meta.base64(),
            rewrite,
            head);
      }
    } else if (storage.noreply() || rewrite != null) {
      head = worker.loop().buffer(TextRouting.lengthOf(rewrite, from, next));
      RequestLine.write(line, storage.noreply() ? line.count() - 1 : -1, 1, false, rewrite, head);
    }
    if (head == null) {
      head = worker.loop().buffer(next - from).writeBytes(buffer, from, next - from);
    }
    client.lineDone(buffer, next);
    client.lentRequest().begin(server, exchange, head, block, false);
  }

  /** A request whose line is head and whose block has been gathered. Borrows head. */
  void gathered(Command command, ByteBuf head) {
    boolean base64 = command == Command.MS && meta.read(line, 3).base64();
    Rule rule = routing.rule(command, 1, base64);
    Target target =
        rule != null && rule.pool() >= 0 ? routing.target(command) : listening.firstTarget();
    storage.read(line, command, target.version());
    if (target.embedded() != null) {
      routing.executeGathered(command, target, base64, head);
      return;
    }
    if (target.isBridged(TextRouting.dialect(command))) {
      bridged.gathered(command, target);
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
    ServerConnection connection = client.connectionTo(routing.serverOf(target, rewrite));
    if (connection == null) {
      if (client.failure != null) {
        String reason = client.failure;
        Exchange exchange = storageExchange(command);
        client.gatheredDone();
        client.fail(exchange, reason);
      }
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
