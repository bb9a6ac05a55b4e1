package sluice.gateway.client.text;

import io.netty.buffer.ByteBuf;
import sluice.embedded.EmbeddedSession;
import sluice.gateway.client.ConnectedClient;
import sluice.gateway.client.text.request.RepeatableReads;
import sluice.gateway.client.text.request.TextKey;
import sluice.gateway.client.text.request.TextRequest;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.loop.Loop;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.server.Server;
import sluice.gateway.server.connection.ServerConnection;
import sluice.names.Dialect;

/** Handler of meta requests without a data block: mg, md and ma. */
final class TextMeta {
  private final Loop loop;
  private final TextRefusals refusals;
  private final StoreExecution store;
  private final UnreadableLines unreadable;
  private final TextBridged bridged;

  TextMeta(
      Loop loop,
      TextRefusals refusals,
      StoreExecution store,
      UnreadableLines unreadable,
      TextBridged bridged) {
    this.loop = loop;
    this.refusals = refusals;
    this.store = store;
    this.unreadable = unreadable;
    this.bridged = bridged;
  }

  /** Handles an mg, md or ma. Waits, or finishes it. */
  void request(TextRequest request) {
    if (request.isNew()) {
      if (request.line.count() < 2 || request.line.length(1) > TextKey.MOST_BYTES) {
        unreadable.withoutKey(request, 1);
        return;
      }
      request.meta.read(request.line, 2);
      if (!refusals.admits(request, 1, request.meta.base64())) {
        return;
      }
    }
    boolean base64 = request.meta.base64();
    Backend backend = TextRouting.backend(request);
    EmbeddedSession embedded = backend.pool().embedded();
    if (embedded != null) {
      store.execute(request, embedded, 1, base64, 0);
      return;
    }
    Pool pool = backend.plain(Dialect.META);
    if (pool == null) {
      bridged.line(request, 1, backend);
      return;
    }
    Server server = TextRouting.serverOf(pool, request);
    if (!request.meta.isClean() || (base64 && !request.key.isReadable())) {
      bridged.refuse(request, server.version());
    } else if (request.key.isUnusable(base64) || request.edit.isTooLong()) {
      refusals.refuseLongKey(request, server.version());
    } else {
      send(request, server);
    }
  }

  private void send(TextRequest request, Server server) {
    ConnectedClient client = request.client();
    ServerConnection connection = client.connectionTo(server);
    if (connection == null) {
      refusals.failUnlessWaiting(request, 0);
      return;
    }
    if (TextRouting.isRefusedBy(connection, request)) {
      refusals.refuseFor(connection, request, 0);
      return;
    }
    PendingReply pending =
        client.newReply(request.command(), ReplyKind.META, request.suppression());
    boolean repeats = RepeatableReads.include(request);
    if (request.edit.changes(pending, connection, request.strippedToken(), loop)) {
      ByteBuf changed = request.key.scratch();
      request.edit.write(-1, changed);
      client.flushRun();
      connection.expect(pending);
      if (repeats) {
        connection.mayRepeat(pending, changed, 0, changed.writerIndex());
      }
      connection.writeCopy(changed, 0, changed.writerIndex());
    } else {
      client.forward(pending, request.buffer(), request.from(), request.next(), connection);
      if (repeats) {
        connection.mayRepeat(pending, request.buffer(), request.from(), request.next());
      }
    }
    request.reader().lineDone();
  }
}
