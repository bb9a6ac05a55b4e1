package sluice.gateway.process;

import io.netty.channel.EventLoop;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sluice.config.model.AddressesConfig;
import sluice.config.model.ListenerConfig;
import sluice.config.model.ListenerProtocol;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.internode.LinkAddresses;
import sluice.gateway.internode.LinkListenerView;
import sluice.gateway.internode.LinkLoopState;
import sluice.gateway.internode.Upstream;
import sluice.gateway.listen.ClientAcceptor;
import sluice.gateway.listen.ClientLoop;
import sluice.gateway.listen.NewClient;
import sluice.gateway.listener.Listener;
import sluice.gateway.loop.Loop;
import sluice.gateway.loop.Mailbox;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.near.NearCaches;
import sluice.gateway.net.Sockets;
import sluice.gateway.request.RequestPool;
import sluice.gateway.route.VerbRoute;
import sluice.gateway.routing.RoutingGraph;
import sluice.gateway.samples.LoopSamples;
import sluice.gateway.server.Server;
import sluice.gateway.server.connection.Unreachable;
import sluice.gateway.server.shared.LoopMailboxes;
import sluice.gateway.time.Clocks;
import sluice.gateway.tls.Dialer;

/**
 * Objects of one event loop: its part of each listener, its servers' connections, its counters. One
 * instance for each event loop.
 */
final class LoopVerticle extends VerticleBase implements SampleDrain.Source, Sweeper.Swept {
  private final SharedParts shared;
  private final int index;
  private final Sweeper sweeper;
  private final Consumer<LoopVerticle> whenStarted;
  private final Map<String, OpenListener> listeners = new LinkedHashMap<>();
  private final Map<String, OpenListener> opening = new LinkedHashMap<>();
  private NetClient netClient; // kept: Vert.x closes the sockets of a client that nothing refers to
  private Loop loop;
  private LoopPools pools;
  private Mailbox mailbox;
  private RequestPool requestPool;
  private ClientLoop loopState;
  private LinkLoopState linkLoopState;
  private final AtomicBoolean swept = new AtomicBoolean(true);
  private volatile @Nullable EventLoop eventLoop; // until it is stopped
  private boolean released;

  /** Listener at one address. A new configuration changes its route. */
  private static final class OpenListener {
    private final NetServer netServer;
    private final @Nullable Listener listener; // null for a listener of links
    private ListenerConfig config;
    private @Nullable LinkListenerView links;
    private ClientAcceptor acceptor;
    private int port;
    private boolean retired;

    OpenListener(
        NetServer netServer,
        @Nullable Listener listener,
        ListenerConfig config,
        ClientAcceptor acceptor) {
      this.netServer = netServer;
      this.listener = listener;
      this.config = config;
      this.acceptor = acceptor;
    }
  }

  /**
   * An event loop of a process.
   *
   * @param index 0 to the number of loops less one
   * @param sweeper is told when the loop must be swept more often again
   * @param whenStarted called on the loop, when it has started
   */
  LoopVerticle(SharedParts shared, int index, Sweeper sweeper, Consumer<LoopVerticle> whenStarted) {
    this.shared = shared;
    this.index = index;
    this.sweeper = sweeper;
    this.whenStarted = whenStarted;
  }

  @Override
  public int sweepMillis() {
    return loop.sweepMillis();
  }

  /**
   * Checks timeouts, on its loop. The {@link Sweeper} calls this after the start, from its thread.
   * A timer of the loop's own would have to be set before each of its sleeps, which costs more than
   * everything else it does for a small message.
   */
  @Override
  public void sweep() {
    EventLoop running = eventLoop;
    if (running != null && swept.compareAndSet(true, false)) {
      long asked = Clocks.nanos();
      running.execute(
          () -> {
            loop.metrics().lag(Clocks.nanos() - asked);
            swept.set(true);
            if (released) {
              return;
            }
            loopState.sweep();
            requestPool.sweep(loop.now());
            linkLoopState.sweep();
            pools.sweep();
            loop.sweep(loopState.awaitsServers() || !linkLoopState.isEmpty());
          });
    }
  }

  @Override
  public LoopSamples samples() {
    return loop.samples();
  }

  Context loopContext() {
    return context;
  }

  /** All servers; from any thread. */
  List<Server> servers() {
    return pools.serversSeen();
  }

  /** The nodes behind internode pools; from any thread. */
  List<Upstream> upstreams() {
    return pools.upstreamsSeen();
  }

  @Override
  public Future<?> start() {
    LoopMetrics metrics = shared.metrics().newLoop();
    metrics.ranBy(Thread.currentThread());
    loop = new Loop(Sockets.eventLoop(context), Sockets.allocator(), shared.memory(index), metrics);
    loop.whenActive(sweeper::wake);
    requestPool = new RequestPool(shared.memory(index));
    netClient = vertx.createNetClient(new NetClientOptions().setReconnectAttempts(0));
    Dialer dialer = new Dialer(loop::buffered, netClient, context);
    LoopMailboxes mailboxes = shared.mailboxes(index);
    mailbox = mailboxes.mailbox();
    pools = new LoopPools(loop, dialer, requestPool, metrics, mailboxes, shared.sharedServers());
    loopState = new ClientLoop(loop, requestPool, pools.servers());
    linkLoopState =
        new LinkLoopState(
            loop,
            dialer,
            shared.links(),
            TimeUnit.MILLISECONDS.toNanos(shared.configuration().process().drainMillis()));
    eventLoop = loop.eventLoop();
    mailbox.open(loop);
    RoutingGraph graph = shared.graph();
    return prepare(graph)
        .onSuccess(
            bound -> {
              follow(graph);
              whenStarted.accept(this);
            })
        .onFailure(failure -> release());
  }

  /**
   * Creates the pools of a graph, and opens its new listeners, besides the existing ones. On the
   * loop.
   *
   * @return fails, with new listeners closed again, if one cannot be opened
   */
  Future<?> prepare(RoutingGraph graph) {
    loop.activeNow(); // what the change begins, or ends, is looked after soon
    Pool[] targets = pools.add(graph);
    List<Future<?>> bound = new ArrayList<>();
    for (ListenerConfig listener : graph.configuration().listeners().values()) {
      OpenListener open = listeners.get(listener.name());
      if (open == null || !isSameAddress(open.config, listener)) {
        bound.add(open(listener, graph, targets));
      }
    }
    return Future.join(bound);
  }

  private static boolean isSameAddress(ListenerConfig one, ListenerConfig other) {
    return one.bind().equals(other.bind()) && one.protocol() == other.protocol();
  }

  /** Changes to a prepared graph. On the loop. */
  void follow(RoutingGraph graph) {
    loop.activeNow();
    graph.begin();
    loop.samples().follow(graph.configuration().logs());
    Pool[] targets = pools.add(graph);
    Map<String, OpenListener> before = new LinkedHashMap<>(listeners);
    listeners.clear();
    for (ListenerConfig listener : graph.configuration().listeners().values()) {
      OpenListener opened = opening.remove(listener.name());
      if (opened == null) {
        opened = before.remove(listener.name());
      }
      listeners.put(listener.name(), Objects.requireNonNull(opened, listener.name()));
      apply(opened, listener, graph, targets, graph.nearCaches().current());
      shared.addresses().bound(listener, opened.port);
    }
    before.values().forEach(this::shut);
    pools.retain();
  }

  /** Changes to the process's graph, which was prepared. On the loop. */
  Future<?> followNewest() {
    follow(shared.graph());
    return Future.succeededFuture();
  }

  /** Keeps the current graph, after another was prepared. On the loop. */
  Future<?> abandon(RoutingGraph followed) {
    opening.values().forEach(this::shut);
    opening.clear();
    Pool[] unchanged = pools.add(followed);
    for (OpenListener opened : listeners.values()) {
      apply(opened, opened.config, followed, unchanged, followed.nearCaches().current());
    }
    pools.abandon();
    return Future.succeededFuture();
  }

  private ClientAcceptor acceptor(ListenerConfig config, RoutingGraph graph) {
    return new ClientAcceptor(config, graph.encryption().of(config), loop, shared.connectionHeap());
  }

  private void apply(
      OpenListener opened,
      ListenerConfig config,
      RoutingGraph graph,
      Pool[] targets,
      NearCaches.@Nullable Current own) {
    opened.config = config;
    opened.acceptor = acceptor(config, graph);
    if (opened.listener != null) {
      opened.listener.apply(
          config,
          graph.route(config.route()),
          targets,
          graph.nearCaches(config.route()),
          graph.nearCaches(),
          own);
      return;
    }
    VerbRoute route = graph.verbRoute(config.route());
    LinkListenerView before = opened.links;
    opened.links =
        new LinkListenerView(
            config,
            route,
            pools.upstream(route.pool()),
            loop.metrics().internode(config.name()),
            graph.connections(config.name()),
            shared.connectionHeap(),
            () -> shared.nodes().node(config),
            () -> opened.retired,
            LinkAddresses.of(addresses(config, graph)));
    if (before != null) {
      before.replacedBy(opened.links);
    }
  }

  /** The replacements on the route of a listener, from the rule with its pool. */
  private static AddressesConfig addresses(ListenerConfig listener, RoutingGraph graph) {
    return graph.configuration().route(listener.route()).rules().stream()
        .filter(rule -> rule.pool().isPresent())
        .findFirst()
        .orElseThrow()
        .addresses();
  }

  private Future<?> open(ListenerConfig listener, RoutingGraph graph, Pool[] targets) {
    NetServer netServer = vertx.createNetServer(new NetServerOptions().setTcpNoDelay(true));
    boolean links = listener.protocol() == ListenerProtocol.INTERNODE;
    OpenListener opened =
        new OpenListener(
            netServer,
            links
                ? null
                : new Listener(
                    loop,
                    loop.metrics().listener(listener.name()),
                    graph.connections(listener.name()),
                    shared.connectionHeap()),
            listener,
            acceptor(listener, graph));
    apply(opened, listener, graph, targets, null); // its caches come into use when all follow
    opening.put(listener.name(), opened);
    netServer.connectHandler(
        socket -> opened.acceptor.accept(socket, prepared -> enter(prepared, opened)));
    return shared
        .addresses()
        .bind(listener, address -> Sockets.listen(netServer, context, address))
        .recover(failure -> Future.failedFuture(cannotBind(listener, failure)))
        .onSuccess(server -> opened.port = server.actualPort());
  }

  private void enter(NetSocket socket, OpenListener opened) {
    LinkListenerView links = opened.links;
    if (opened.listener != null) {
      Sockets.install(socket, new NewClient(loopState, opened.listener));
    } else if (links != null) {
      linkLoopState.accept(socket, links);
    }
  }

  /** Takes no new clients there; existing ones are closed when their requests are answered. */
  private Future<?> shut(OpenListener opened) {
    opened.retired = true;
    long drainMillis = shared.configuration().process().drainMillis();
    if (opened.listener != null) {
      opened.listener.retire(drainMillis);
    }
    return opened.netServer.shutdown(drainMillis, TimeUnit.MILLISECONDS);
  }

  private static IllegalStateException cannotBind(ListenerConfig listener, Throwable failure) {
    return cannotBind("listeners." + listener.name(), listener.bind().label(), failure);
  }

  /** The error of a section of the configuration whose address cannot be bound. */
  static IllegalStateException cannotBind(String section, String address, Throwable failure) {
    return new IllegalStateException(
        section + ".bind: cannot bind " + address + ": " + Unreachable.detail(failure), failure);
  }

  // --- the end ------------------------------------------------------------------------------

  /**
   * Takes no new clients, and closes each existing one when none of its requests is in flight. Idle
   * ones are closed in the first third of the available time.
   */
  Future<?> drain() {
    opening.values().forEach(this::shut); // a change is under way, which will use them
    List<Future<?>> closing = new ArrayList<>();
    long limit = shared.configuration().process().drainMillis();
    listeners
        .values()
        .forEach(opened -> closing.add(opened.netServer.shutdown(limit, TimeUnit.MILLISECONDS)));
    loopState.drain(TimeUnit.MILLISECONDS.toNanos(limit) / 3);
    linkLoopState.drain();
    return Future.join(closing);
  }

  /** Whether it drains, and nothing is left to be done; from any thread. */
  boolean isDrained() {
    return loopState.isDrained() && linkLoopState.isEmpty();
  }

  @Override
  public Future<?> stop() {
    release();
    return Future.succeededFuture();
  }

  /** Closes what remains, once. */
  private void release() {
    eventLoop = null;
    if (loopState != null && !released) {
      released = true;
      loopState.close();
      linkLoopState.close();
      netClient.close(); // otherwise the JVM's cleaner keeps this whole gateway reachable
      mailbox.close();
      loop.close();
    }
  }
}
