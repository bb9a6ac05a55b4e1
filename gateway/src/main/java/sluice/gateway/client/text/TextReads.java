package sluice.gateway.client.text;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.KeyHash;
import sluice.embedded.EmbeddedSession;
import sluice.gateway.client.ConnectedClient;
import sluice.gateway.client.text.request.RepeatableReads;
import sluice.gateway.client.text.request.RequestLine;
import sluice.gateway.client.text.request.TextKey;
import sluice.gateway.client.text.request.TextRequest;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.loop.Loop;
import sluice.gateway.request.KeyRewrite;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.Suppression;
import sluice.gateway.server.connection.ServerConnection;
import sluice.names.Command;
import sluice.names.Dialect;

/** Handler of classic reads of one key: get, gets, gat, gats. */
final class TextReads {
  private final Loop loop;
  private final ManyReads many;
  private final TextRefusals refusals;
  private final StoreExecution store;
  private final UnreadableLines unreadable;
  private final TextBridged bridged;

  TextReads(
      Loop loop,
      ManyReads many,
      TextRefusals refusals,
      StoreExecution store,
      UnreadableLines unreadable,
      TextBridged bridged) {
    this.loop = loop;
    this.many = many;
    this.refusals = refusals;
    this.store = store;
    this.unreadable = unreadable;
    this.bridged = bridged;
  }

  /** Handles a read of one key, or of many. Waits, or finishes it. */
  void request(TextRequest request) {
    int key = request.firstKey();
    if (request.isNew()) {
      if (request.line.count() <= key) {
        unreadable.withoutKey(request, key);
        return;
      }
      if (request.hasLongKey() || UnreadableLines.isTouchWithoutTime(request)) {
        unreadable.wrongRead(request);
        return;
      }
    }
    if (request.line.count() > key + 1) {
      many.request(request);
    } else if (!request.isNew() || refusals.admits(request, key, false)) {
      send(request, key);
    }
  }

  private void send(TextRequest request, int key) {
    Backend backend = TextRouting.backend(request);
    Pool pool = backend.plain(Dialect.TEXT);
    EmbeddedSession embedded = backend.pool().embedded();
    if (embedded != null) {
      store.execute(request, embedded, key, false, 0);
      return;
    }
    if (pool == null) {
      bridged.line(request, key, backend);
      return;
    }
    if (request.key.isUnusable(false)) {
      refusals.refuseLongKey(request, 0);
      return;
    }
    ConnectedClient client = request.client();
    ServerConnection connection = client.connectionTo(TextRouting.serverOf(pool, request));
    if (connection == null) {
      refusals.failUnlessWaiting(request, 0);
      return;
    }
    if (TextRouting.isRefusedBy(connection, request)) {
      refusals.refuseFor(connection, request, 0);
      return;
    }
    PendingReply pending =
        client.newReply(request.command(), ReplyKind.VALUES, Suppression.NOTHING);
    pending.rewrite(request.key.rewrite());
    if (joins(request, connection)) {
      ask(connection, pending, request);
    } else if (request.key.rewrite() == null && request.isReadToForward()) {
      forward(connection, pending, request);
    } else {
      sendAnew(connection, pending, request, key);
    }
    request.reader().lineDone();
  }

  private static boolean joins(TextRequest request, ServerConnection connection) {
    Command command = request.command();
    return (command == Command.GET || command == Command.GETS) && connection.joinsReads();
  }

  private void ask(ServerConnection connection, PendingReply pending, TextRequest request) {
    TextKey key = request.key;
    ByteBuf name = key.buffer();
    int from = key.from();
    int to = key.to();
    KeyRewrite rewrite = key.rewrite();
    if (rewrite != null) {
      name = key.renamed(rewrite);
      from = 0;
      to = name.writerIndex();
    }
    pending.sent().addKey(KeyHash.of(name, from, to));
    request.client().flushRun();
    connection.ask(pending, name, from, to);
  }

  private void forward(ServerConnection connection, PendingReply pending, TextRequest request) {
    TextKey key = request.key;
    pending.sent().addKey(KeyHash.of(key.buffer(), key.from(), key.to()));
    request.client().forward(pending, request.buffer(), request.from(), request.next(), connection);
    if (RepeatableReads.include(request)) {
      connection.mayRepeat(pending, request.buffer(), request.from(), request.next());
    }
  }

  private void sendAnew(
      ServerConnection connection, PendingReply pending, TextRequest request, int key) {
    ByteBuf changed = loop.buffer(request.lengthWritten());
    RequestLine.writeRead(
        request.keyed, request.command(), request.line, key, request.key.rewrite(), changed);
    pending.sent().addKey(hashOfLastToken(changed));
    request.client().flushRun();
    connection.expect(pending);
    if (RepeatableReads.include(request)) {
      connection.mayRepeat(pending, changed, 0, changed.writerIndex());
    }
    connection.write(changed);
  }

  /** The hash of the last token of a rewritten line. It may contain a CR. */
  private static long hashOfLastToken(ByteBuf written) {
    int to = written.writerIndex() - 2;
    return KeyHash.of(written, written.indexOf(to, 0, (byte) ' ') + 1, to);
  }
}
