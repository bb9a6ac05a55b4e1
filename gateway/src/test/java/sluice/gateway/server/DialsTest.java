package sluice.gateway.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.vertx.core.Promise;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.config.model.PoolTlsConfig;
import sluice.gateway.loop.Loop;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.request.RequestPool;
import sluice.gateway.server.health.ServerStatus;
import sluice.gateway.server.protocol.text.TextProtocol;
import sluice.gateway.tls.TlsConnector;

/** Attempts to connect to a server, without sockets. */
class DialsTest {
  private static final long LONG = TimeUnit.HOURS.toNanos(1);
  private static final SocketAddress ADDRESS = SocketAddress.inetSocketAddress(1, "10.0.0.1");

  private final EmbeddedChannel tasks = new EmbeddedChannel(); // for its event loop alone
  private final LoopMetrics metrics = new GatewayMetrics().newLoop();
  private final Loop loop =
      new Loop(
          tasks.eventLoop(),
          UnpooledByteBufAllocator.DEFAULT,
          MemoryShare.of(1, 64 << 20)[0],
          metrics);
  private final Deque<Promise<NetSocket>> attempts = new ArrayDeque<>();
  private final List<EmbeddedChannel> channels = new ArrayList<>();
  private final Server server = server(null);

  private Server server(TlsConnector tls) {
    return new Server(
        loop,
        EmbeddedDialer.of(loop, (address, attempt) -> attempts.add(attempt)),
        new RequestPool(),
        new ServerStatus("p", "s"),
        TextProtocol.INSTANCE,
        // a lost connection is made again with the next sweep
        new ServerSettings(ADDRESS, tls, null, 1, 1, LONG, LONG, LONG, 0, 0, 0, 0, 0),
        metrics);
  }

  @AfterEach
  void close() {
    server.close();
    channels.forEach(EmbeddedChannel::finishAndReleaseAll);
  }

  private EmbeddedChannel channel() {
    EmbeddedChannel channel = new EmbeddedChannel();
    channel.pipeline().addLast("handler", new ChannelInboundHandlerAdapter());
    channels.add(channel);
    return channel;
  }

  private void connected(NetSocket socket) {
    attempts.remove().complete(socket);
    tasks.runPendingTasks();
  }

  /** Its handlers heard of the end before the gateway's was among them. */
  @Test
  void shouldTryAgainWhenTheConnectionHasClosedBeforeItIsUsed() {
    server.warmUp();
    tasks.runPendingTasks();
    EmbeddedChannel channel = channel();
    NetSocket socket = EmbeddedDialer.socket(channel);
    channel.close();

    connected(socket);

    assertThat(server.unavailable()).isEqualTo("server s is unreachable: connection closed");
    loop.tick();
    server.sweep();
    tasks.runPendingTasks();
    EmbeddedChannel open = channel();
    connected(EmbeddedDialer.socket(open));
    ByteBuf probe = open.readOutbound();
    assertThat(probe.toString(ISO_8859_1)).isEqualTo("version\r\n");
    probe.release();
  }

  /** TLS would never hear of the end, nor begin. */
  @Test
  void shouldNotBeginTlsOnAConnectionThatHasClosed() {
    PoolTlsConfig tls =
        new PoolTlsConfig(Optional.empty(), Optional.empty(), Optional.of("server.test"));
    Server secure = server(new TlsConnector(tls));
    secure.warmUp();
    tasks.runPendingTasks();
    EmbeddedChannel channel = channel();
    NetSocket socket = EmbeddedDialer.socket(channel);
    channel.close();

    connected(socket);

    assertThat(secure.unavailable()).isEqualTo("server s is unreachable: connection closed");
    assertThat(channel.pipeline().names()).doesNotContain("tls");
    secure.close();
  }

  /** As while its name is looked up, and no name server answers. */
  @Test
  void shouldFailAnAttemptThatDoesNotEndAndCloseTheSocketThatComesLate() {
    tasks.freezeTime();
    server.warmUp();
    tasks.runPendingTasks();
    tasks.advanceTimeBy(LONG, TimeUnit.NANOSECONDS);
    tasks.runPendingTasks();
    assertThat(server.unavailable()).as("Netty's own timeout may still come").isNull();

    tasks.advanceTimeBy(1, TimeUnit.SECONDS);
    tasks.runPendingTasks();

    assertThat(server.unavailable()).isEqualTo("server s is unreachable: connection timed out");
    EmbeddedChannel late = channel();
    connected(EmbeddedDialer.socket(late));
    assertThat(late.isOpen()).isFalse();
    assertThat(server.unavailable()).isEqualTo("server s is unreachable: connection timed out");
  }

  @Test
  void shouldNotCloseAConnectionForTheTimeInWhichItWasMade() {
    tasks.freezeTime();
    server.warmUp();
    tasks.runPendingTasks();
    EmbeddedChannel channel = channel();
    connected(EmbeddedDialer.socket(channel));

    tasks.advanceTimeBy(2, TimeUnit.HOURS);
    tasks.runPendingTasks();

    assertThat(channel.isOpen()).isTrue();
    assertThat(server.unavailable()).isNull();
    ByteBuf probe = channel.readOutbound();
    assertThat(probe.toString(ISO_8859_1)).isEqualTo("version\r\n");
    probe.release();
  }
}
