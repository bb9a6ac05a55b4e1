package sluice.gateway.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.vertx.core.net.SocketAddress;
import java.util.function.UnaryOperator;
import sluice.gateway.loop.Loop;
import sluice.gateway.loop.Outbound;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.request.RequestPool;
import sluice.gateway.server.Server;
import sluice.gateway.server.ServerSettings;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.server.connection.SocketTransport;
import sluice.gateway.server.health.ServerStatus;
import sluice.gateway.server.protocol.ServerProtocol;
import sluice.gateway.server.protocol.binary.BinaryProtocol;

/**
 * A memcached server with one connection, without a socket. The value of each key is the key. A
 * request that is none, or that stores another value, fails the test.
 */
final class SocketlessServer {
  private static final long SECOND = 1_000_000_000L;

  private final Server server;
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final StringBuilder asked = new StringBuilder();
  private final StringBuilder everAsked = new StringBuilder();
  private final UnaryOperator<String> answers;
  private Runnable interruption;

  /** A server of the text or the binary protocol. */
  SocketlessServer(
      String name,
      Loop loop,
      RequestPool requestPool,
      LoopMetrics metrics,
      ServerProtocol protocol) {
    answers = protocol == BinaryProtocol.INSTANCE ? BinaryAnswers::to : MemcachedAnswers::to;
    SocketAddress nowhere = SocketAddress.inetSocketAddress(1, "127.0.0.1");
    ServerSettings settings =
        new ServerSettings(
            nowhere, null, null, 1, 1, SECOND, SECOND, SECOND, 100 * SECOND, 0, 0, 0, 0);
    ServerStatus status = new ServerStatus(name, name);
    server = new Server(loop, null, requestPool, status, protocol, settings, metrics);
  }

  Server server() {
    return server;
  }

  /** Everything that it has answered. */
  String asked() {
    return everAsked.toString();
  }

  /** Opens its connection, which asks for its version. */
  void open() {
    server.begin();
    ServerConnection connection = server.made(0, new SocketTransport(server.context().reports()));
    channel.pipeline().addLast(new Interruption(), connection);
  }

  /** Sets whether its socket is ready for bytes; requests wait while it is not. */
  void accepts(boolean now) {
    channel.unsafe().outboundBuffer().setUserDefinedWritability(1, now);
    channel.runPendingTasks();
  }

  /** Runs something in the middle of the next write to its socket, behind what is written. */
  void interrupt(Runnable by) {
    interruption = by;
  }

  /** Whether the interruption is still to come. */
  boolean isUninterrupted() {
    return interruption != null;
  }

  private final class Interruption extends ChannelOutboundHandlerAdapter {
    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
      ctx.write(message, promise);
      Runnable by = interruption;
      interruption = null;
      if (by != null) {
        by.run();
      }
    }
  }

  /** Answers everything that it was asked. Returns whether that was anything. */
  boolean answerAll() {
    drain();
    if (asked.isEmpty()) {
      return false;
    }
    String all = asked.toString();
    asked.setLength(0);
    everAsked.append(all);
    answer(answers.apply(all));
    return true;
  }

  private void drain() {
    channel.runPendingTasks();
    asked.append(Outbound.text(channel));
  }

  private void answer(String text) {
    channel.writeInbound(Unpooled.copiedBuffer(text, ISO_8859_1));
    channel.runPendingTasks();
    channel.checkException();
  }

  void close() {
    channel.finishAndReleaseAll();
    server.close();
  }
}
