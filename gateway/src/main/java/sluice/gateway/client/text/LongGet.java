package sluice.gateway.client.text;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.text.TextLine;
import sluice.gateway.client.ConnectedClient;
import sluice.gateway.client.text.multiget.MultiGet;
import sluice.gateway.client.text.multiget.MultiGetPlan;
import sluice.gateway.client.text.multiget.RestOfMultiGet;
import sluice.gateway.client.text.request.RequestReader;
import sluice.gateway.client.text.request.TextRequest;
import sluice.gateway.dispatch.Connector;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ReplyReceiver;
import sluice.gateway.server.Server;
import sluice.gateway.server.ServerWaiter;
import sluice.gateway.server.ServerWaits;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.session.LineMemory;
import sluice.names.Command;

/**
 * Get of more keys than are requested at once: one {@link MultiGet} after the other, each when
 * those before it are answered. It holds only the line, so its memory does not depend on the number
 * of keys. Its client's next request is processed after its end.
 *
 * <p>It begins when its reply is next in order: then no request of its client is in flight.
 */
final class LongGet implements RestOfMultiGet, ServerWaiter, ReplyReceiver.Resumable, Connector {
  private final RequestReader reader;
  private final ConnectedClient client;
  private final Loop loop;
  private final TextPools pools;
  private final KeyPlanner planner;
  private final Command command;
  private final ByteBuf line; // owned until then
  private final int prefix;
  private final PendingReply whole; // not used after the end
  private int at;
  private boolean asks;
  private boolean scheduled;
  private boolean ended;
  private final ServerWaits waits = new ServerWaits();
  private @Nullable Server awaited; // the last server that it has waited for; null if there is none
  private @Nullable String tooLate; // reason why the next keys wait for no server any more
  private @Nullable String failure; // of the last connectionTo

  /**
   * A get whose client's pending reply is the last in order.
   *
   * @param reader the client's
   * @param line the bytes from the command on, without line end; consumed
   * @param prefix index where the last token before the keys ends
   * @param at index of the first key that was not requested
   */
  LongGet(
      RequestReader reader,
      TextPools pools,
      KeyPlanner planner,
      PendingReply whole,
      ByteBuf line,
      int prefix,
      int at) {
    this.reader = reader;
    client = reader.client();
    loop = client.loopState.loop();
    this.pools = pools;
    this.planner = planner;
    this.command = whole.command();
    this.whole = whole;
    this.line = line;
    this.prefix = prefix;
    this.at = at;
    hold(line.readableBytes());
    client.waitsForAll();
  }

  private void hold(int delta) {
    client.holdValue(delta);
    if (line.readableBytes() > LineMemory.SHORT) {
      client.loopState.lineMemory().addComplete(delta);
    }
  }

  /** Begins, or waits for its turn. */
  void start() {
    whole.splitInto(this);
    turn();
  }

  @Override
  public PendingReply whole() {
    return whole;
  }

  @Override
  public void turn() {
    if (!asks && !ended && !scheduled && client.isTurnOf(whole)) {
      schedule();
    }
  }

  /**
   * Continues later, because the caller may be in the middle of something. A long line takes
   * hundreds of steps, and other clients come between them.
   */
  private void schedule() {
    if (!scheduled) {
      scheduled = true;
      client.afterOthers(this::ask);
    }
  }

  @Override
  public boolean isAsking() {
    return asks;
  }

  @Override
  public boolean hasMore() {
    return at < line.writerIndex();
  }

  @Override
  public void goesOn() {
    asks = false;
    turn();
    if (whole.heldBytes() >= ServerConnection.STREAM_FROM && client.isTurnOf(whole)) {
      client.advance();
    }
  }

  @Override
  public void end() {
    if (!ended) {
      ended = true;
      hold(-line.readableBytes());
      line.release();
    }
  }

  private void ask() {
    scheduled = false;
    if (ended || asks) {
      return;
    }
    if (client.wantsNoReplies() && isPureRead()) {
      whole.splitInto(null);
      end();
      whole.outcome(Outcome.CLIENT_GONE);
      client.answer(whole, null);
    } else if (client.isFull(whole.isNeededNext())) {
      client.pauses(this);
    } else {
      loop.tick();
      TextRequest some = pools.requests().readPart(reader, command, line, 0, prefix);
      try {
        askForSome(some);
      } finally {
        pools.requests().give(some);
      }
    }
  }

  /** Whether the keys that were not requested stay as they are. */
  private boolean isPureRead() {
    return command == Command.GET || command == Command.GETS;
  }

  private void askForSome(TextRequest request) {
    TextLine tokens = request.line;
    int firstKey = request.firstKey();
    int next = tokens.readOn(at, line.writerIndex(), TextLine.MOST_TOKENS);
    MultiGet some = pools.multiGets().take();
    int planned = planner.plan(some.plan(), request, this);
    if (planned < 0 || !connect(some.plan(), request)) {
      some.recycle();
      return;
    }
    asks = true;
    tooLate = null;
    waits.clear();
    int asked = some.begin(client, whole, request, loop.now());
    boolean all = asked == planned && firstKey + planned == tokens.count();
    at = all ? next : tokens.start(firstKey + asked);
    some.send(request, this);
  }

  /** Finds the connections, or the reason why there are none; returns false if it waits for one. */
  private boolean connect(MultiGetPlan some, TextRequest request) {
    for (int subrequest = 0; subrequest < some.subrequests(); subrequest++) {
      ServerConnection connection = some.connection(subrequest);
      Server server = some.server(subrequest);
      if (server != null) {
        connection = connectionTo(server);
        if (connection == null && failure == null) {
          return false;
        }
        some.connect(subrequest, connection, failure);
      }
      if (connection != null
          && TextRouting.isOneRefusedBy(connection, request, some.isPacket(subrequest))) {
        some.fail(
            subrequest, "server " + connection.serverName() + " does not know " + command.label());
      }
    }
    for (int key = 0; key < some.keys(); key++) {
      ServerConnection connection = some.connectionOf(key);
      if (connection != null
          && TextRouting.isKeyRefusedBy(connection, request, request.firstKey() + key)) {
        some.fail(
            some.subrequestOf(key),
            "server " + connection.serverName() + " does not take a key with a control character");
      }
    }
    return true;
  }

  /** No other request of the client is in flight. */
  @Override
  public @Nullable ServerConnection connectionTo(Server server) {
    ServerConnection connection = client.readyConnectionTo(server);
    failure = connection == null ? server.unavailable() : null;
    if (failure != null) {
      server.refused(failure);
    } else if (connection == null) {
      failure = tooLate;
      if (failure == null) {
        waitFor(server);
      }
    } else if (client.lagsOn(connection)) {
      waits.clear(); // the server may be silent until then
      return null; // it is called again when the change is settled
    }
    return connection;
  }

  @Override
  public @Nullable String failure() {
    return failure;
  }

  private void waitFor(Server server) {
    awaited = server;
    waits.begin(server, loop.now());
    server.await(this);
  }

  @Override
  public void serverChanged() {
    if (!asks && !ended && client.isTurnOf(whole)) {
      client.run(this::askInItsTurn);
    }
  }

  /**
   * Asks before the others that wait for the server. Those before it may have filled the connection
   * again: it does not plan thousands of keys to find that out.
   */
  private void askInItsTurn() {
    Server server = awaited;
    if (server != null
        && client.readyConnectionTo(server) == null
        && server.unavailable() == null) {
      waitFor(server);
    } else {
      ask();
    }
  }

  @Override
  public void serverTooLate(String reason) {
    tooLate = reason;
    turn();
  }

  @Override
  public long waitingSince() {
    return waits.since();
  }

  @Override
  public boolean bringsNextOf(ReplyReceiver receiver) {
    return ended || whole.isNeededNext();
  }

  @Override
  public void resumed() {
    turn();
  }

  @Override
  public void value(PendingReply subrequest, int key, int bytes) {}

  @Override
  public void errorLine(PendingReply subrequest, String failure) {}

  @Override
  public void subrequestCompleted(PendingReply subrequest, @Nullable String failure) {}

  @Override
  public long progress() {
    return at;
  }

  @Override
  public boolean awaits(PendingReply subrequest) {
    return true;
  }

  @Override
  public void cancel() {
    end();
  }
}
