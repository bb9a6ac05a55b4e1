package sluice.gateway.client.binary;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.binary.Opcode;
import sluice.codecs.memcached.bridge.BinaryRequestReader;
import sluice.codecs.memcached.bridge.ReplyWriter;
import sluice.codecs.memcached.text.StatsNames;
import sluice.embedded.EmbeddedSession;
import sluice.gateway.client.ConnectedClient;
import sluice.gateway.dispatch.Broadcast;
import sluice.gateway.dispatch.BroadcastReply;
import sluice.gateway.dispatch.ClientSession;
import sluice.gateway.dispatch.Dispatcher;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.dispatch.RequestContext;
import sluice.gateway.dispatch.StatsSum;
import sluice.gateway.listener.ListenerView;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.near.Changes;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.Suppression;
import sluice.gateway.server.Server;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.session.LoopState;
import sluice.names.Command;
import sluice.names.Dialect;

/**
 * Handler of binary commands without a key: for all servers of a route, or for one
 * (docs/reference/memcached.md).
 */
final class BinaryOperations {
  private final LoopState loopState;
  private final Dispatcher dispatcher;
  private final BinaryRouting routing;
  private final ReplyWriter replies;

  /**
   * Commands of clients whose replies are written by replies if their servers speak another
   * dialect.
   */
  BinaryOperations(
      LoopState loopState, Dispatcher dispatcher, BinaryRouting routing, ReplyWriter replies) {
    this.loopState = loopState;
    this.dispatcher = dispatcher;
    this.routing = routing;
    this.replies = replies;
  }

  /** Handles a request without a key. Waits, or finishes it. */
  void handle(BinaryRequest request) {
    ConnectedClient client = request.client();
    ListenerView listenerView = request.listenerView();
    Command command = request.command();
    if (request.isNew()) {
      if (!listenerView.allows(command)) {
        routing.refuse(request, Opcode.STATUS_AUTH_ERROR, "Auth failure.");
        return;
      }
      request.admitted();
    }
    if (command != Command.VERSION) {
      client.endsTurn();
    }
    if (command == Command.FLUSH_ALL) {
      if (listenerView.splits() && !client.isAlone()) {
        return; // values requested before may have chunks that have not been requested yet
      }
      client.changes(listenerView.allChanges(), Changes.EVERYTHING);
    }
    Broadcast broadcast = listenerView.broadcast(command, Dialect.BINARY);
    boolean isBeforeLogin = isBeforeLogin(request);
    if (broadcast.isForSeveral() || isBeforeLogin) {
      client.endsTurn();
    }
    ServerVersion known = isBeforeLogin ? broadcast.lowestReportedVersion() : null;
    if (broadcast.isOneStore()) {
      routing.execute(request, onlyStore(broadcast), 0);
    } else if (known != null) {
      answer(request, known);
    } else if (broadcast.isOneServer()) {
      one(request, broadcast.servers().get(0), broadcast.owners().get(0));
    } else if (broadcast.isEmpty() && command == Command.VERSION) {
      answer(request, ServerVersion.EMBEDDED);
    } else if (broadcast.isEmpty()) {
      String refusal = listenerView.keylessRefusal(command, Dialect.BINARY);
      routing.refuse(request, Opcode.STATUS_INTERNAL_ERROR, refusal);
    } else {
      all(request, broadcast);
    }
  }

  /**
   * Whether the client has yet to log in. What is known of the servers is enough for its Version:
   * until then it should cost them nothing.
   */
  private static boolean isBeforeLogin(BinaryRequest request) {
    LoginState login = request.owner().login();
    return login != null && !login.isLoggedIn();
  }

  /** Answers a Version. */
  private void answer(BinaryRequest request, ServerVersion version) {
    String text = version.toString();
    ByteBuf reply = loopState.loop().buffer(BinaryHeader.LENGTH + text.length());
    BinaryHeader.writeResponse(
        reply, Opcode.VERSION, 0, 0, 0, text.length(), request.packet.opaque(), 0);
    reply.writeCharSequence(text, ISO_8859_1);
    routing.answer(request, Outcome.OK, reply, 0);
  }

  @SuppressWarnings("NullAway") // a pool among the stores has one
  private static EmbeddedSession onlyStore(Broadcast broadcast) {
    return broadcast.stores().get(0).embedded();
  }

  /**
   * Whether a verbosity packet can be sent to all servers: memcached does not know its opcode, so
   * all of them must take lines.
   */
  boolean takesVerbosity(BinaryRequest request) {
    ListenerView listenerView = request.listenerView();
    if (!request.packet.isWellFormed() || !listenerView.allows(Command.VERBOSITY)) {
      return false;
    }
    Broadcast broadcast = listenerView.broadcast(Command.VERBOSITY, Dialect.BINARY);
    return broadcast.stores().isEmpty()
        && !broadcast.owners().isEmpty()
        && broadcast.owners().stream().allMatch(Pool::takesLines);
  }

  private void one(BinaryRequest request, Server server, Pool owner) {
    if (request.command() == Command.STATS && !areLinesOfTheServer(request.packet)) {
      alone(request, server, owner);
      return;
    }
    ServerConnection connection = request.client().connectionTo(server);
    if (connection == null) {
      routing.failUnlessWaiting(request, 0);
      return;
    }
    if (mayNotKnow(connection, request, owner)) {
      alone(request, server, owner);
      return;
    }
    if (owner.takesKeyless(Dialect.BINARY)) {
      routing.send(request, connection, 0);
      request.owner().packetDone(request, 0);
      return;
    }
    RequestContext context = read(request);
    ByteBuf refused = dispatcher.send(context, owner, connection);
    dispatcher.give(context);
    done(request, refused);
  }

  /** The request was sent, or refused with an answer, which is consumed. */
  private void done(BinaryRequest request, @Nullable ByteBuf refused) {
    BinaryRequest.Owner owner = request.owner();
    Command command = request.command();
    owner.packetDone(request, 0);
    if (refused != null) {
      owner.client().answer(command, Outcome.REJECTED, refused);
    }
  }

  /** The request in canonical form; the caller gives the result back. */
  private RequestContext read(BinaryRequest request) {
    RequestContext context =
        dispatcher.take(request.client(), request.command(), Dialect.BINARY, replies);
    BinaryRequestReader.read(request.buffer(), request.from(), context.request());
    return context.suppressing(request.packet.suppression());
  }

  private static boolean areLinesOfTheServer(BinaryPacket packet) {
    int name = packet.keyStart();
    return StatsNames.areLinesOfTheServer(packet.buffer(), name, name + packet.keyLength());
  }

  /**
   * Whether the process behind connection gets a line, and is not memcached: proxies end the
   * connection, which others use, for what they do not know. They all know version.
   */
  private static boolean mayNotKnow(
      ServerConnection connection, BinaryRequest request, Pool owner) {
    return owner.takesLines()
        && connection.version().isForeign()
        && request.command() != Command.VERSION;
  }

  /**
   * Sends a command over an exclusive connection. Clients may have written lines of its reply, or
   * its packets may have no end, as those of {@code sizes_enable} from memcached 1.4.27 to 1.6.24.
   * Or its server may not know it.
   */
  private void alone(BinaryRequest request, Server server, Pool owner) {
    ConnectedClient client = request.client();
    if (!client.isAloneAndSettled()) {
      return;
    }
    if (owner.takesKeyless(Dialect.BINARY)) {
      ByteBuf packet = copy(request);
      PendingReply pending = routing.pending(request);
      BinaryRouting.address(pending, request.packet, packet, 0, 0);
      request.owner().packetDone(request, 0);
      client.sendAlone(server, pending, packet, 0, true, ClientSession.LineEnd.KEPT);
      return;
    }
    RequestContext context = read(request);
    ByteBuf refused = dispatcher.sendAlone(context, owner, server);
    dispatcher.give(context);
    done(request, refused);
  }

  /** A copy of the request's packet; the caller owns the result. */
  private ByteBuf copy(BinaryRequest request) {
    int length = request.headEnd() - request.from();
    ByteBuf copy = loopState.loop().buffer(length);
    return copy.writeBytes(request.buffer(), request.from(), length);
  }

  // --- all servers ------------------------------------------------------------------------------

  private void all(BinaryRequest request, Broadcast broadcast) {
    Optional<BroadcastReply.Aggregate> aggregate = aggregate(request);
    if (aggregate.isEmpty()) {
      routing.refuse(request, Opcode.STATUS_INTERNAL_ERROR, needsOneServer(request));
      return;
    }
    broadcast.ask(loopState, request.client(), aggregate.get(), new Asked(request));
  }

  private static String needsOneServer(BinaryRequest request) {
    return request.command().label() + " needs a route to one server";
  }

  /** Request in its form for each server. */
  private final class Asked implements Broadcast.Request {
    private final BinaryRequest request;

    Asked(BinaryRequest request) {
      this.request = request;
    }

    @Override
    public PendingReply whole() {
      return routing.pending(request);
    }

    @Override
    public @Nullable ByteBuf send(
        PendingReply subrequest, ServerConnection connection, Pool owner) {
      subrequest.binary(request.packet.opcode(), request.packet.opaque());
      if (mayNotKnow(connection, request, owner)) {
        String reason = needsOneServer(request);
        return routing.reply(request.packet, Opcode.STATUS_INTERNAL_ERROR, reason);
      }
      if (!owner.takesKeyless(Dialect.BINARY)) {
        RequestContext context = read(request);
        ByteBuf refused = dispatcher.sendSubrequest(context, subrequest, owner, connection);
        dispatcher.give(context);
        return refused;
      }
      ByteBuf copy = copy(request);
      connection.expect(subrequest);
      BinaryRouting.address(subrequest, request.packet, copy, 0, connection.nextOpaque());
      connection.write(copy);
      return null;
    }

    @Override
    public void execute(EmbeddedSession store, ByteBuf reply) {
      store.binary(request.buffer(), request.from(), request.headEnd(), reply);
    }

    @Override
    public void sent() {
      request.owner().packetDone(request, 0);
    }
  }

  private Optional<BroadcastReply.Aggregate> aggregate(BinaryRequest request) {
    BinaryPacket packet = request.packet;
    int asked = packet.opaque();
    boolean quiet = packet.suppression() != Suppression.NOTHING;
    return switch (request.command()) {
      case FLUSH_ALL, VERBOSITY -> Optional.of(replies -> worst(replies, quiet));
      case VERSION -> Optional.of(new BroadcastReply.LowestVersion(BinaryOperations::version));
      case STATS -> {
        StatsSum.Kind kind =
            StatsSum.Kind.of(
                packet.buffer().toString(packet.keyStart(), packet.keyLength(), ISO_8859_1));
        yield switch (kind) {
          case SUM, FIRST ->
              Optional.of(replies -> StatsSum.ofBinary(loopState.loop(), replies, kind, asked));
          case DONE -> Optional.of(replies -> worst(replies, false));
          case NONE -> Optional.empty();
        };
      }
      default -> Optional.empty();
    };
  }

  /** The first error; without one the first reply, or silence. */
  private static @Nullable ByteBuf worst(List<ByteBuf> replies, boolean quiet) {
    for (ByteBuf reply : replies) {
      if (reply.isReadable()
          && BinaryHeader.status(reply, reply.readerIndex()) != Opcode.STATUS_OK) {
        return reply.retainedSlice();
      }
    }
    return quiet ? null : replies.get(0).retainedSlice();
  }

  private static @Nullable ServerVersion version(ByteBuf reply) {
    if (!reply.isReadable()
        || BinaryHeader.status(reply, reply.readerIndex()) != Opcode.STATUS_OK) {
      return null;
    }
    int value = reply.readerIndex() + BinaryHeader.LENGTH;
    return ServerVersion.parse(reply.toString(value, reply.writerIndex() - value, ISO_8859_1));
  }
}
