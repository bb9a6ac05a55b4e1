package sluice.gateway.client.text;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.text.KeyedLine;
import sluice.embedded.EmbeddedSession;
import sluice.gateway.client.ConnectedClient;
import sluice.gateway.client.text.request.RequestLine;
import sluice.gateway.client.text.request.TextKey;
import sluice.gateway.client.text.request.TextRequest;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.server.Server;
import sluice.gateway.server.connection.ServerConnection;
import sluice.names.Command;

/**
 * Handler of one-line requests with a key that read no value: delete, incr, decr, touch, and me.
 */
final class TextKeyed {
  private final Loop loop;
  private final TextRefusals refusals;
  private final StoreExecution store;
  private final UnreadableLines unreadable;
  private final TextBridged bridged;

  TextKeyed(
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

  /** Handles a line with its key in token 1, with the given reply kind. Waits, or finishes it. */
  void request(TextRequest request, ReplyKind kind) {
    if (request.isNew()) {
      if (request.line.count() < 2 || request.line.length(1) > TextKey.MOST_BYTES) {
        unreadable.withoutKey(request, 1);
        return;
      }
      request.keyed.read(request.line, request.command(), request.listenerView().version());
      if (!refusals.admits(request, 1, request.keyed.isBase64())) {
        return;
      }
    }
    Backend backend = TextRouting.backend(request);
    boolean base64 = request.keyed.isBase64();
    EmbeddedSession embedded = backend.pool().embedded();
    if (embedded != null) {
      store.execute(request, embedded, 1, base64, 0);
      return;
    }
    Pool pool = backend.plain(request.dialect());
    if (pool == null && backend.pool().takesAsItIs(request.command())) {
      pool = backend.pool();
    }
    if (pool == null) {
      bridged.line(request, 1, backend);
    } else if (!refusedForKey(request, base64)) {
      send(request, kind, TextRouting.serverOf(pool, request));
    }
  }

  private boolean refusedForKey(TextRequest request, boolean base64) {
    if (base64 && !request.key.isReadable()) {
      refusals.answer(request, Outcome.PROTOCOL_ERROR, false, TextRefusals.BAD_FORMAT);
      return true;
    }
    if (base64 && request.key.endsLines()) {
      // The server repeats the raw key: a line end in it would forge the next reply.
      refusals.answer(request, Outcome.REJECTED, false, "CLIENT_ERROR the key contains a line end");
      return true;
    }
    if (request.key.isUnusable(base64)) {
      refusals.refuseLongKey(request, 0);
      return true;
    }
    return false;
  }

  private void send(TextRequest request, ReplyKind kind, Server server) {
    KeyedLine keyed = request.keyed;
    Command command = request.command();
    if (!keyed.isCanonical() && command != Command.ME) { // for me, the key would be another
      keyed.read(request.line, command, server.version());
    }
    if (keyed.error() != null) {
      refusals.answer(request, Outcome.PROTOCOL_ERROR, keyed.noreply(), keyed.error());
      return;
    }
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
    PendingReply pending = client.newReply(command, kind, request.suppression());
    if (keyed.isCanonical() && request.key.rewrite() == null) {
      client.forward(pending, request.buffer(), request.from(), request.next(), connection);
    } else {
      ByteBuf changed = loop.buffer(request.lengthWritten());
      RequestLine.writeKeyed(keyed, command, request.line, 1, request.key.rewrite(), changed);
      client.flushRun();
      connection.expect(pending);
      connection.write(changed);
    }
    request.reader().lineDone();
  }
}
