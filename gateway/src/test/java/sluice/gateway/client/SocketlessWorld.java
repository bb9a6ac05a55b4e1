package sluice.gateway.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import sluice.config.Loader;
import sluice.config.model.Configuration;
import sluice.config.model.PoolConfig;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.listen.ClientLoop;
import sluice.gateway.listen.NewClient;
import sluice.gateway.listener.Listener;
import sluice.gateway.loop.Loop;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.loop.Outbound;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.near.NearCaches;
import sluice.gateway.request.RequestPool;
import sluice.gateway.route.Route;
import sluice.gateway.routing.Graph;
import sluice.gateway.server.protocol.binary.BinaryProtocol;
import sluice.gateway.server.protocol.text.TextProtocol;

/**
 * Two clients of one event loop and two servers, {@code a} and {@code b}, each the only one of the
 * pool with its name. All without sockets.
 */
final class SocketlessWorld {
  final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
  final MemoryShare memory = MemoryShare.of(1, 64 << 20)[0];
  final LoopMetrics metrics = new GatewayMetrics().newLoop();
  final EmbeddedChannel owner = new EmbeddedChannel();
  final Loop loop = new Loop(owner.eventLoop(), allocator, memory, metrics);
  final RequestPool requestPool = new RequestPool();
  final SocketlessServer a = server("a");
  final SocketlessServer b = server("b");
  final ClientLoop clients = new ClientLoop(loop, requestPool, List.of(a.server(), b.server()));
  final EmbeddedChannel first = new EmbeddedChannel();
  final EmbeddedChannel second = new EmbeddedChannel();

  /**
   * Clients of a configuration.
   *
   * @param ofFirst name of the listener of the first
   * @param ofSecond the same of the second
   */
  SocketlessWorld(String yaml, String ofFirst, String ofSecond) {
    Configuration configuration = Loader.parse("test.yaml", yaml).configuration();
    Pool[] pools = {
      pool(configuration.pools().get("a"), a), pool(configuration.pools().get("b"), b)
    };
    a.open();
    b.open();
    first.pipeline().addLast("sluice", newClient(configuration, ofFirst, pools));
    second.pipeline().addLast("sluice", newClient(configuration, ofSecond, pools));
    settle();
  }

  private NewClient newClient(Configuration configuration, String name, Pool[] pools) {
    Listener listener = new Listener(loop, metrics.listener(name), new AtomicInteger());
    String routeName = configuration.listeners().get(name).route();
    Route route = new Graph(configuration).route(configuration.routes().get(routeName));
    listener.apply(
        configuration.listeners().get(name),
        route,
        pools,
        Collections.nCopies(route.rules().size(), null),
        new NearCaches());
    return new NewClient(clients, listener);
  }

  private SocketlessServer server(String name) {
    return new SocketlessServer(name, loop, requestPool, metrics, TextProtocol.INSTANCE);
  }

  private Pool pool(PoolConfig config, SocketlessServer server) {
    SocketlessServer unused =
        new SocketlessServer(config.name(), loop, requestPool, metrics, BinaryProtocol.INSTANCE);
    return Pool.servers(
        config.name(),
        Graph.ring(config),
        List.of(server.server()),
        List.of(unused.server()),
        false,
        config.dialect(),
        null,
        null);
  }

  void says(EmbeddedChannel client, String text) {
    client.pipeline().fireChannelRead(Unpooled.copiedBuffer(text, ISO_8859_1));
  }

  /** Lets everybody go on until nothing is left to be done. */
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
  }
}
