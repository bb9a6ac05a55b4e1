package sluice.gateway.server.sharing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.embedded.EmbeddedChannel;
import io.vertx.core.Promise;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import sluice.codecs.buffer.KeyHash;
import sluice.gateway.loop.Loop;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.loop.Outbound;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.request.OrderedRequester;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.RequestPool;
import sluice.gateway.request.Suppression;
import sluice.gateway.server.EmbeddedDialer;
import sluice.gateway.server.GrowingValue;
import sluice.gateway.server.Server;
import sluice.gateway.server.ServerSettings;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.server.connection.SocketTransport;
import sluice.gateway.server.health.ServerStatus;
import sluice.gateway.server.protocol.text.TextProtocol;
import sluice.gateway.server.shared.LoopMailboxes;
import sluice.gateway.server.shared.SharedServers;
import sluice.names.Command;

/**
 * One of several event loops that share a server's connections, all of them a test's own thread:
 * each does what it has to do when the test says so.
 */
final class SharingLoop {
  private static final LoopMetrics METRICS = new GatewayMetrics().newLoop();

  final RequestPool requestPool = new RequestPool();
  final Loop loop;
  final Server server;
  private final EmbeddedChannel tasks = new EmbeddedChannel(); // for its event loop alone

  /** A loop that sees a server like this, with a clock of its own, and the test's network. */
  SharingLoop(
      LoopMailboxes mailboxes,
      SharedServers servers,
      MemoryShare memory,
      ByteBufAllocator allocator,
      ServerStatus status,
      ServerSettings settings,
      LongSupplier clock,
      BiConsumer<SocketAddress, Promise<NetSocket>> attempts) {
    loop = new Loop(tasks.eventLoop(), allocator, memory, METRICS, clock);
    server =
        new Server(
            loop,
            EmbeddedDialer.of(loop, attempts),
            requestPool,
            status,
            TextProtocol.INSTANCE,
            settings,
            METRICS,
            mailboxes,
            servers.join("server", status, settings.perEventLoop()));
    mailboxes.mailbox().open(loop);
    server.begin();
  }

  /** Settings of a server with one connection, which is never closed for being idle. */
  static ServerSettings settings(long timeoutNanos, long queueTimeoutNanos, long probeAfterNanos) {
    return new ServerSettings(
        SocketAddress.inetSocketAddress(1, "127.0.0.1"),
        null,
        null,
        1,
        1,
        timeoutNanos,
        queueTimeoutNanos,
        Long.MAX_VALUE,
        probeAfterNanos,
        0,
        0,
        0,
        0);
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
      return Outbound.text(this);
    }

    /** The server says something. */
    void answer(String text) {
      writeInbound(Unpooled.copiedBuffer(text, ISO_8859_1));
      SharingLoop.this.run();
    }
  }

  /** A client of a loop, which may stop taking replies. */
  final class Client extends OrderedRequester {
    int abandoned;
    boolean breaks; // when it is told of a failure
    private boolean full;
    private Resumable pausing;

    Client() {
      super(requestPool);
    }

    /** Asks for a key; the turn goes on. */
    void get(ServerConnection connection, String key) {
      ask(connection, Command.GET, ReplyKind.VALUES, key, "get " + key + "\r\n");
    }

    /** As {@link #get}; the value grows when it has come. */
    void getGrown(ServerConnection connection, String key) {
      PendingReply pending = pending(Command.GET, ReplyKind.VALUES, key);
      GrowingValue.bridge(pending, requestPool, key);
      connection.expect(pending);
      say(connection, "get " + key + "\r\n");
    }

    /** As {@link #get}, in one line with others of this loop. */
    void join(ServerConnection connection, String key) {
      PendingReply pending = pending(Command.GET, ReplyKind.VALUES, key);
      connection.ask(pending, Unpooled.copiedBuffer(key, ISO_8859_1), 0, key.length());
    }

    void ask(
        ServerConnection connection, Command command, ReplyKind kind, String key, String text) {
      connection.expect(pending(command, kind, key));
      say(connection, text);
    }

    private PendingReply pending(Command command, ReplyKind kind, String key) {
      PendingReply pending = requestPool.take();
      pending.start(this, command, kind, Suppression.NOTHING, loop.now());
      ByteBuf bytes = Unpooled.copiedBuffer(key, ISO_8859_1);
      pending.sent().addKey(KeyHash.of(bytes, 0, key.length()));
      bytes.release();
      waiting.add(pending);
      return pending;
    }

    void say(ServerConnection connection, String text) {
      connection.write(loop.buffer(text.length()).writeBytes(text.getBytes(ISO_8859_1)));
    }

    /** Waits for none of its replies any more. */
    void leaves() {
      while (!waiting.isEmpty()) {
        requestPool.give(waiting.poll());
      }
    }

    /** Takes no replies from now on, or takes them again. */
    void full(boolean now) {
      full = now;
      if (!full && pausing != null) {
        Resumable resumed = pausing;
        pausing = null;
        resumed.resumed();
      }
    }

    @Override
    public boolean completed(PendingReply pending) {
      super.completed(pending);
      return !waiting.isEmpty() && waiting.peek().isComplete();
    }

    @Override
    public void advance() {
      while (!waiting.isEmpty() && waiting.peek().isComplete()) {
        PendingReply first = waiting.peek();
        first.writeSlices();
        completed(first);
      }
    }

    @Override
    public void hold(long delta) {
      loop.buffered(delta);
    }

    @Override
    public boolean needsNext(PendingReply pending) {
      return isTurnOf(pending);
    }

    @Override
    public boolean isFull(boolean next) {
      return full;
    }

    @Override
    public boolean pauses(Resumable by) {
      boolean first = pausing == null;
      if (first) {
        pausing = by;
      }
      return first;
    }

    @Override
    public boolean holdsUp(Resumable by) {
      return pausing == by;
    }

    @Override
    public ByteBuf failureReply(PendingReply pending, String reason) {
      if (breaks) {
        throw new IllegalStateException("of the test");
      }
      return Unpooled.copiedBuffer("! " + reason + "\r\n", ISO_8859_1);
    }

    @Override
    public void abandon(String reason) {
      abandoned++;
      requestPool.give(waiting.poll());
    }
  }
}
