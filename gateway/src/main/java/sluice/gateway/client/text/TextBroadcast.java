package sluice.gateway.client.text;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.text.TextLine;
import sluice.embedded.EmbeddedSession;
import sluice.gateway.client.ConnectedClient;
import sluice.gateway.client.text.request.TextRequest;
import sluice.gateway.dispatch.Broadcast;
import sluice.gateway.dispatch.BroadcastReply;
import sluice.gateway.dispatch.Dispatcher;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.dispatch.RequestContext;
import sluice.gateway.dispatch.StatsSum;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.server.TextErrors;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.session.LoopState;
import sluice.names.Command;
import sluice.names.Dialect;

/** Handler of text commands without a key that go to all servers of a route. */
final class TextBroadcast {
  private final LoopState loopState;
  private final Dispatcher dispatcher;
  private final TextRefusals refusals;
  private final KeylessWriter writer;

  TextBroadcast(
      LoopState loopState, Dispatcher dispatcher, TextRefusals refusals, KeylessWriter writer) {
    this.loopState = loopState;
    this.dispatcher = dispatcher;
    this.refusals = refusals;
    this.writer = writer;
  }

  /** Sends the broadcast. Waits, or finishes the request. */
  void ask(TextRequest request, Broadcast broadcast) {
    Optional<BroadcastReply.Aggregate> aggregate = aggregate(request);
    if (aggregate.isEmpty()) {
      // an unknown name of statistics is answered as a server would
      boolean unknown = request.command() == Command.STATS && !isKnownStatistics(request.line);
      refusals.answer(
          request,
          Outcome.REJECTED,
          KeylessWriter.isSilent(request),
          unknown ? "ERROR" : needsOneServer(request));
      return;
    }
    broadcast.ask(loopState, request.client(), aggregate.get(), new Asked(request));
  }

  private static boolean isKnownStatistics(TextLine line) {
    return line.count() > 1 && (line.is(1, "cachedump") || line.is(1, "detail"));
  }

  private static String needsOneServer(TextRequest request) {
    return "CLIENT_ERROR " + named(request) + " needs a route to one server";
  }

  /** The command, with an argument that is known. */
  private static String named(TextRequest request) {
    String label = request.command().label();
    return request.command() == Command.STATS && isKnownStatistics(request.line)
        ? label + " " + request.line.string(1)
        : label;
  }

  /** Request in its form for each server. */
  private final class Asked implements Broadcast.Request {
    private final TextRequest request;
    private final ConnectedClient client;

    Asked(TextRequest request) {
      this.request = request;
      client = request.client();
    }

    @Override
    public PendingReply whole() {
      Command command = request.command();
      ReplyKind kind = command == Command.STATS ? ReplyKind.STATS : ReplyKind.LINE;
      return client.newReply(command, kind, KeylessWriter.suppression(request));
    }

    @Override
    public @Nullable ByteBuf send(
        PendingReply subrequest, ServerConnection connection, Pool owner) {
      if (!owner.takesKeyless(Dialect.TEXT)) {
        RequestContext context = dispatcher.take(client, request.command(), Dialect.TEXT);
        String answer = KeylessWriter.read(request, context.request());
        ByteBuf told =
            answer == null
                ? dispatcher.sendSubrequest(context, subrequest, owner, connection)
                : TextErrors.line(loopState.loop(), answer);
        dispatcher.give(context);
        return told;
      }
      if (connection.version().isForeign() && request.command() != Command.VERSION) {
        // proxies end the connection for what they do not know, and others use it
        return TextErrors.line(loopState.loop(), needsOneServer(request));
      }
      ByteBuf line = writer.line(request); // before it is expected: there may be no memory for it
      connection.expect(subrequest);
      connection.write(line);
      return null;
    }

    @Override
    public void execute(EmbeddedSession store, ByteBuf reply) {
      ByteBuf bytes = writer.line(request);
      store.text(bytes, 0, bytes.writerIndex(), reply);
      bytes.release();
    }

    @Override
    public void sent() {
      request.reader().lineDone();
    }
  }

  // --- replies ----------------------------------------------------------------------------------

  private Optional<BroadcastReply.Aggregate> aggregate(TextRequest request) {
    return switch (request.command()) {
      case FLUSH_ALL, VERBOSITY, CACHE_MEMLIMIT -> Optional.of(replies -> worst(replies, "OK"));
      case VERSION -> Optional.of(new BroadcastReply.LowestVersion(TextBroadcast::version));
      case STATS -> stats(arguments(request.line));
      default -> Optional.empty();
    };
  }

  private Optional<BroadcastReply.Aggregate> stats(String arguments) {
    StatsSum.Kind kind = StatsSum.Kind.of(arguments);
    return switch (kind) {
      case SUM, FIRST -> Optional.of(replies -> StatsSum.ofText(loopState.loop(), replies, kind));
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

  /** The first error; without one the first reply. */
  private static ByteBuf worst(List<ByteBuf> replies, String good) {
    return replies.stream()
        .filter(reply -> !reply.toString(ISO_8859_1).startsWith(good))
        .findFirst()
        .orElse(replies.get(0))
        .retainedSlice();
  }

  private static @Nullable ServerVersion version(ByteBuf reply) {
    String line = reply.toString(ISO_8859_1);
    return line.startsWith("VERSION ")
        ? ServerVersion.parse(line.substring("VERSION ".length()))
        : null; // an error line
  }
}
