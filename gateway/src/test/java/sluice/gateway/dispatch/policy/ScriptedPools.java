package sluice.gateway.dispatch.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import sluice.config.LoadResult;
import sluice.config.Loader;
import sluice.config.model.Configuration;
import sluice.config.model.ListenerConfig;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.listen.ClientLoop;
import sluice.gateway.listen.NewClient;
import sluice.gateway.listener.Listener;
import sluice.gateway.loop.Loop;
import sluice.gateway.loop.ManualTime;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.process.PoolsUnderTest;
import sluice.gateway.request.RequestPool;
import sluice.gateway.route.Rule;
import sluice.gateway.routing.RoutingGraph;
import sluice.gateway.server.health.ServerStatus;

/**
 * One event loop with clients, one rule and its pools, without sockets and without time of its own:
 * the test speaks for clients and servers, and says when time passes. All between them is what runs
 * in a gateway.
 *
 * <p>When it is closed, no byte may be counted as buffered, and no buffer be left.
 */
public final class ScriptedPools implements AutoCloseable {
  private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final int MOST_ROUNDS = 10_000;

  private final GatewayMetrics gateway = new GatewayMetrics();
  private final LoopMetrics metrics = gateway.newLoop();
  private final MemoryShare memory = MemoryShare.of(1, 64 << 20)[0];
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
  private final EmbeddedChannel owner = new EmbeddedChannel();
  private final SocketlessNetwork network = new SocketlessNetwork();
  private final List<SocketlessClient> connected = new ArrayList<>();
  private final ManualTime time;
  private final Loop loop;
  private final RequestPool requestPool = new RequestPool(memory);
  private final ClientLoop clients;
  private final Listener listener;
  private final PoolsUnderTest made;
  private RoutingGraph graph;
  private Pool[] targets;

  /**
   * A rule and its pools, each with one server whose host is the pool's name.
   *
   * @param rule as in the configuration
   * @param pools their names; with keys behind a colon, which replace the usual ones
   */
  public ScriptedPools(String rule, String... pools) {
    Configuration configuration = configuration(rule, pools);
    graph = RoutingGraph.of(configuration, () -> null);
    graph.begin();
    time = new ManualTime(owner); // begins when all else is there
    loop = time.loop(allocator, memory, metrics);
    made = new PoolsUnderTest(loop, network.dialer(loop), requestPool);
    targets = made.add(graph);
    clients = new ClientLoop(loop, requestPool, made.servers());
    listener = new Listener(loop, metrics.listener("cache"), graph.connections("cache"));
    apply(configuration);
    run();
  }

  private static Configuration configuration(String rule, String... pools) {
    LoadResult loaded = Loader.parse("test.yaml", yaml(rule, pools));
    assertThat(loaded.problems()).isEmpty();
    return loaded.configuration();
  }

  private void apply(Configuration configuration) {
    ListenerConfig config = configuration.listeners().get("cache");
    listener.apply(
        config, graph.route("cache"), targets, graph.nearCaches("cache"), graph.nearCaches());
  }

  /**
   * Another rule and its pools take effect for requests that begin from now on. The connections of
   * the former pools stay.
   */
  public void reload(String rule, String... pools) {
    Configuration configuration = configuration(rule, pools);
    graph = graph.next(configuration);
    graph.begin();
    targets = made.add(graph);
    apply(configuration);
    run();
  }

  /** The former pools are removed, as at the end of a reload. */
  public void removeFormerPools() {
    made.retain();
    run();
  }

  /** Another rule and its pools are prepared, and refused: as when an address is taken. */
  public void refuse(String rule, String... pools) {
    RoutingGraph refused = graph.next(configuration(rule, pools));
    made.prepare(refused);
    run();
    targets = made.abandon(graph);
    refused.abandon(graph);
    apply(graph.configuration());
    run();
  }

  /** The status of a server. */
  public ServerStatus status(String pool, String server) {
    return graph.status(pool, server);
  }

  /** A client of a listener that a reload has opened, before the reload takes effect. */
  public SocketlessClient clientOfNewListener(String rule, String... pools) {
    Configuration configuration = configuration(rule, pools);
    graph = graph.next(configuration);
    targets = made.prepare(graph);
    Listener opened = new Listener(loop, metrics.listener("cache"), graph.connections("cache"));
    opened.apply(
        configuration.listeners().get("cache"),
        graph.route("cache"),
        targets,
        graph.nearCaches("cache"),
        graph.nearCaches(),
        null);
    return client(opened);
  }

  private static String yaml(String rule, String... pools) {
    StringBuilder yaml = new StringBuilder();
    yaml.append("listeners: {cache: {bind: 127.0.0.1:0, route: cache}}\n");
    yaml.append("routes: {cache: [").append(rule).append("]}\npools:\n");
    for (String pool : pools) {
      String name = pool.replaceFirst(":.*", "");
      String keys = pool.substring(name.length()).replaceFirst("^: *", "");
      yaml.append("  ").append(name).append(": {timeout: 500ms");
      if (!keys.contains("servers:")) {
        yaml.append(", servers: [\"").append(name).append(":1\"]");
      }
      yaml.append(keys.isEmpty() ? "" : ", ").append(keys).append("}\n");
    }
    return yaml.toString();
  }

  /** The rule. */
  Rule rule() {
    return graph.route("cache").rules().get(0);
  }

  /** The rule's chain of backends, another than the one that clients use. */
  Backend chain() {
    return new Backends(rule(), targets, loop, 1 << 20).chain(graph.nearCaches("cache").get(0));
  }

  /** A client that has connected. */
  public SocketlessClient client() {
    return client(listener);
  }

  /** A client that has connected, and sees the end of what it is told before the connection's. */
  public SocketlessClient halfClosableClient() {
    return add(
        new SocketlessClient(
            new HalfClosableChannel(), new NewClient(clients, listener), this::run));
  }

  private SocketlessClient client(Listener listener) {
    return add(new SocketlessClient(new NewClient(clients, listener), this::run));
  }

  private SocketlessClient add(SocketlessClient client) {
    connected.add(client);
    return client;
  }

  /** The server of a host, which is the name of its pool if that has one server. */
  public SocketlessServer server(String host) {
    return network.server(host);
  }

  /** The server of a host, which reports this version on all its connections from now on. */
  public SocketlessServer server(String host, String version) {
    SocketlessServer server = server(host);
    server.hasVersion(version);
    server.closesConnections(); // those that are there were told another version
    pass(2_000);
    return server;
  }

  /** What the event loop counts. */
  public LoopMetrics metrics() {
    return metrics;
  }

  /** The value of a metric of the gateway, as a scrape shows it, with any labels. */
  public double metric(String name) {
    Matcher value =
        Pattern.compile("^" + name + "(?:\\{.*\\})? (\\S+)$", Pattern.MULTILINE)
            .matcher(gateway.scrape());
    assertThat(value.find()).as(name).isTrue();
    return Double.parseDouble(value.group(1));
  }

  /** Does everything that is due. */
  public void run() {
    for (int i = 0; i < MOST_ROUNDS; i++) {
      boolean ran = owner.hasPendingTasks();
      owner.runPendingTasks();
      ran |= network.runTasks();
      for (SocketlessClient client : connected) {
        ran |= client.runTasks();
      }
      if (!ran) {
        return;
      }
    }
    throw new AssertionError("the event loop does not come to rest");
  }

  /** So much time passes, in the small steps in which a loop looks for what is overdue. */
  public void pass(long millis) {
    long end = time.now() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (end - time.now() > 0) {
      time.pass(Math.min(STEP_NANOS, end - time.now()));
      run();
      clients.sweep();
      requestPool.sweep(loop.now());
      loop.sweep();
      run();
    }
  }

  /**
   * So much time passes in which the event loop does nothing. Then it looks for what is overdue,
   * before it reads its sockets.
   */
  public void standsStill(long millis) {
    time.pass(TimeUnit.MILLISECONDS.toNanos(millis));
    clients.sweep();
  }

  /** The gateway stops: clients leave within so much time, or a little later. */
  public void drain(long millis) {
    clients.drain(TimeUnit.MILLISECONDS.toNanos(millis));
    run();
  }

  /** Bytes of heap that count as those of requests. */
  public long objects() {
    return memory.objects();
  }

  /** Bytes that count as buffered. */
  public long buffered() {
    return memory.total();
  }

  /**
   * Runs a scenario again and again. What it takes from pools of objects it must release: once all
   * replies have been used, and have the requests that they keep, it needs no more objects.
   */
  public void repeat(Runnable scenario) {
    for (int i = 0; i < 20; i++) {
      scenario.run();
    }
    long objects = memory.objects();
    long bytes = allocated();
    long buffered = memory.total();
    for (int i = 0; i < 20; i++) {
      scenario.run();
    }
    assertThat(memory.objects()).as("bytes of pooled objects").isEqualTo(objects);
    assertThat(allocated()).as("bytes of buffers").isEqualTo(bytes);
    assertThat(memory.total()).as("bytes counted as buffered").isEqualTo(buffered);
  }

  /** Bytes of all buffers that are not released. */
  public long allocated() {
    return allocator.metric().usedDirectMemory() + allocator.metric().usedHeapMemory();
  }

  @Override
  public void close() {
    connected.forEach(SocketlessClient::finish);
    run();
    network.close();
    run();
    clients.close();
    run();
    loop.close();
    graph.close();
    owner.finishAndReleaseAll();
    assertThat(clients.loopState().isEmpty()).as("no client is left").isTrue();
    assertThat(memory.total()).as("bytes counted as buffered").isZero();
    assertThat(allocated()).as("bytes of buffers that were not released").isZero();
  }
}
