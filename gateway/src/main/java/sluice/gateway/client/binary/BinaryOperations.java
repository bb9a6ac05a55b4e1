package sluice.gateway.client.binary;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Optional;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.binary.Opcode;
import sluice.codecs.memcached.bridge.BinaryRequestReader;
import sluice.codecs.memcached.bridge.ReplyWriter;
import sluice.codecs.memcached.text.StatsNames;
import sluice.embedded.EmbeddedSession;
import sluice.gateway.dispatch.Dispatcher;
import sluice.gateway.dispatch.Everyone;
import sluice.gateway.dispatch.FanOut;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.dispatch.RequestContext;
import sluice.gateway.dispatch.StatsSum;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.listener.Listening;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.near.Changes;
import sluice.gateway.server.Server;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.session.Worker;
import sluice.names.Command;
import sluice.names.Dialect;

/**
 * Commands of the binary protocol without a key of an item: for all servers of a route, or for one
 * (docs/memcached.md).
 */
final class BinaryOperations {
  private final BinaryClient client;
  private final Worker worker;
  private final Dispatcher dispatcher;
  private final Listening listening;
  private final BinaryPacket packet;
  private final BinaryRouting routing;
  private final ReplyWriter replies;

  /** Commands of a client that is answered by replies where its servers speak another dialect. */
  BinaryOperations(
      BinaryClient client,
      Worker worker,
      Dispatcher dispatcher,
      Listening listening,
      BinaryRouting routing,
      ReplyWriter replies) {
    this.client = client;
    this.worker = worker;
    this.dispatcher = dispatcher;
    this.listening = listening;
    this.routing = routing;
    this.replies = replies;
    packet = routing.packet();
  }

  /** The packet [from, headEnd) of buffer. Waits, or is done with it. Borrows buffer. */
  void everywhere(Command command, ByteBuf buffer, int from, int headEnd) {
    if (!listening.allows(command)) {
      routing.refuse(command, Opcode.STATUS_AUTH_ERROR, "Auth failure.", buffer, headEnd);
      return;
    }
    if (command == Command.FLUSH_ALL) {
      if (listening.splits() && !client.isAlone()) {
        return; // values that were asked for before may have pieces that are yet to be asked for
      }
      client.changes(listening.allChanges(), Changes.EVERYTHING);
    }
    Everyone everyone = listening.everyone(command, Dialect.BINARY);
    if (everyone.isOneStore()) {
      routing.execute(command, everyone.stores().get(0), buffer, from, headEnd);
    } else if (everyone.isOneServer()) {
      one(command, everyone.servers().get(0), everyone.owners().get(0), buffer, from, headEnd);
    } else if (everyone.isNobody() && command == Command.VERSION) {
      String version = ServerVersion.EMBEDDED.toString();
      ByteBuf reply = worker.loop().buffer(BinaryHeader.LENGTH + version.length());
      BinaryHeader.writeResponse(
          reply, Opcode.VERSION, 0, 0, 0, version.length(), packet.opaque(), 0);
      reply.writeCharSequence(version, ISO_8859_1);
      client.packetDone(buffer, headEnd);
      client.answer(command, Outcome.OK, reply);
    } else if (everyone.isNobody()) {
      routing.refuse(command, Opcode.STATUS_INTERNAL_ERROR, routing.noRule(), buffer, headEnd);
    } else {
      all(command, everyone, buffer, from, headEnd);
    }
  }

  /**
   * Whether a verbosity packet can be said to everyone: memcached does not know its opcode, so only
   * servers that are told lines can do it.
   */
  boolean takesVerbosity() {
    if (!packet.isWellFormed() || !listening.allows(Command.VERBOSITY)) {
      return false;
    }
    Everyone everyone = listening.everyone(Command.VERBOSITY, Dialect.BINARY);
    return everyone.stores().isEmpty()
        && !everyone.owners().isEmpty()
        && everyone.owners().stream().allMatch(Pool::takesLines);
  }

  private void one(
      Command command, Server server, Pool owner, ByteBuf buffer, int from, int headEnd) {
    if (command == Command.STATS && owner.takesLines() && !areLinesOfTheServer(buffer, from)) {
      statsAlone(command, server, owner, buffer, from, headEnd);
      return;
    }
    ServerConnection connection = client.connectionTo(server);
    if (connection == null) {
      routing.failUnlessWaiting(command, buffer, headEnd);
      return;
    }
    if (owner.takesKeyless(Dialect.BINARY)) {
      routing.send(command, connection, buffer, from, headEnd);
      client.packetDone(buffer, headEnd);
      return;
    }
    RequestContext context = read(command, buffer, from);
    ByteBuf refused = dispatcher.send(context, owner, connection);
    dispatcher.give(context);
    client.packetDone(buffer, headEnd);
    if (refused != null) {
      client.answer(command, Outcome.REJECTED, refused);
    }
  }

  /** The packet in canonical form; the caller gives the result back. */
  private RequestContext read(Command command, ByteBuf buffer, int from) {
    RequestContext context = dispatcher.take(client, command, Dialect.BINARY, replies);
    BinaryRequestReader.read(buffer, from, context.request());
    return context.hiding(packet.hides());
  }

  private boolean areLinesOfTheServer(ByteBuf buffer, int from) {
    int name = BinaryHeader.keyStart(buffer, from);
    return StatsNames.areLinesOfTheServer(buffer, name, name + packet.keyLength());
  }

  /** Statistics as lines that clients may have written gets a connection of its own. */
  private void statsAlone(
      Command command, Server server, Pool owner, ByteBuf buffer, int from, int headEnd) {
    if (!client.isAlone()) {
      return;
    }
    RequestContext context = read(command, buffer, from);
    ByteBuf refused = dispatcher.sendAlone(context, owner, server);
    dispatcher.give(context);
    client.packetDone(buffer, headEnd);
    if (refused != null) {
      client.answer(command, Outcome.REJECTED, refused);
    }
  }

  private void all(Command command, Everyone everyone, ByteBuf buffer, int from, int headEnd) {
    Optional<FanOut.Aggregate> aggregate = aggregate(command, buffer, from);
    if (aggregate.isEmpty()) {
      routing.refuse(
          command,
          Opcode.STATUS_INTERNAL_ERROR,
          command.label() + " needs a route to one server",
          buffer,
          headEnd);
      return;
    }
    Everyone.Request request =
        new Everyone.Request() {
          @Override
          public Exchange whole() {
            return routing.exchange(command);
          }

          @Override
          public ByteBuf send(Exchange part, ServerConnection connection, Pool owner) {
            part.binary(packet.opcode(), packet.opaque());
            if (!owner.takesKeyless(Dialect.BINARY)) {
              RequestContext context = read(command, buffer, from);
              ByteBuf refused = dispatcher.sendPart(context, part, owner, connection);
              dispatcher.give(context);
              return refused;
            }
            connection.expect(part);
            ByteBuf copy = worker.loop().buffer(headEnd - from);
            copy.writeBytes(buffer, from, headEnd - from);
            routing.address(part, copy, 0, connection.nextOpaque());
            connection.write(copy);
            return null;
          }

          @Override
          public void execute(EmbeddedSession store, ByteBuf reply) {
            store.binary(buffer, from, headEnd, reply);
          }

          @Override
          public void sent() {
            client.packetDone(buffer, headEnd);
          }
        };
    everyone.ask(worker, client, aggregate.get(), request);
  }

  private Optional<FanOut.Aggregate> aggregate(Command command, ByteBuf buffer, int from) {
    int asked = packet.opaque();
    boolean quiet = packet.hides() != Exchange.HIDE_NOTHING;
    return switch (command) {
      case FLUSH_ALL, VERBOSITY -> Optional.of(replies -> worst(replies, quiet));
      case VERSION -> Optional.of(new FanOut.LowestVersion(BinaryOperations::version));
      case STATS -> {
        StatsSum.Kind kind =
            StatsSum.Kind.of(
                buffer.toString(
                    BinaryHeader.keyStart(buffer, from), packet.keyLength(), ISO_8859_1));
        yield switch (kind) {
          case SUM, FIRST ->
              Optional.of(replies -> StatsSum.ofBinary(worker.loop(), replies, kind, asked));
          case DONE -> Optional.of(replies -> worst(replies, false));
          case NONE -> Optional.empty();
        };
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

  private static ServerVersion version(ByteBuf reply) {
    if (!reply.isReadable()
        || BinaryHeader.status(reply, reply.readerIndex()) != Opcode.STATUS_OK) {
      return null;
    }
    int value = reply.readerIndex() + BinaryHeader.LENGTH;
    return ServerVersion.parse(reply.toString(value, reply.writerIndex() - value, ISO_8859_1));
  }
}
