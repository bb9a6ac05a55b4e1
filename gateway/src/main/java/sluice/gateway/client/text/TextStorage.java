package sluice.gateway.client.text;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.Bytes;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.text.StorageLine;
import sluice.embedded.EmbeddedSession;
import sluice.gateway.client.ConnectedClient;
import sluice.gateway.client.text.request.RequestLine;
import sluice.gateway.client.text.request.TextKey;
import sluice.gateway.client.text.request.TextRequest;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.ClientSession.LineEnd;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.Suppression;
import sluice.gateway.route.Rule;
import sluice.gateway.server.Server;
import sluice.gateway.server.TextErrors;
import sluice.gateway.server.connection.ServerConnection;
import sluice.names.Command;

/**
 * Handler of requests with a data block: set, add, replace, append, prepend, cas and ms. A block
 * that has not arrived is gathered or, if it is large, streamed.
 */
final class TextStorage {
  private final Loop loop;
  private final TextRefusals refusals;
  private final StoreExecution store;
  private final TextBridged bridged;

  TextStorage(Loop loop, TextRefusals refusals, StoreExecution store, TextBridged bridged) {
    this.loop = loop;
    this.refusals = refusals;
    this.store = store;
    this.bridged = bridged;
  }

  // --- its line ---------------------------------------------------------------------------------

  /**
   * Handles a request whose line announces a block, which may have arrived in part. Waits, or
   * finishes it.
   */
  void request(TextRequest request) {
    boolean hasKey = request.line.count() > 1;
    if (request.isNew() && hasKey) {
      find(request);
    }
    Backend backend = backend(request);
    Backend canonical = canonical(request, backend);
    Pool pool = backend == null ? request.listenerView().firstTarget() : backend.pool();
    read(request, pool, canonical != null);
    StorageLine storage = request.storage;
    int length = storage.dataLength();
    int block = length < 0 ? 0 : length + 2;
    request.client().writes(length);
    EmbeddedSession embedded = pool == null ? null : pool.embedded();
    boolean large = length > request.listenerView().limits().itemSizeBytes();
    if (storage.error() != null && (large || embedded == null)) {
      refuse(request, block, Outcome.PROTOCOL_ERROR, storage.error());
      return;
    }
    if (hasKey && refusals.refused(request, block)) {
      return;
    }
    if (hasKey && isUnusable(request)) {
      refusals.refuseLongKey(request, block);
      return;
    }
    if (!request.isAdmitted()) {
      request.admitted();
    }
    if (large) {
      tooLarge(request, canonical, poolOfTaken(pool), block);
    } else if (embedded != null && request.hasBlock(block)) {
      store.execute(request, embedded, 1, isBase64(request), block);
    } else if (embedded != null) {
      request.reader().gather(block);
    } else if (canonical != null) {
      bridged.storage(request, canonical, block);
    } else {
      send(request, poolOfTaken(pool), block);
    }
  }

  /** The backend if it takes the request in canonical form; null if its pool takes the line. */
  private static @Nullable Backend canonical(TextRequest request, @Nullable Backend backend) {
    return backend != null && backend.plain(request.dialect()) == null ? backend : null;
  }

  /** The pool of a request that was not refused. */
  @SuppressWarnings("NullAway") // without a pool, its line is invalid or no rule takes it
  private static Pool poolOfTaken(@Nullable Pool pool) {
    return pool;
  }

  private static void find(TextRequest request) {
    boolean isMeta = request.command() == Command.MS;
    TextRouting.find(request, 1, isMeta && request.meta.read(request.line, 3).base64());
  }

  /** The backend of the request; null if nothing takes it. */
  private static @Nullable Backend backend(TextRequest request) {
    Rule rule = request.rule();
    return rule != null && rule.pool() >= 0 ? TextRouting.backend(request) : null;
  }

  /** Whether the line of an ms has its key in base64. */
  private static boolean isBase64(TextRequest request) {
    return request.command() == Command.MS && request.meta.base64();
  }

  /**
   * Refuses a request of a dialect that the listener does not accept. Its block is discarded,
   * although a server would execute it as commands: its content may have been chosen by a third
   * party.
   */
  void refuseDialect(TextRequest request) {
    StorageLine storage = request.storage;
    storage.read(request.line, request.command(), request.listenerView().version());
    int length = storage.dataLength();
    ByteBuf reply = storage.noreply() ? null : TextErrors.line(loop, "ERROR");
    int block = length < 0 ? 0 : length + 2;
    request.reader().discard(block, Command.UNKNOWN, Outcome.PROTOCOL_ERROR, reply);
  }

  /** Answers, after the block was discarded. */
  private void refuse(TextRequest request, int block, Outcome outcome, String error) {
    ByteBuf reply = request.storage.noreply() ? null : TextErrors.line(loop, error);
    request.reader().discard(block, request.command(), outcome, reply);
  }

  /**
   * Parses the line as the key's server does. A canonical line is read alike by all: the server
   * matters for others only.
   *
   * @param bridged whether the server gets the request in a form of the gateway's
   */
  private static void read(TextRequest request, @Nullable Pool pool, boolean bridged) {
    if (request.isAdmitted() && isReadAlike(request)) {
      return;
    }
    read(request, pool == null ? ServerVersion.UNKNOWN : pool.version(), bridged);
    if (pool != null && pool.size() > 1 && request.line.count() > 1 && !isReadAlike(request)) {
      read(request, TextRouting.serverOf(pool, request).version(), bridged);
    }
  }

  /** A bridge makes a set of an ms: its server need not know it. */
  private static void read(TextRequest request, ServerVersion version, boolean bridged) {
    boolean asSet = bridged && request.command() == Command.MS && !version.speaksMeta();
    request.storage.read(request.line, request.command(), asSet ? ServerVersion.UNKNOWN : version);
  }

  private static boolean isReadAlike(TextRequest request) {
    StorageLine storage = request.storage;
    return storage.isCanonical() && storage.error() == null && request.command() != Command.MS;
  }

  /** Whether no server can have the rewritten key, or no client can ask for one that is as long. */
  private static boolean isUnusable(TextRequest request) {
    boolean isTooLong = request.line.length(1) > TextKey.MOST_BYTES;
    return (isTooLong && request.key.rewrite() != null)
        || request.key.isUnusable(isBase64(request));
  }

  /** Whether the line is too long for servers that get it as it is. */
  private static boolean isTooLong(TextRequest request) {
    return request.command() == Command.MS && request.edit.isTooLong();
  }

  // --- an item that is too large ----------------------------------------------------------------

  /**
   * As in memcached, discards the block, and deletes a set's old value.
   *
   * @param backend that takes requests in canonical form; null if pool takes the line
   */
  private void tooLarge(TextRequest request, @Nullable Backend backend, Pool pool, int block) {
    boolean deletes = request.command() == Command.SET || request.command() == Command.MS;
    boolean waits = false;
    if (deletes && backend != null) {
      waits = !bridged.delete(request, backend);
    } else if (deletes && request.line.length(1) <= TextKey.MOST_BYTES) {
      waits = !delete(request, pool);
    }
    if (!waits) {
      refuse(request, block, Outcome.REJECTED, "SERVER_ERROR object too large for cache");
    }
  }

  /** Deletes the item; returns false if the request must be tried again. */
  private boolean delete(TextRequest request, Pool pool) {
    boolean base64 = isBase64(request);
    ByteBuf delete = loop.buffer(300);
    RequestLine.writeDelete(request.line, base64, request.key.rewrite(), delete);
    EmbeddedSession embedded = pool.embedded();
    if (embedded != null) {
      ByteBuf ignored = loop.buffer(64);
      embedded.text(delete, 0, delete.writerIndex(), ignored);
      ignored.release();
      delete.release();
      return true;
    }
    ConnectedClient client = request.client();
    ServerConnection connection = client.connectionTo(TextRouting.serverOf(pool, request));
    if (connection == null || TextRouting.isDeleteRefusedBy(connection, request)) {
      delete.release(); // the process has no such item, or cannot be asked to delete it
      return connection != null || client.failure() != null;
    }
    PendingReply pending =
        client.newReply(
            Command.DELETE, base64 ? ReplyKind.META : ReplyKind.DELETED, Suppression.ALL);
    client.flushRun();
    connection.expect(pending);
    connection.write(delete);
    return true;
  }

  // --- to a server ------------------------------------------------------------------------------

  private void send(TextRequest request, Pool pool, int block) {
    if (isTooLong(request)) {
      refusals.refuseLongKey(request, block);
    } else if (request.hasBlock(block)) {
      if (request.endsBlock(block)) {
        sendWhole(request, pool, block);
      } else {
        refusals.refuseChunk(request, block);
      }
    } else if (block <= ConnectedClient.GATHER_LIMIT) {
      request.reader().gather(block);
    } else {
      stream(request, pool, block);
    }
  }

  private void sendWhole(TextRequest request, Pool pool, int block) {
    ConnectedClient client = request.client();
    ServerConnection connection = client.connectionTo(TextRouting.serverOf(pool, request));
    if (connection == null) {
      refusals.failUnlessWaiting(request, block);
      return;
    }
    if (TextRouting.isRefusedBy(connection, request)) {
      refusals.refuseFor(connection, request, block);
      return;
    }
    PendingReply pending = pending(request);
    ByteBuf changed = changedLine(request, pending, connection);
    int next = request.next();
    if (changed == null) {
      client.forward(pending, request.buffer(), request.from(), next + block, connection);
    } else {
      boolean isOne = SliceList.isCopied(block);
      if (isOne) {
        Bytes.append(request.buffer(), next, block, changed);
      }
      client.flushRun();
      connection.expect(pending);
      connection.write(changed);
      if (!isOne) {
        connection.write(request.buffer(), next, block);
      }
    }
    request.reader().lineDone(block);
  }

  private static PendingReply pending(TextRequest request) {
    ReplyKind kind = request.command() == Command.MS ? ReplyKind.META : ReplyKind.STORED;
    return request.client().newReply(request.command(), kind, request.suppression());
  }

  /** The line in its form for the server; null if it is unchanged. */
  private @Nullable ByteBuf changedLine(
      TextRequest request, PendingReply pending, ServerConnection connection) {
    TextRouting.adapt(request, connection.version());
    boolean changes =
        request.command() == Command.MS
            ? request.edit.changes(pending, connection, request.strippedToken(), loop)
            : isWrittenAnew(request);
    if (!changes && request.storage.isCanonical()) {
      return null;
    }
    ByteBuf changed = loop.buffer(request.lengthWritten() + SliceList.COPIED_BELOW);
    write(request, changed);
    return changed;
  }

  private static boolean isWrittenAnew(TextRequest request) {
    StorageLine storage = request.storage;
    return storage.noreply() || request.key.rewrite() != null || !storage.isCanonical();
  }

  private static void write(TextRequest request, ByteBuf out) {
    if (request.command() == Command.MS) {
      request.edit.write(request.storage.dataLength(), out);
    } else {
      RequestLine.writeStorage(
          request.storage, request.command(), request.line, request.key.rewrite(), out);
    }
  }

  /** Begins to stream a value too large to be gathered. */
  private void stream(TextRequest request, Pool pool, int block) {
    if (request.line.hasNul()) {
      refusals.refuseLongKey(request, block); // the process that has it is not known yet
      return;
    }
    ConnectedClient client = request.client();
    Server server = TextRouting.serverOf(pool, request);
    if (TextRouting.isKeyRefusedBy(server.version(), request)) {
      refuse(request, block, Outcome.REJECTED, "ERROR");
      return;
    }
    if (!client.isAloneAndSettled()) {
      return;
    }
    TextRouting.adapt(request, server.version());
    PendingReply pending = pending(request);
    ByteBuf head = loop.buffer(request.lengthWritten());
    if (request.command() == Command.MS) {
      request.edit.changes(pending, request.strippedToken(), loop);
      write(request, head);
    } else if (isWrittenAnew(request)) {
      write(request, head);
    } else {
      head.writeBytes(request.buffer(), request.from(), request.length());
    }
    request.reader().lineDone();
    client.sendAlone(server, pending, head, block, false, LineEnd.KEPT);
  }

  // --- its gathered block -----------------------------------------------------------------------

  /** Handles a request whose block has been gathered. Waits, or finishes it. */
  void gathered(TextRequest request) {
    Backend backend = backend(request);
    Pool pool =
        poolOfTaken(backend == null ? request.listenerView().firstTarget() : backend.pool());
    Backend canonical = canonical(request, backend);
    read(request, pool, canonical != null);
    EmbeddedSession embedded = pool.embedded();
    if (embedded != null) {
      store.executeGathered(request, embedded, isBase64(request));
      return;
    }
    StorageLine storage = request.storage;
    if (storage.error() != null
        || storage.dataLength() + 2 != request.client().slices().length()
        || isUnusable(request)
        || (canonical == null && isTooLong(request))) {
      // The server's version, or its pool, has changed since the line was parsed.
      refusals.answerGathered(request, Outcome.PROTOCOL_ERROR, TextRefusals.BAD_FORMAT);
    } else if (canonical != null) {
      bridged.gathered(request, canonical);
    } else if (!request.client().slices().endWithLineEnd()) {
      refusals.refuseGatheredChunk(request);
    } else {
      sendGathered(request, pool);
    }
  }

  private void sendGathered(TextRequest request, Pool pool) {
    ConnectedClient client = request.client();
    ServerConnection connection = client.connectionTo(TextRouting.serverOf(pool, request));
    if (connection == null) {
      if (client.failure() != null) {
        String reason = client.failure();
        PendingReply pending = pending(request);
        request.reader().gatheredDone();
        client.fail(pending, reason);
      }
      return;
    }
    if (TextRouting.isRefusedBy(connection, request)) {
      refusals.answerGathered(
          request,
          Outcome.REJECTED,
          connection.version().isForeign() ? "ERROR" : TextRefusals.BAD_FORMAT);
      return;
    }
    PendingReply pending = pending(request);
    ByteBuf changed = changedLine(request, pending, connection);
    client.flushRun();
    connection.expect(pending);
    connection.write(
        changed == null ? loop.slice(request.buffer(), request.from(), request.length()) : changed);
    client.slices().writeTo(connection);
    request.reader().gatheredDone();
  }
}
