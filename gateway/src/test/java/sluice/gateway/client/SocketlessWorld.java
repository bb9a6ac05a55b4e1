package sluice.gateway.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import sluice.config.Loader;
import sluice.config.model.Configuration;
import sluice.config.model.Credentials;
import sluice.config.model.ListenerConfig;
import sluice.config.model.PoolConfig;
import sluice.config.model.PoolProtocol;
import sluice.embedded.EmbeddedSession;
import sluice.embedded.EmbeddedStore;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.listen.ClientLoop;
import sluice.gateway.listen.Listeners;
import sluice.gateway.listen.NewClient;
import sluice.gateway.listener.Listener;
import sluice.gateway.loop.Loop;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.loop.Outbound;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.request.RequestPool;
import sluice.gateway.routing.Graph;
import sluice.gateway.server.Server;
import sluice.gateway.server.protocol.binary.BinaryProtocol;
import sluice.gateway.server.protocol.text.TextProtocol;

/**
 * Two clients of one event loop and two servers, {@code a} and {@code b}, each the only one of the
 * pool with its name; pools of an embedded store are one store. All without sockets.
 */
final class SocketlessWorld {
  final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
  final MemoryShare memory = MemoryShare.of(1, 64 << 20)[0];
  final LoopMetrics metrics = new GatewayMetrics().newLoop();
  final EmbeddedChannel owner = new EmbeddedChannel();
  final Loop loop = new Loop(owner.eventLoop(), allocator, memory, metrics);
  final RequestPool requestPool = new RequestPool();
  final ClientLoop clients;
  final SocketlessServer a;
  final SocketlessServer b;
  final EmbeddedChannel first = new EmbeddedChannel();
  final EmbeddedChannel second = new EmbeddedChannel();
  private final EmbeddedStore store =
      new EmbeddedStore(1 << 20, 64 << 10, Clock.systemUTC(), allocator);

  /**
   * Clients of a configuration, whose servers speak the text protocol.
   *
   * @param ofFirst name of the listener of the first
   * @param ofSecond the same of the second
   */
  SocketlessWorld(String yaml, String ofFirst, String ofSecond) {
    this(Loader.parse("test.yaml", yaml).configuration(), ofFirst, ofSecond, false);
  }

  /**
   * Clients of a configuration.
   *
   * @param ofFirst name of the listener of the first
   * @param ofSecond the same of the second
   * @param binary whether the servers speak the binary protocol
   * @param users of whom a client must log in as one; empty if it need not
   */
  SocketlessWorld(
      Configuration configuration,
      String ofFirst,
      String ofSecond,
      boolean binary,
      Credentials... users) {
    a = server("a", binary);
    b = server("b", binary);
    clients = new ClientLoop(loop, requestPool, List.of(a.server(), b.server()));
    Pool[] pools =
        configuration.pools().values().stream()
            .map(config -> pool(config, binary))
            .toArray(Pool[]::new);
    a.open();
    b.open();
    Listener one = listener(configuration, ofFirst, pools, users);
    Listener other =
        ofSecond.equals(ofFirst) ? one : listener(configuration, ofSecond, pools, users);
    first.pipeline().addLast("sluice", new NewClient(clients, one));
    second.pipeline().addLast("sluice", new NewClient(clients, other));
    settle();
  }

  private Listener listener(
      Configuration configuration, String name, Pool[] pools, Credentials... users) {
    Listener listener = new Listener(loop, metrics.listener(name), new AtomicInteger());
    ListenerConfig config = Listeners.withUsers(configuration.listeners().get(name), users);
    Listeners.apply(listener, configuration, config, pools);
    return listener;
  }

  private SocketlessServer server(String name, boolean binary) {
    return new SocketlessServer(
        name, loop, requestPool, metrics, binary ? BinaryProtocol.INSTANCE : TextProtocol.INSTANCE);
  }

  private Pool pool(PoolConfig config, boolean binary) {
    if (config.protocol() == PoolProtocol.EMBEDDED) {
      return Pool.embedded(config.name(), new EmbeddedSession(store));
    }
    Server used = (config.name().equals("a") ? a : b).server();
    Server unused = server(config.name(), !binary).server();
    return Pool.servers(
        config.name(),
        Graph.ring(config),
        List.of(binary ? unused : used),
        List.of(binary ? used : unused),
        false,
        config.dialect(),
        null,
        null);
  }

  void says(EmbeddedChannel client, String text) {
    client.pipeline().fireChannelRead(Unpooled.copiedBuffer(text, ISO_8859_1));
  }

  /** Lets all of them go on until nothing is left to be done. */
  void settle() {
    boolean more = true;
    while (more) {
      owner.runPendingTasks();
      first.runPendingTasks();
      second.runPendingTasks();
      owner.runPendingTasks(); // flushes what they have sent
      boolean one = a.answerAll();
      boolean other = b.answerAll();
      more = one || other;
    }
    first.checkException();
    second.checkException();
  }

  String heard(EmbeddedChannel client) {
    return Outbound.text(client);
  }

  void close() {
    first.finishAndReleaseAll();
    second.finishAndReleaseAll();
    a.close();
    b.close();
    clients.close();
    owner.finishAndReleaseAll();
    store.close();
  }

  /** Once it is closed, no byte may be counted as buffered, and no buffer be left. */
  void assertHoldsNothing() {
    assertThat(memory.total()).as("bytes counted as buffered").isZero();
    assertThat(allocator.metric().usedDirectMemory()).as("direct bytes leaked").isZero();
    assertThat(allocator.metric().usedHeapMemory()).as("heap bytes leaked").isZero();
  }
}
