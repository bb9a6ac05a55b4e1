package sluice.gateway.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.embedded.EmbeddedChannel;
import io.vertx.core.net.SocketAddress;
import java.util.ArrayDeque;
import sluice.codecs.buffer.KeyHash;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.Exchange.Requester;
import sluice.gateway.exchange.ExchangePool;
import sluice.gateway.exchange.Grammar;
import sluice.gateway.loop.Loop;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.server.connection.SocketTransport;
import sluice.gateway.server.health.ServerStatus;
import sluice.gateway.server.protocol.text.TextProtocol;
import sluice.gateway.server.shared.SharedServers;
import sluice.gateway.server.shared.Sharing;
import sluice.names.Command;

/**
 * One of several event loops that share a server's connections, all of them a test's own thread:
 * each does what it has to do when the test says so.
 */
final class SharingLoop {
  private static final LoopMetrics METRICS = new GatewayMetrics().newLoop();

  final ExchangePool exchanges = new ExchangePool();
  final Loop loop;
  final Server server;
  private final EmbeddedChannel tasks = new EmbeddedChannel(); // for its event loop alone

  /** A loop that sees a server like this; none can be connected to but by {@link #socket}. */
  SharingLoop(
      Sharing sharing,
      SharedServers servers,
      MemoryShare memory,
      ByteBufAllocator allocator,
      ServerStatus status,
      long timeoutNanos,
      long probeAfterNanos) {
    SocketAddress nowhere = SocketAddress.inetSocketAddress(1, "127.0.0.1");
    ServerSettings settings =
        new ServerSettings(
            nowhere,
            null,
            null,
            1,
            1,
            timeoutNanos,
            Long.MAX_VALUE,
            Long.MAX_VALUE,
            probeAfterNanos,
            0,
            0,
            0,
            0);
    loop = new Loop(tasks.eventLoop(), allocator, memory, METRICS);
    server =
        new Server(
            loop,
            null,
            exchanges,
            status,
            TextProtocol.INSTANCE,
            settings,
            METRICS,
            sharing,
            servers.join("server", status, 1));
    sharing.mailbox().open(loop);
    server.begin();
  }

  /** Does what this loop has to do. */
  void run() {
    tasks.runPendingTasks();
  }

  /** What time it is, for what is overdue. */
  void sweep() {
    loop.tick();
    server.sweep();
    run();
  }

  /** A connection of this loop to the server. */
  Socket socket(int slot) {
    Socket socket = new Socket(server.made(slot, new SocketTransport(server.context().reports())));
    socket.answer("VERSION 1.6.18\r\n");
    return socket;
  }

  /** What is between a connection and the server: the test is the server. */
  final class Socket extends EmbeddedChannel {
    final ServerConnection connection;
    boolean stuck;

    Socket(ServerConnection connection) {
      this.connection = connection;
      pipeline().addLast(connection);
      asked();
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer in) throws Exception {
      if (!stuck) {
        super.doWrite(in);
      }
    }

    /** It takes bytes again. */
    void takes() {
      stuck = false;
      flush();
      runPendingTasks();
    }

    /** What the server was asked since the last call. */
    String asked() {
      SharingLoop.this.run();
      runPendingTasks();
      StringBuilder asked = new StringBuilder();
      for (ByteBuf out = readOutbound(); out != null; out = readOutbound()) {
        asked.append(out.toString(ISO_8859_1));
        out.release();
      }
      return asked.toString();
    }

    /** The server says something. */
    void answer(String text) {
      writeInbound(Unpooled.copiedBuffer(text, ISO_8859_1));
      SharingLoop.this.run();
    }
  }

  /** A client of a loop, which may stop taking replies. */
  final class Client implements Requester {
    final ArrayDeque<Exchange> waiting = new ArrayDeque<>();
    final StringBuilder got = new StringBuilder();
    int abandoned;
    private boolean full;
    private Resumable held;

    /** Asks for a key; the turn goes on. */
    void get(ServerConnection connection, String key) {
      ask(connection, Command.GET, Grammar.VALUES, key, "get " + key + "\r\n");
    }

    /** As {@link #get}, in one line with others of this loop. */
    void join(ServerConnection connection, String key) {
      Exchange exchange = exchange(Command.GET, Grammar.VALUES, key);
      connection.ask(exchange, Unpooled.copiedBuffer(key, ISO_8859_1), 0, key.length());
    }

    void ask(
        ServerConnection connection, Command command, Grammar grammar, String key, String text) {
      connection.expect(exchange(command, grammar, key));
      say(connection, text);
    }

    private Exchange exchange(Command command, Grammar grammar, String key) {
      Exchange exchange = exchanges.take();
      exchange.start(this, command, grammar, Exchange.HIDE_NOTHING, loop.now());
      ByteBuf bytes = Unpooled.copiedBuffer(key, ISO_8859_1);
      exchange.sent().addKey(KeyHash.of(bytes, 0, key.length()));
      bytes.release();
      waiting.add(exchange);
      return exchange;
    }

    void say(ServerConnection connection, String text) {
      connection.write(loop.buffer(text.length()).writeBytes(text.getBytes(ISO_8859_1)));
    }

    /** Takes no replies from now on, or takes them again. */
    void full(boolean now) {
      full = now;
      if (!full && held != null) {
        Resumable resumed = held;
        held = null;
        resumed.resumed();
      }
    }

    @Override
    public boolean isTurnOf(Exchange exchange) {
      return waiting.peek() == exchange;
    }

    @Override
    public void reply(ByteBuf bytes) {
      got.append(bytes.toString(ISO_8859_1));
      bytes.release();
    }

    @Override
    public void reply(ByteBuf source, int from, int length) {
      got.append(source.toString(from, length, ISO_8859_1));
    }

    @Override
    public boolean completed(Exchange exchange) {
      if (waiting.poll() != exchange) {
        throw new AssertionError("out of order");
      }
      exchanges.give(exchange);
      return !waiting.isEmpty() && waiting.peek().isComplete();
    }

    @Override
    public void advance() {
      while (!waiting.isEmpty() && waiting.peek().isComplete()) {
        Exchange first = waiting.peek();
        first.writePieces();
        completed(first);
      }
    }

    @Override
    public void hold(long delta) {
      loop.buffered(delta);
    }

    @Override
    public boolean needsNext(Exchange exchange) {
      return isTurnOf(exchange);
    }

    @Override
    public boolean isCongested(boolean next) {
      return full;
    }

    @Override
    public boolean congests(Resumable by) {
      boolean first = held == null;
      if (first) {
        held = by;
      }
      return first;
    }

    @Override
    public boolean holdsUp(Resumable by) {
      return held == by;
    }

    @Override
    public ByteBuf failureReply(Exchange exchange, String reason) {
      return Unpooled.copiedBuffer("! " + reason + "\r\n", ISO_8859_1);
    }

    @Override
    public void abandon(String reason) {
      abandoned++;
      exchanges.give(waiting.poll());
    }
  }
}
