package sluice.gateway.client.text;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.bridge.Request;
import sluice.codecs.memcached.bridge.TextRequestReader;
import sluice.codecs.memcached.text.KeylessLine;
import sluice.codecs.memcached.text.StatsNames;
import sluice.codecs.memcached.text.TextLine;
import sluice.embedded.EmbeddedSession;
import sluice.gateway.client.EmbeddedOutcome;
import sluice.gateway.dispatch.Dispatcher;
import sluice.gateway.dispatch.Everyone;
import sluice.gateway.dispatch.FanOut;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.dispatch.RequestContext;
import sluice.gateway.dispatch.StatsSum;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.Grammar;
import sluice.gateway.listener.Listening;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.near.Changes;
import sluice.gateway.server.Server;
import sluice.gateway.server.TextErrors;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.session.Worker;
import sluice.names.Command;
import sluice.names.Dialect;

/**
 * Commands of the text protocol without a key: for all servers of a route, for one, or for nobody
 * unless the listener's {@code allow} names them (docs/memcached.md).
 */
final class TextOperations {
  private final TextClient client;
  private final Worker worker;
  private final Dispatcher dispatcher;
  private final Listening listening;
  private final KeylessLine keyless = new KeylessLine();

  TextOperations(TextClient client, Worker worker, Dispatcher dispatcher, Listening listening) {
    this.client = client;
    this.worker = worker;
    this.dispatcher = dispatcher;
    this.listening = listening;
  }

  /**
   * The line [from, next) of buffer, which line views. Waits, or is done with it. Borrows buffer.
   */
  void keyless(Command command, TextLine line, ByteBuf buffer, int from, int next, ByteBuf in) {
    boolean dump = isDump(command, line);
    if (!listening.allows(command)) {
      refuse(command, refusal(command, dump), buffer, next);
      return;
    }
    if ((dump || command == Command.WATCH) && !client.isFirstOf(buffer, from, in)) {
      // memcached's own refusal: it answers these only to who asked nothing else meanwhile
      refuse(
          command,
          "ERROR cannot pipeline other commands before " + (dump ? "metadump" : "watch"),
          buffer,
          next);
      return;
    }
    if (command == Command.FLUSH_ALL) {
      if (listening.splits() && !client.isAlone()) {
        return; // values that were asked for before may have pieces that are yet to be asked for
      }
      client.changes(listening.allChanges(), Changes.EVERYTHING);
    }
    Everyone everyone = listening.everyone(command, Dialect.TEXT);
    if (isRead(command) && !everyone.isOneStore()) {
      keyless.read(line, command, listening.version());
      if (keyless.error() != null) {
        client.lineDone(buffer, next);
        client.answer(
            command,
            Outcome.PROTOCOL_ERROR,
            keyless.noreply() ? null : TextErrors.line(worker.loop(), keyless.error()));
        return;
      }
    }
    if (everyone.isOneStore()) {
      ByteBuf reply = worker.loop().buffer(256);
      boolean close = everyone.stores().get(0).embedded().text(buffer, from, next, reply);
      client.lineDone(buffer, next);
      client.answer(command, EmbeddedOutcome.ofText(reply), reply);
      if (close) {
        client.end();
      }
    } else if (everyone.isOneServer()) {
      one(
          command,
          everyone.servers().get(0),
          everyone.owners().get(0),
          dump,
          line,
          buffer,
          from,
          next);
    } else if (everyone.isNobody() && command == Command.VERSION) {
      client.lineDone(buffer, next);
      client.answer(
          command, Outcome.OK, TextErrors.line(worker.loop(), "VERSION " + ServerVersion.EMBEDDED));
    } else if (everyone.isNobody()) {
      refuse(
          command,
          "SERVER_ERROR no rule of route " + listening.route().name() + " takes this request",
          buffer,
          next);
    } else {
      all(command, everyone, line, buffer, from, next);
    }
  }

  private static boolean isDump(Command command, TextLine line) {
    return command == Command.LRU_CRAWLER
        && line.count() > 1
        && (line.is(1, "metadump") || line.is(1, "mgdump"));
  }

  private String refusal(Command command, boolean dump) {
    return switch (command) {
      case WATCH -> "CLIENT_ERROR watch commands not allowed";
      case SHUTDOWN ->
          listening.version().readsLinesAsProxy()
              ? "SERVER_ERROR: shutdown not enabled"
              : "ERROR: shutdown not enabled";
      case LRU_CRAWLER ->
          dump ? "ERROR metadump not allowed" : "CLIENT_ERROR lru_crawler not allowed";
      case DEBUG -> "ERROR";
      default -> "CLIENT_ERROR " + command.label() + " not allowed";
    };
  }

  private void refuse(Command command, String reply, ByteBuf buffer, int next) {
    client.lineDone(buffer, next);
    client.answer(command, Outcome.REJECTED, TextErrors.line(worker.loop(), reply));
  }

  /** Whether what the line means is read here, and written anew. */
  private static boolean isRead(Command command) {
    return switch (command) {
      case FLUSH_ALL, VERBOSITY, CACHE_MEMLIMIT, VERSION -> true;
      default -> false;
    };
  }

  /** Whether nothing is answered: the line was read. */
  private boolean isNoreply(Command command) {
    return isRead(command) && keyless.noreply();
  }

  /** A line that was read; the caller owns the result. */
  private ByteBuf written() {
    ByteBuf out = worker.loop().buffer(64);
    keyless.write(out);
    return out;
  }

  /** Whether the reply's lines hold what clients have written, or their end is not known. */
  private static boolean wantsConnectionOfItsOwn(Command command, TextLine line) {
    return switch (command) {
      case STATS ->
          line.count() > 1
              && !StatsNames.areLinesOfTheServer(
                  line.buffer(), line.start(1), line.end(line.count() - 1));
      default -> !isRead(command);
    };
  }

  // --- one server ---------------------------------------------------------------------------

  private void one(
      Command command,
      Server server,
      Pool owner,
      boolean dump,
      TextLine line,
      ByteBuf buffer,
      int from,
      int next) {
    if (!owner.takesKeyless(Dialect.TEXT)) {
      bridged(command, server, owner, line, buffer, next);
      return;
    }
    if (wantsConnectionOfItsOwn(command, line)) {
      alone(command, server, dump, line, buffer, from, next);
      return;
    }
    ServerConnection connection = client.connectionTo(server);
    int hides = isNoreply(command) ? Exchange.HIDE_ALL : Exchange.HIDE_NOTHING;
    if (connection == null) {
      if (client.failure() != null) {
        String reason = client.failure();
        client.lineDone(buffer, next);
        client.fail(client.newExchange(command, Grammar.LINE, hides), reason);
      }
      return;
    }
    Exchange exchange =
        client.newExchange(command, command == Command.STATS ? Grammar.STATS : Grammar.LINE, hides);
    connection.expect(exchange);
    client.flushRun();
    connection.write(command == Command.STATS ? tokens(line, next - from) : written());
    client.lineDone(buffer, next);
  }

  private static boolean isLastNoreply(TextLine line, int count) {
    return count > 1 && line.is(count - 1, "noreply");
  }

  /** The line's tokens but for noreply at its end; the caller owns the result. */
  private ByteBuf tokens(TextLine line, int length) {
    int count = line.count();
    boolean isStatistics = line.is(0, Command.STATS.label()); // of which noreply would be a name
    while (!isStatistics && isLastNoreply(line, count)) {
      count--;
    }
    ByteBuf out = worker.loop().buffer(length + 2);
    for (int token = 0; token < count; token++) {
      if (token > 0) {
        out.writeByte(' ');
      }
      out.writeBytes(line.buffer(), line.start(token), line.length(token));
    }
    return out.writeShort('\r' << 8 | '\n');
  }

  /** A server that is spoken to in binary: what that has no word for is answered here. */
  private void bridged(
      Command command, Server server, Pool owner, TextLine line, ByteBuf buffer, int next) {
    int hides = isNoreply(command) ? Exchange.HIDE_ALL : Exchange.HIDE_NOTHING;
    RequestContext context = take(command).hiding(hides);
    String reply = answer(command, line, context.request());
    if (reply != null) {
      dispatcher.give(context);
      client.lineDone(buffer, next);
      client.answer(
          command,
          reply.equals("OK") ? Outcome.OK : Outcome.REJECTED,
          hides == Exchange.HIDE_ALL ? null : TextErrors.line(worker.loop(), reply));
      return;
    }
    ServerConnection connection = client.connectionTo(server);
    if (connection == null) {
      dispatcher.give(context);
      if (client.failure() != null) {
        String reason = client.failure();
        client.lineDone(buffer, next);
        client.fail(client.newExchange(command, Grammar.LINE, hides), reason);
      }
      return;
    }
    ByteBuf refused = dispatcher.send(context, owner, connection);
    dispatcher.give(context);
    client.lineDone(buffer, next);
    if (refused == null) {
      return;
    }
    if (hides == Exchange.HIDE_ALL) {
      refused.release();
      refused = null;
    }
    client.answer(command, Outcome.REJECTED, refused);
  }

  private RequestContext take(Command command) {
    return dispatcher.take(client, command, Dialect.TEXT);
  }

  /** The answer to a line that no binary server is asked, or null: request was read from it. */
  private String answer(Command command, TextLine line, Request request) {
    return switch (command) {
      case VERSION, STATS, FLUSH_ALL ->
          TextRequestReader.readKeyless(
              line, command, listening.version().readsLinesAsProxy(), request);
      case VERBOSITY ->
          TextRequestReader.isVerbosity(line)
              ? "OK"
              : listening.version().readsLinesAsProxy() ? TextRequestReader.BAD_FORMAT : "ERROR";
      default -> "ERROR";
    };
  }

  /**
   * A command that takes its connection over, or ends it, or whose reply's end is not known, gets
   * one of its own, which is closed behind it.
   */
  private void alone(
      Command command,
      Server server,
      boolean dump,
      TextLine line,
      ByteBuf buffer,
      int from,
      int next) {
    if (!client.isAlone()) {
      return;
    }
    Grammar grammar =
        dump
            ? Grammar.DUMP
            : switch (command) {
              case WATCH -> Grammar.STREAM;
              case STATS -> Grammar.LISTING;
              default -> Grammar.LINE;
            };
    boolean silent = command != Command.STATS && isLastNoreply(line, line.count());
    Exchange exchange =
        client.newExchange(command, grammar, silent ? Exchange.HIDE_ALL : Exchange.HIDE_NOTHING);
    ByteBuf bytes = tokens(line, next - from);
    client.lineDone(buffer, next);
    client.lentRequest().begin(server, exchange, bytes, 0, true);
  }

  // --- all servers --------------------------------------------------------------------------

  private void all(
      Command command, Everyone everyone, TextLine line, ByteBuf buffer, int from, int next) {
    Optional<FanOut.Aggregate> aggregate = aggregate(command, line);
    if (aggregate.isEmpty()) {
      refuse(
          command,
          isUnknownStatistics(command, line)
              ? "ERROR" // as a server would
              : "CLIENT_ERROR " + command.label() + " needs a route to one server",
          buffer,
          next);
      return;
    }
    boolean noreply = isNoreply(command);
    Everyone.Request request =
        new Everyone.Request() {
          @Override
          public Exchange whole() {
            return client.newExchange(
                command,
                command == Command.STATS ? Grammar.STATS : Grammar.LINE,
                noreply ? Exchange.HIDE_ALL : Exchange.HIDE_NOTHING);
          }

          @Override
          public ByteBuf send(Exchange part, ServerConnection connection, Pool owner) {
            if (!owner.takesKeyless(Dialect.TEXT)) {
              RequestContext context = take(command);
              String answer = answer(command, line, context.request());
              ByteBuf told =
                  answer == null
                      ? dispatcher.sendPart(context, part, owner, connection)
                      : TextErrors.line(worker.loop(), answer);
              dispatcher.give(context);
              return told;
            }
            connection.expect(part);
            connection.write(isRead(command) ? written() : tokens(line, next - from));
            return null;
          }

          @Override
          public void execute(EmbeddedSession store, ByteBuf reply) {
            ByteBuf bytes = isRead(command) ? written() : tokens(line, next - from);
            store.text(bytes, 0, bytes.writerIndex(), reply);
            bytes.release();
          }

          @Override
          public void sent() {
            client.lineDone(buffer, next);
          }
        };
    everyone.ask(worker, client, aggregate.get(), request);
  }

  private static boolean isUnknownStatistics(Command command, TextLine line) {
    return command == Command.STATS && !line.is(1, "cachedump") && !line.is(1, "detail");
  }

  private Optional<FanOut.Aggregate> aggregate(Command command, TextLine line) {
    return switch (command) {
      case FLUSH_ALL, VERBOSITY, CACHE_MEMLIMIT -> Optional.of(replies -> worst(replies, "OK"));
      case VERSION -> Optional.of(new FanOut.LowestVersion(TextOperations::version));
      case STATS -> stats(arguments(line));
      default -> Optional.empty();
    };
  }

  private Optional<FanOut.Aggregate> stats(String arguments) {
    StatsSum.Kind kind = StatsSum.Kind.of(arguments);
    return switch (kind) {
      case SUM, FIRST -> Optional.of(replies -> StatsSum.ofText(worker.loop(), replies, kind));
      case DONE ->
          Optional.of(replies -> worst(replies, arguments.equals("reset") ? "RESET" : "OK"));
      case NONE -> Optional.empty();
    };
  }

  private static String arguments(TextLine line) {
    return IntStream.range(1, line.count())
        .mapToObj(i -> line.buffer().toString(line.start(i), line.length(i), ISO_8859_1))
        .collect(Collectors.joining(" "));
  }

  /** The first that is not good; else the first. */
  private static ByteBuf worst(List<ByteBuf> replies, String good) {
    return replies.stream()
        .filter(reply -> !reply.toString(ISO_8859_1).startsWith(good))
        .findFirst()
        .orElse(replies.get(0))
        .retainedSlice();
  }

  private static ServerVersion version(ByteBuf reply) {
    String line = reply.toString(ISO_8859_1);
    return line.startsWith("VERSION ")
        ? ServerVersion.parse(line.substring("VERSION ".length()))
        : null; // an error line
  }
}
