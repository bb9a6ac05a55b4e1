package sluice.gateway.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.vertx.core.net.SocketAddress;
import sluice.config.model.Credentials;
import sluice.gateway.loop.Loop;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.loop.Outbound;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.request.RequestPool;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.server.connection.SocketTransport;
import sluice.gateway.server.health.ServerStatus;
import sluice.gateway.server.protocol.ServerContext;
import sluice.gateway.server.protocol.ServerLogin;
import sluice.gateway.server.protocol.ServerProtocol;
import sluice.gateway.server.protocol.binary.BinaryProtocol;
import sluice.gateway.server.protocol.text.TextProtocol;
import sluice.gateway.tls.TlsException;

/** A server whose new connection is probed, without a socket. */
final class ProbedServer implements AutoCloseable {
  private static final LoopMetrics METRICS = new GatewayMetrics().newLoop();

  /** The ceiling of what its loop has buffered, in bytes. */
  static final int MEMORY = 64 << 20;

  private static final long SECOND = 1_000_000_000L;

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
  private final MemoryShare memory = MemoryShare.of(1, MEMORY)[0];
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final ServerStatus status = new ServerStatus("p", "s");
  private final Server server;
  private final ServerConnection connection;

  /** One of a pool that logs in as these; null if it does not. */
  ProbedServer(ServerStatus.Side side, Credentials credentials) {
    ServerLogin login = credentials == null ? null : new ServerLogin(credentials);
    SocketAddress nowhere = SocketAddress.inetSocketAddress(1, "127.0.0.1");
    ServerSettings settings =
        new ServerSettings(nowhere, null, login, 1, 1, SECOND, SECOND, SECOND, SECOND, 0, 0, 0, 0);
    Loop loop = new Loop(channel.eventLoop(), allocator, memory, METRICS);
    ServerProtocol protocol =
        side == ServerStatus.Side.TEXT ? TextProtocol.INSTANCE : BinaryProtocol.INSTANCE;
    server = new Server(loop, null, new RequestPool(), status, protocol, settings, METRICS);
    connection = server.made(0, new SocketTransport(server.context().reports()));
    channel.pipeline().addLast(connection);
  }

  /** What it was asked since the last call, a char a byte. */
  String asked() {
    channel.runPendingTasks();
    channel.checkException();
    return Outbound.text(channel);
  }

  /** It answers, each part in a read of its own. */
  void answer(String... parts) {
    for (String part : parts) {
      if (channel.isOpen() && !part.isEmpty()) {
        channel.writeInbound(Unpooled.copiedBuffer(part, ISO_8859_1));
        channel.runPendingTasks();
      }
    }
  }

  /** It says this, and nothing else is done. */
  void reads(String text) {
    channel.pipeline().fireChannelRead(Unpooled.copiedBuffer(text, ISO_8859_1));
  }

  /** It says all of this before the loop iteration ends, each part in a read of its own. */
  void readsOfOneIteration(String... parts) {
    for (String part : parts) {
      if (channel.isOpen()) {
        channel.pipeline().fireChannelRead(Unpooled.copiedBuffer(part, ISO_8859_1));
      }
    }
    channel.runPendingTasks();
  }

  /** It says all of this in one read, each part in a TLS record of its own. */
  void readsOfRecords(String... parts) {
    Object[] records = new Object[parts.length];
    for (int i = 0; i < parts.length; i++) {
      records[i] = Unpooled.copiedBuffer(parts[i], ISO_8859_1);
    }
    channel.writeInbound(records);
    channel.runPendingTasks();
  }

  /** It closes the connection. */
  void ends() {
    channel.close();
    channel.runPendingTasks();
  }

  /** A TLS record of it cannot be read. */
  void breaksTls() {
    channel.pipeline().fireExceptionCaught(new TlsException("a record is malformed"));
    channel.runPendingTasks();
  }

  /** {@code usable}, {@code waits}, or why it is not usable. */
  String state() {
    if (connection.isUsable()) {
      return "usable";
    }
    return channel.isOpen() ? "waits" : status.why();
  }

  /** The connection. */
  ServerConnection connection() {
    return connection;
  }

  /** The server. */
  Server server() {
    return server;
  }

  /** Runs what is due on its loop. */
  void runTasks() {
    channel.runPendingTasks();
    channel.checkException();
  }

  /** The server's context. */
  ServerContext context() {
    return server.context();
  }

  /** What clients are told of a server that is not usable. */
  String told() {
    return server.unavailable();
  }

  @Override
  public void close() {
    channel.finishAndReleaseAll();
    assertThat(memory.total()).as("bytes counted as buffered").isZero();
    assertThat(allocator.metric().usedDirectMemory()).as("direct bytes leaked").isZero();
  }
}
