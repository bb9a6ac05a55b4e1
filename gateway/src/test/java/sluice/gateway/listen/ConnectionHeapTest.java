package sluice.gateway.listen;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.config.Loader;
import sluice.config.model.ClientAuth;
import sluice.config.model.ListenerConfig;
import sluice.config.model.ListenerTlsConfig;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.listener.ConnectionHeap;
import sluice.gateway.listener.Listener;
import sluice.gateway.loop.Loop;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.metrics.ConnectionOutcome;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.near.NearCaches;
import sluice.gateway.request.RequestPool;
import sluice.gateway.route.Route;
import sluice.gateway.server.EmbeddedDialer;
import sluice.gateway.tls.TlsBegins;
import sluice.testkit.LogLines;

/** A heap with room for ten idle clients without TLS; the listener's own limit is 10,000. */
class ConnectionHeapTest {
  private static final int ROOM = 10;
  private static final long HEAP =
      ConnectionHeap.OWN_BYTES + ROOM * ConnectionHeap.PLAIN_BYTES * 3L / 2;

  private static final ListenerConfig PLAIN =
      Loader.parse(
              "heap.yaml",
              """
              listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
              routes: {cache: [{pool: cache}]}
              pools: {cache: {protocol: embedded, size: 2MiB}}
              """)
          .configuration()
          .listeners()
          .get("cache");

  private static final ListenerConfig PROXIED =
      Loader.parse(
              "heap.yaml",
              """
              listeners: {cache: {bind: 127.0.0.1:0, route: cache, proxyProtocol: {from: [127.0.0.1]}}}
              routes: {cache: [{pool: cache}]}
              pools: {cache: {protocol: embedded, size: 2MiB}}
              """)
          .configuration()
          .listeners()
          .get("cache");

  private final LoopMetrics metrics = new GatewayMetrics().newLoop();
  private final MemoryShare memory = MemoryShare.of(1, 4 << 20)[0];
  private final EmbeddedChannel owner = new EmbeddedChannel();
  private final Loop loop =
      new Loop(owner.eventLoop(), new UnpooledByteBufAllocator(false), memory, metrics);
  private final ClientLoop clients = new ClientLoop(loop, new RequestPool(), List.of());
  private final AtomicInteger connections = new AtomicInteger();
  private final List<EmbeddedChannel> channels = new ArrayList<>();
  private ConnectionHeap heap = new ConnectionHeap(HEAP);

  private static ListenerConfig withTls() {
    return withTls(false);
  }

  private static ListenerConfig withTls(boolean plain) {
    ListenerTlsConfig tls = new ListenerTlsConfig(null, Optional.empty(), ClientAuth.NONE, plain);
    return new ListenerConfig(
        PLAIN.name(),
        PLAIN.bind(),
        PLAIN.protocol(),
        PLAIN.dialects(),
        PLAIN.route(),
        PLAIN.limits(),
        PLAIN.allow(),
        PLAIN.node(),
        PLAIN.peers(),
        PLAIN.strict(),
        Optional.of(tls),
        PLAIN.auth(),
        PLAIN.proxyProtocol());
  }

  private EmbeddedChannel connect(ListenerConfig config) {
    Listener listener = new Listener(loop, metrics.listener("cache"), connections, heap);
    listener.apply(config, new Route("cache", List.of()), new Pool[0], List.of(), new NearCaches());
    EmbeddedChannel channel = new EmbeddedChannel();
    channels.add(channel);
    channel.pipeline().addLast("sluice", new NewClient(clients, listener));
    channel.runPendingTasks();
    return channel;
  }

  private void leave(EmbeddedChannel channel) {
    channel.finishAndReleaseAll();
    channel.runPendingTasks();
    owner.runPendingTasks();
  }

  private void says(EmbeddedChannel channel, String text) {
    channel.pipeline().fireChannelRead(Unpooled.copiedBuffer(text, US_ASCII));
    owner.runPendingTasks();
  }

  @AfterEach
  void close() {
    channels.forEach(this::leave);
    clients.close();
    assertThat(heap.takenBytes()).isZero();
    assertThat(connections).hasValue(0);
    assertThat(memory.total()).isZero();
  }

  @Test
  void shouldRefuseClientsThatTheHeapHasNoRoomFor() {
    for (int i = 0; i < ROOM; i++) {
      assertThat(connect(PLAIN).isOpen()).isTrue();
    }
    try (LogLines log = LogLines.of("sluice.gateway.listener")) {
      for (int i = 1; i <= 2; i++) {
        EmbeddedChannel refused = connect(PLAIN);
        assertThat(refused.isOpen()).isFalse();
        ByteBuf told = refused.readOutbound();
        assertThat(told.toString(US_ASCII)).isEqualTo("ERROR Too many open connections\r\n");
        told.release();
        assertThat(metrics.listener("cache").connections(ConnectionOutcome.REFUSED)).isEqualTo(i);
      }
      assertThat(log.lines()).as("one line, not one a client").hasSize(1);
    }
    leave(channels.get(0));
    assertThat(connect(PLAIN).isOpen()).isTrue();
    assertThat(connect(PLAIN).isOpen()).isFalse();
  }

  /** A proxy's address may be that of a whole network, and anybody there may send nothing. */
  @Test
  void shouldRefuseConnectionsWithoutAProxyHeaderThatTheHeapHasNoRoomFor() {
    ClientAcceptor acceptor = new ClientAcceptor(PROXIED, null, loop, heap);
    for (int i = 0; i < ROOM; i++) {
      assertThat(accepted(acceptor).isOpen()).isTrue();
    }
    assertThat(accepted(acceptor).isOpen()).isFalse();
    assertThat(metrics.listener("cache").connections(ConnectionOutcome.REFUSED)).isOne();
    leave(channels.get(0));
    assertThat(accepted(acceptor).isOpen()).isTrue();
  }

  private EmbeddedChannel accepted(ClientAcceptor acceptor) {
    EmbeddedChannel channel =
        new EmbeddedChannel() {
          @Override
          protected SocketAddress remoteAddress0() {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
          }
        };
    channels.add(channel);
    channel.pipeline().addLast("handler", new ChannelInboundHandlerAdapter());
    acceptor.accept(EmbeddedDialer.socket(channel), socket -> {});
    return channel;
  }

  @Test
  void shouldTakeLessOfTheHeapAfterAHandshake() {
    heap = new ConnectionHeap(Long.MAX_VALUE);
    EmbeddedChannel client = connect(withTls());
    assertThat(heap.takenBytes()).isEqualTo(ConnectionHeap.HANDSHAKE_BYTES);
    client.pipeline().fireUserEventTriggered(SslHandshakeCompletionEvent.SUCCESS);
    assertThat(heap.takenBytes()).isEqualTo(ConnectionHeap.TLS_BYTES);
    says(client, "mn\r\n");
    assertThat(heap.takenBytes()).isEqualTo(ConnectionHeap.TLS_BYTES);
  }

  /** Where TLS is optional, a client's first byte decides. */
  @Test
  void shouldTakeTheHeapOfAHandshakeWhenItBegins() {
    heap = new ConnectionHeap(Long.MAX_VALUE);
    EmbeddedChannel client = connect(withTls(true));
    assertThat(heap.takenBytes()).isEqualTo(ConnectionHeap.PLAIN_BYTES);
    client.pipeline().fireUserEventTriggered(TlsBegins.HANDSHAKE);
    assertThat(heap.takenBytes()).isEqualTo(ConnectionHeap.HANDSHAKE_BYTES);
    EmbeddedChannel plain = connect(withTls(true));
    says(plain, "mn\r\n");
    assertThat(heap.takenBytes())
        .isEqualTo(ConnectionHeap.PLAIN_BYTES + ConnectionHeap.HANDSHAKE_BYTES);
  }

  @Test
  void shouldRefuseAHandshakeWithoutHeapWhereTlsIsOptional() {
    heap =
        new ConnectionHeap(ConnectionHeap.OWN_BYTES + ConnectionHeap.HANDSHAKE_BYTES * 3L / 2 - 3);
    EmbeddedChannel client = connect(withTls(true));
    assertThat(client.isOpen()).isTrue();
    client.pipeline().fireUserEventTriggered(TlsBegins.HANDSHAKE);
    assertThat(client.isOpen()).isFalse();
    assertThat(heap.takenBytes()).isZero();
  }

  @Test
  void shouldSayIfTheLimitsAllowMoreThanTheHeap() {
    long mebibyte = 1024 * 1024;
    assertThat(new ConnectionHeap(192 * mebibyte).shortage(List.of(PLAIN))).isEmpty();
    assertThat(new ConnectionHeap(48 * mebibyte).shortage(List.of(PLAIN)))
        .hasValue(
            "limits.connections allow 10000 clients at once, but a heap of 48 MiB has room for"
                + " about 3072: more are refused");
    assertThat(new ConnectionHeap(192 * mebibyte).shortage(List.of(PLAIN, withTls()))).isPresent();
    assertThat(new ConnectionHeap(1024 * mebibyte).shortage(List.of(PLAIN, withTls()))).isEmpty();
  }
}
