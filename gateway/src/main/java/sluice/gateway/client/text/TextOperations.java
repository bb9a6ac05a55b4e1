package sluice.gateway.client.text;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.text.StatsNames;
import sluice.codecs.memcached.text.TextLine;
import sluice.embedded.EmbeddedSession;
import sluice.gateway.client.ConnectedClient;
import sluice.gateway.client.text.request.TextRequest;
import sluice.gateway.dispatch.Broadcast;
import sluice.gateway.dispatch.ClientSession.LineEnd;
import sluice.gateway.dispatch.Dispatcher;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.dispatch.RequestContext;
import sluice.gateway.listener.ListenerView;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.near.Changes;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.Suppression;
import sluice.gateway.server.Server;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.session.LoopState;
import sluice.names.Command;
import sluice.names.Dialect;

/**
 * Handler of text commands without a key. They are for all servers of a route, for one, or refused
 * unless the listener's {@code allow} names them (docs/reference/memcached.md).
 */
final class TextOperations {
  private final Dispatcher dispatcher;
  private final TextRefusals refusals;
  private final StoreExecution store;
  private final KeylessWriter writer;
  private final TextBroadcast textBroadcast;

  TextOperations(
      LoopState loopState, Dispatcher dispatcher, TextRefusals refusals, StoreExecution store) {
    this.dispatcher = dispatcher;
    this.refusals = refusals;
    this.store = store;
    writer = new KeylessWriter(loopState.loop());
    textBroadcast = new TextBroadcast(loopState, dispatcher, refusals, writer);
  }

  /** Handles a command without a key. Waits, or finishes it. */
  void request(TextRequest request) {
    if (request.isNew()) {
      if (isRefused(request)) {
        return;
      }
      request.admitted();
    }
    if (request.command() != Command.VERSION) {
      request.client().endsTurn();
    }
    ListenerView listenerView = request.listenerView();
    if (request.command() == Command.FLUSH_ALL) {
      ConnectedClient client = request.client();
      if (listenerView.splits() && !client.isAlone()) {
        return; // values requested before may have chunks that have not been requested yet
      }
      client.changes(listenerView.allChanges(), Changes.EVERYTHING);
    }
    Broadcast broadcast = listenerView.broadcast(request.command(), Dialect.TEXT);
    if (broadcast.isForSeveral()) {
      request.client().endsTurn();
    }
    if (broadcast.isOneStore()) {
      store.executeAsIs(request, onlyStore(broadcast), 0);
    } else if (!isWrong(request)) {
      send(request, broadcast);
    }
  }

  @SuppressWarnings("NullAway") // a pool among the stores has one
  private static EmbeddedSession onlyStore(Broadcast broadcast) {
    return broadcast.stores().get(0).embedded();
  }

  private boolean isRefused(TextRequest request) {
    Command command = request.command();
    boolean dump = isDump(request);
    if (!request.listenerView().allows(command)) {
      boolean silent = KeylessWriter.isSilent(request);
      refusals.answer(request, Outcome.REJECTED, silent, refusal(request, dump));
      return true;
    }
    String error = KeylessWriter.errorOfNoreply(request);
    if (error != null) {
      refusals.answer(request, Outcome.PROTOCOL_ERROR, KeylessWriter.isSilent(request), error);
      return true;
    }
    if ((dump || command == Command.WATCH) && !request.reader().isFirst()) {
      // memcached's own refusal: it answers these only to a client that has sent nothing else
      // meanwhile
      refusals.answer(
          request,
          Outcome.REJECTED,
          KeylessWriter.isSilent(request),
          "ERROR cannot pipeline other commands before " + (dump ? "metadump" : "watch"));
      return true;
    }
    return false;
  }

  private static boolean isDump(TextRequest request) {
    TextLine line = request.line;
    return request.command() == Command.LRU_CRAWLER
        && line.count() > 1
        && (line.is(1, "metadump") || line.is(1, "mgdump"));
  }

  private static String refusal(TextRequest request, boolean dump) {
    Command command = request.command();
    return switch (command) {
      case WATCH -> "CLIENT_ERROR watch commands not allowed";
      case SHUTDOWN ->
          request.listenerView().version().readsLinesAsProxy()
              ? "SERVER_ERROR: shutdown not enabled"
              : "ERROR: shutdown not enabled";
      case LRU_CRAWLER ->
          dump ? "ERROR metadump not allowed" : "CLIENT_ERROR lru_crawler not allowed";
      case DEBUG -> "ERROR";
      default -> "CLIENT_ERROR " + command.label() + " not allowed";
    };
  }

  /** Whether a line that is interpreted here is invalid, and was answered. */
  private boolean isWrong(TextRequest request) {
    if (!KeylessWriter.isRead(request.command())) {
      return false;
    }
    request.keyless.read(request.line, request.command(), request.listenerView().version());
    String error = request.keyless.error();
    if (error != null) {
      refusals.answer(request, Outcome.PROTOCOL_ERROR, request.keyless.noreply(), error);
    }
    return error != null;
  }

  private void send(TextRequest request, Broadcast broadcast) {
    Command command = request.command();
    if (broadcast.isOneServer()) {
      one(request, broadcast.servers().get(0), broadcast.owners().get(0));
    } else if (broadcast.isEmpty() && command == Command.VERSION) {
      refusals.answer(request, Outcome.OK, false, "VERSION " + ServerVersion.EMBEDDED);
    } else if (broadcast.isEmpty()) {
      refusals.answer(
          request,
          Outcome.REJECTED,
          KeylessWriter.isSilent(request),
          "SERVER_ERROR " + request.listenerView().keylessRefusal(command, Dialect.TEXT));
    } else {
      textBroadcast.ask(request, broadcast);
    }
  }

  // --- one server -------------------------------------------------------------------------------

  private void one(TextRequest request, Server server, Pool owner) {
    if (!owner.takesKeyless(Dialect.TEXT)) {
      bridged(request, server, owner);
      return;
    }
    if (wantsConnectionOfItsOwn(request)) {
      alone(request, server);
      return;
    }
    ConnectedClient client = request.client();
    ServerConnection connection = client.connectionTo(server);
    if (connection == null) {
      failUnlessWaiting(request);
      return;
    }
    Command command = request.command();
    if (connection.version().isForeign() && command != Command.VERSION) {
      alone(request, server); // proxies end the connection for what they do not know
      return;
    }
    ReplyKind kind = command == Command.STATS ? ReplyKind.STATS : ReplyKind.LINE;
    PendingReply pending = client.newReply(command, kind, KeylessWriter.suppression(request));
    ByteBuf line = writer.line(request);
    client.flushRun();
    connection.expect(pending);
    connection.write(line);
    request.reader().lineDone();
  }

  private void failUnlessWaiting(TextRequest request) {
    String failure = request.client().failure();
    if (failure != null) {
      boolean silent = KeylessWriter.suppression(request) == Suppression.ALL;
      refusals.fail(request, silent, failure, 0);
    }
  }

  /** Whether the reply's lines contain bytes of clients, or their end is not known. */
  private static boolean wantsConnectionOfItsOwn(TextRequest request) {
    TextLine line = request.line;
    return switch (request.command()) {
      case STATS ->
          line.count() > 1
              && !StatsNames.areLinesOfTheServer(
                  line.buffer(), line.start(1), line.end(line.count() - 1));
      default -> !KeylessWriter.isRead(request.command());
    };
  }

  /**
   * Handles a command for a server that is spoken to in binary: what that dialect cannot express is
   * answered here.
   */
  private void bridged(TextRequest request, Server server, Pool owner) {
    Command command = request.command();
    ConnectedClient client = request.client();
    boolean alone = command == Command.STATS && wantsConnectionOfItsOwn(request);
    if (alone && !client.isAloneAndSettled()) {
      return;
    }
    Suppression suppression = KeylessWriter.suppression(request);
    RequestContext context =
        dispatcher.take(client, command, Dialect.TEXT).suppressing(suppression);
    String reply = KeylessWriter.read(request, context.request());
    if (reply != null) {
      dispatcher.give(context);
      Outcome outcome = reply.equals("OK") ? Outcome.OK : Outcome.REJECTED;
      refusals.answer(request, outcome, KeylessWriter.isSilent(request), reply);
      return;
    }
    ByteBuf refused;
    if (alone) {
      refused = dispatcher.sendAlone(context, owner, server);
    } else {
      ServerConnection connection = client.connectionTo(server);
      if (connection == null) {
        dispatcher.give(context);
        failUnlessWaiting(request);
        return;
      }
      refused = dispatcher.send(context, owner, connection);
    }
    dispatcher.give(context);
    request.reader().lineDone();
    if (refused == null) {
      return;
    }
    if (suppression == Suppression.ALL) {
      refused.release();
      refused = null;
    }
    client.answer(command, Outcome.REJECTED, refused);
  }

  /**
   * Sends a command over an exclusive connection, which is closed afterwards. The command takes its
   * connection over, or ends it, or the end of its reply is not known, or its server may not know
   * it.
   */
  private void alone(TextRequest request, Server server) {
    ConnectedClient client = request.client();
    if (!client.isAloneAndSettled()) {
      return;
    }
    Command command = request.command();
    ReplyKind kind =
        isDump(request)
            ? ReplyKind.DUMP
            : switch (command) {
              case WATCH -> ReplyKind.STREAM;
              case STATS -> ReplyKind.LISTING;
              default -> ReplyKind.LINE;
            };
    boolean silent = KeylessWriter.isSilent(request);
    PendingReply pending =
        client.newReply(command, kind, silent ? Suppression.ALL : Suppression.NOTHING);
    ByteBuf bytes = writer.line(request);
    request.reader().lineDone();
    client.sendAlone(server, pending, bytes, 0, true, LineEnd.KEPT);
  }
}
