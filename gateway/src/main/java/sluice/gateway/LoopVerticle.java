package sluice.gateway;

import io.netty.channel.EventLoop;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.VerticleBase;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import sluice.codecs.internode.Framing;
import sluice.codecs.memcached.Command;
import sluice.config.Address;
import sluice.config.AddressesConfig;
import sluice.config.Configuration;
import sluice.config.ConnectionsConfig;
import sluice.config.Dialect;
import sluice.config.ListenerConfig;
import sluice.config.ListenerProtocol;
import sluice.config.OnFailure;
import sluice.config.PoolConfig;
import sluice.config.PoolProtocol;
import sluice.config.ServerConfig;
import sluice.gateway.client.Listening;
import sluice.gateway.client.NewClient;
import sluice.gateway.client.Target;
import sluice.gateway.client.Worker;
import sluice.gateway.exchange.ExchangePool;
import sluice.gateway.internode.LinkAddresses;
import sluice.gateway.internode.LinkListening;
import sluice.gateway.internode.LinkWorker;
import sluice.gateway.internode.Reach;
import sluice.gateway.internode.Upstream;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.net.Sockets;
import sluice.gateway.route.VerbRoute;
import sluice.gateway.server.Server;
import sluice.gateway.server.ServerStatus;
import sluice.gateway.tls.Dialer;
import sluice.gateway.tls.TlsAcceptor;

/**
 * Everything that one event loop touches: its part of each listener, its servers' connections, its
 * counters. One instance an event loop; what is shared between them comes from {@link Gateway}.
 */
final class LoopVerticle extends VerticleBase {
  private final Gateway gateway;
  private final int index;
  private final Configuration configuration;
  private final Map<String, NetServer> netServers = new LinkedHashMap<>();
  private final List<Server> servers = new ArrayList<>();
  private final List<Server> warm = new ArrayList<>();
  private final Map<String, Upstream> upstreams = new LinkedHashMap<>();
  private NetClient netClient; // kept: with nobody to refer to it, Vert.x closes its sockets
  private Dialer dialer;
  private Worker worker;
  private LinkWorker linkWorker;
  private final AtomicBoolean swept = new AtomicBoolean(true);
  private volatile EventLoop eventLoop; // until this is stopped

  LoopVerticle(Gateway gateway, int index) {
    this.gateway = gateway;
    this.index = index;
    this.configuration = gateway.configuration();
  }

  /**
   * Looks, on its loop, for what is overdue. Called every few milliseconds by another thread, once
   * this has started: a timer of the loop's own would have to be set for each of its sleeps, which
   * costs more than all else that it does for a small message.
   */
  void sweep() {
    EventLoop running = eventLoop;
    if (running != null && swept.compareAndSet(true, false)) {
      running.execute(
          () -> {
            swept.set(true);
            worker.sweep();
            linkWorker.sweep();
          });
    }
  }

  Context loopContext() {
    return context;
  }

  List<Server> servers() {
    return servers;
  }

  /** The nodes behind internode pools, by pool. */
  Map<String, Upstream> upstreams() {
    return upstreams;
  }

  @Override
  public Future<?> start() {
    LoopMetrics metrics = gateway.metrics().newLoop();
    Loop loop =
        new Loop(Sockets.eventLoop(context), Sockets.allocator(), gateway.memory(index), metrics);
    ExchangePool exchanges = new ExchangePool();
    netClient = vertx.createNetClient(new NetClientOptions().setReconnectAttempts(0));
    dialer = new Dialer(loop, netClient, context);
    Target[] targets =
        configuration.pools().values().stream()
            .map(pool -> target(pool, loop, exchanges, metrics))
            .toArray(Target[]::new);
    worker = new Worker(loop, exchanges, servers);
    linkWorker = new LinkWorker(loop, dialer, gateway.linkRegistry());
    eventLoop = loop.eventLoop();
    List<Future<?>> bound = new ArrayList<>();
    for (ListenerConfig listener : configuration.listeners().values()) {
      bound.add(listen(listener, loop, acceptor(listener, targets, metrics)));
    }
    warm.forEach(Server::warmUp);
    gateway.started(this);
    return Future.join(bound).compose(all -> Future.succeededFuture());
  }

  /** What takes the sockets that are opened to a listener. */
  private Handler<NetSocket> acceptor(
      ListenerConfig listener, Target[] targets, LoopMetrics metrics) {
    if (listener.protocol() == ListenerProtocol.INTERNODE) {
      VerbRoute route = gateway.verbRoute(listener.route());
      LinkListening listening =
          new LinkListening(
              listener,
              route,
              upstreams.get(route.pool()),
              metrics.internode(listener.name()),
              gateway.connections(listener.name()),
              () -> gateway.node(listener),
              LinkAddresses.of(addresses(listener)));
      return socket -> linkWorker.accept(socket, listening);
    }
    Listening listening =
        new Listening(
            listener,
            gateway.route(listener.route()),
            targets,
            metrics.listener(listener.name()),
            gateway.connections(listener.name()));
    return socket -> Sockets.install(socket, new NewClient(worker, listening));
  }

  /** What is replaced on the route of a listener: the rule with its pool says so. */
  private AddressesConfig addresses(ListenerConfig listener) {
    return configuration.routes().get(listener.route()).rules().stream()
        .filter(rule -> rule.pool().isPresent())
        .findFirst()
        .orElseThrow()
        .addresses();
  }

  /**
   * The side of a pool's servers that is connected before somebody asks: the one that it names, or
   * else text if some listener takes it.
   */
  private boolean isTextFirst(PoolConfig pool) {
    return switch (pool.dialect()) {
      case TEXT, META -> true;
      case BINARY -> false;
      case SAME ->
          configuration.listeners().values().stream()
              .filter(l -> l.protocol() == ListenerProtocol.MEMCACHED)
              .anyMatch(
                  l -> l.dialects().contains(Dialect.TEXT) || l.dialects().contains(Dialect.META));
    };
  }

  private Target target(PoolConfig pool, Loop loop, ExchangePool exchanges, LoopMetrics metrics) {
    if (gateway.store(pool.name()) != null) {
      return Target.embedded(pool.name(), gateway.store(pool.name()).session());
    }
    if (pool.protocol() == PoolProtocol.INTERNODE) {
      upstreams.put(pool.name(), upstream(pool));
      return null; // no memcached route leads there
    }
    if (pool.protocol() == PoolProtocol.IGNITE) {
      return ignite(pool, loop, exchanges, metrics);
    }
    List<Server> text = new ArrayList<>();
    List<Server> binary = new ArrayList<>();
    for (ServerConfig server : pool.servers()) {
      ServerStatus status = gateway.status(pool.name(), server.identity());
      Server.Settings settings = settings(pool, server);
      text.add(server(loop, exchanges, status, ServerStatus.Side.TEXT, settings, metrics));
      binary.add(server(loop, exchanges, status, ServerStatus.Side.BINARY, settings, metrics));
    }
    servers.addAll(text);
    servers.addAll(binary);
    warm.addAll(isTextFirst(pool) ? text : binary);
    return Target.servers(
        pool.name(),
        gateway.ring(pool.name()),
        text,
        binary,
        pool.onFailure() == OnFailure.MISS,
        pool.dialect(),
        null);
  }

  private Target ignite(PoolConfig pool, Loop loop, ExchangePool exchanges, LoopMetrics metrics) {
    List<Server> nodes = new ArrayList<>();
    for (ServerConfig server : pool.servers()) {
      ServerStatus status = gateway.status(pool.name(), server.identity());
      Server.Settings settings = settings(pool, server);
      nodes.add(server(loop, exchanges, status, ServerStatus.Side.BINARY, settings, metrics));
    }
    servers.addAll(nodes);
    warm.addAll(nodes);
    return IgniteNodes.target(pool, gateway.ring(pool.name()), nodes);
  }

  private Upstream upstream(PoolConfig pool) {
    ServerConfig server = pool.servers().get(0);
    Framing framing =
        switch (pool.framing()) {
          case SAME -> null;
          case CRC -> Framing.CRC;
          case LZ4 -> Framing.LZ4;
          case UNPROTECTED -> Framing.UNPROTECTED;
        };
    return new Upstream(
        gateway.status(pool.name(), server.identity()),
        reach(pool, gateway.encryption()),
        (int) pool.connections().connectTimeoutMillis(),
        framing);
  }

  /** The one server of an internode pool. */
  static Reach reach(PoolConfig pool, Encryption encryption) {
    return new Reach(socketAddress(pool.servers().get(0).address()), encryption.of(pool));
  }

  private Server server(
      Loop loop,
      ExchangePool exchanges,
      ServerStatus status,
      ServerStatus.Side side,
      Server.Settings settings,
      LoopMetrics metrics) {
    return new Server(loop, dialer, exchanges, status, side, settings, metrics);
  }

  private Server.Settings settings(PoolConfig pool, ServerConfig server) {
    ConnectionsConfig connections = pool.connections();
    return new Server.Settings(
        socketAddress(server.address()),
        gateway.encryption().of(pool),
        connections.perEventLoop(),
        connections.streams(),
        TimeUnit.MILLISECONDS.toNanos(pool.timeoutMillis()),
        TimeUnit.MILLISECONDS.toNanos(pool.queueTimeoutMillis()),
        TimeUnit.MILLISECONDS.toNanos(connections.connectTimeoutMillis()),
        TimeUnit.MILLISECONDS.toNanos(connections.probeAfterMillis()),
        TimeUnit.MILLISECONDS.toNanos(connections.idleMillis()),
        pool.protocol() == PoolProtocol.IGNITE ? IgniteNodes.PING_AFTER_NANOS : 0);
  }

  static SocketAddress socketAddress(Address address) {
    if (address instanceof Address.Tcp tcp) {
      return SocketAddress.inetSocketAddress(tcp.port(), tcp.host());
    }
    return SocketAddress.domainSocketAddress(((Address.Unix) address).path());
  }

  private Future<?> listen(ListenerConfig listener, Loop loop, Handler<NetSocket> acceptor) {
    TlsAcceptor tls = gateway.encryption().of(listener);
    NetServer netServer = vertx.createNetServer(new NetServerOptions().setTcpNoDelay(true));
    netServer.connectHandler(
        socket -> {
          socket.exceptionHandler(failure -> {}); // its close handler follows
          socket.shutdownHandler(draining -> {}); // its worker closes it when it is answered
          if (tls != null) {
            tls.secure(socket, loop, listener.limits().handshakeMillis());
          }
          acceptor.handle(socket);
        });
    netServers.put(listener.name(), netServer);
    return netServer
        .listen(gateway.bindAddress(listener))
        .recover(failure -> Future.failedFuture(cannotBind(listener, failure)))
        .onSuccess(server -> gateway.bound(listener, server.actualPort()));
  }

  private static IllegalStateException cannotBind(ListenerConfig listener, Throwable failure) {
    return new IllegalStateException(
        "listeners."
            + listener.name()
            + ".bind: cannot bind "
            + listener.bind().label()
            + ": "
            + failure.getMessage(),
        failure);
  }

  /**
   * Takes no new clients, and closes each of the others when nothing of it is in flight, idle ones
   * in the first third of the time there is.
   */
  Future<?> drain() {
    List<Future<?>> closing = new ArrayList<>();
    long limit = configuration.process().drainMillis();
    netServers
        .values()
        .forEach(server -> closing.add(server.shutdown(limit, TimeUnit.MILLISECONDS)));
    worker.drain(TimeUnit.MILLISECONDS.toNanos(limit) / 3);
    linkWorker.drain();
    return Future.join(closing);
  }

  boolean isEmpty() {
    return worker.isEmpty() && linkWorker.isEmpty();
  }

  @Override
  public Future<?> stop() {
    eventLoop = null;
    if (worker != null) {
      worker.close();
    }
    if (linkWorker != null) {
      linkWorker.close();
    }
    return Future.succeededFuture();
  }

  static Command command(String label) {
    for (Command command : Command.values()) {
      if (command.label().equals(label)) {
        return command;
      }
    }
    throw new IllegalArgumentException("no command " + label);
  }
}
