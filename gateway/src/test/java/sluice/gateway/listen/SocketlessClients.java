package sluice.gateway.listen;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongSupplier;
import sluice.config.Loader;
import sluice.gateway.client.Connected;
import sluice.gateway.client.ConnectedClient;
import sluice.gateway.client.DialectReader;
import sluice.gateway.client.text.TextReader;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.listener.Listener;
import sluice.gateway.listener.ListenerView;
import sluice.gateway.loop.Loop;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.loop.Outbound;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.near.NearCaches;
import sluice.gateway.request.RequestPool;
import sluice.gateway.route.Route;
import sluice.gateway.time.Clocks;

/**
 * Text clients of one event loop that have no sockets, of the listener {@code cache}, which answers
 * {@code mn} and sends nothing on.
 */
final class SocketlessClients implements AutoCloseable {
  /** The bytes that may be buffered. */
  static final int MEMORY = 4 << 20;

  private static final String YAML =
      """
      listeners: {cache: {bind: 127.0.0.1:0, route: cache, limits: {%s}}}
      routes: {cache: [{pool: cache}]}
      pools: {cache: {protocol: embedded, size: 2MiB}}
      """;

  private final List<EmbeddedChannel> channels = new ArrayList<>();
  private final LoopMetrics metrics = new GatewayMetrics().newLoop();
  private final MemoryShare memory = MemoryShare.of(1, MEMORY)[0];
  private final EmbeddedChannel owner = new EmbeddedChannel();
  private final Loop loop;
  private final ClientLoop clients;
  private final ListenerView listenerView;

  /** Clients whose requests may stand still for no time. */
  SocketlessClients() {
    this("", Clocks::nanos, 0);
  }

  /**
   * Clients on a loop with a clock of its own.
   *
   * @param limits of the listener, as the file has them
   * @param clock the time in nanoseconds
   * @param leastStandstillNanos the minimum for how long a request may make no progress
   */
  SocketlessClients(String limits, LongSupplier clock, long leastStandstillNanos) {
    loop = new Loop(owner.eventLoop(), new UnpooledByteBufAllocator(false), memory, metrics, clock);
    clients = new ClientLoop(loop, new RequestPool(), List.of(), leastStandstillNanos);
    listenerView = listenerView(YAML.formatted(limits));
  }

  private ListenerView listenerView(String yaml) {
    Listener listener = new Listener(loop, metrics.listener("cache"), new AtomicInteger());
    listener.apply(
        Loader.parse("test.yaml", yaml).configuration().listeners().get("cache"),
        new Route("cache", List.of()),
        new Pool[0],
        List.of(),
        new NearCaches());
    return new ListenerView(listener);
  }

  LoopMetrics metrics() {
    return metrics;
  }

  Loop loop() {
    return loop;
  }

  /** A client that has connected. */
  Connected connect(EmbeddedChannel channel) {
    return connect(
        channel,
        client ->
            new TextReader(
                client, clients.loopState(), clients.text(), listenerView, clients.textRequests()));
  }

  /** A client that has connected, whose requests dialect's reader finds. */
  Connected connect(EmbeddedChannel channel, Function<ConnectedClient, DialectReader> dialect) {
    channels.add(channel);
    return Connected.by(channel, clients.loopState(), listenerView, dialect);
  }

  /** Request arrives; nothing else is done in this turn. */
  static void arrives(EmbeddedChannel channel, String request) {
    channel.pipeline().fireChannelRead(Unpooled.copiedBuffer(request, US_ASCII));
  }

  /** Whether every client is gone, and nothing is left to be done for one. */
  boolean isEmpty() {
    return clients.loopState().isEmpty();
  }

  /** Looks for what is overdue, as a loop does every few milliseconds. */
  void sweep() {
    clients.sweep();
  }

  /** Runs everything that is due. */
  void runTasks(EmbeddedChannel channel) {
    owner.runPendingTasks();
    channel.runPendingTasks();
  }

  /** Runs everything that is due, and returns what the client was told. */
  String told(EmbeddedChannel channel) {
    runTasks(channel);
    return Outbound.text(channel);
  }

  /** Closes all clients; nothing may be left of them. */
  @Override
  public void close() {
    for (EmbeddedChannel channel : channels) {
      channel.finishAndReleaseAll();
      channel.runPendingTasks();
    }
    owner.runPendingTasks();
    clients.close();
    assertThat(memory.total()).isZero();
  }
}
