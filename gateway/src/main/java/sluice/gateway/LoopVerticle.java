package sluice.gateway;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.SocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import sluice.codecs.memcached.Command;
import sluice.config.Address;
import sluice.config.Configuration;
import sluice.config.ConnectionsConfig;
import sluice.config.Dialect;
import sluice.config.ListenerConfig;
import sluice.config.OnFailure;
import sluice.config.PoolConfig;
import sluice.config.ServerConfig;
import sluice.gateway.client.Listening;
import sluice.gateway.client.NewClient;
import sluice.gateway.client.Target;
import sluice.gateway.client.Worker;
import sluice.gateway.exchange.ExchangePool;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.net.Sockets;
import sluice.gateway.server.Server;
import sluice.gateway.server.ServerStatus;

/**
 * Everything that one event loop touches: its part of each listener, its servers' connections, its
 * counters. One instance an event loop; what is shared between them comes from {@link Gateway}.
 */
final class LoopVerticle extends VerticleBase {
  private static final int SWEEP_MILLIS = 10;

  private final Gateway gateway;
  private final int index;
  private final Configuration configuration;
  private final Map<String, NetServer> netServers = new LinkedHashMap<>();
  private final List<Server> servers = new ArrayList<>();
  private NetClient netClient;
  private Worker worker;

  LoopVerticle(Gateway gateway, int index) {
    this.gateway = gateway;
    this.index = index;
    this.configuration = gateway.configuration();
  }

  Context loopContext() {
    return context;
  }

  List<Server> servers() {
    return servers;
  }

  @Override
  public Future<?> start() {
    LoopMetrics metrics = gateway.metrics().newLoop();
    Loop loop =
        new Loop(Sockets.eventLoop(context), Sockets.allocator(), gateway.memory(index), metrics);
    ExchangePool exchanges = new ExchangePool();
    netClient = vertx.createNetClient(new NetClientOptions().setReconnectAttempts(0));
    Target[] targets =
        configuration.pools().values().stream()
            .map(pool -> target(pool, loop, exchanges, metrics))
            .toArray(Target[]::new);
    worker = new Worker(loop, exchanges, servers);
    vertx.setPeriodic(SWEEP_MILLIS, id -> worker.sweep());
    List<Future<?>> bound = new ArrayList<>();
    for (ListenerConfig listener : configuration.listeners().values()) {
      Listening listening =
          new Listening(
              listener,
              gateway.route(listener.route()),
              targets,
              metrics.listener(listener.name()),
              gateway.connections(listener.name()));
      bound.add(listen(listener, listening));
    }
    warmUp();
    gateway.started(this);
    return Future.join(bound).compose(all -> Future.succeededFuture());
  }

  /**
   * Text sides that some listener can use are connected at once; binary ones when one is binary
   * only.
   */
  private void warmUp() {
    boolean text =
        configuration.listeners().values().stream()
            .anyMatch(
                l -> l.dialects().contains(Dialect.TEXT) || l.dialects().contains(Dialect.META));
    for (Server server : servers) {
      if (server.isText() == text) {
        server.warmUp();
      }
    }
  }

  private Target target(PoolConfig pool, Loop loop, ExchangePool exchanges, LoopMetrics metrics) {
    if (gateway.store(pool.name()) != null) {
      return Target.embedded(pool.name(), gateway.store(pool.name()).session());
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
    return Target.servers(
        pool.name(), gateway.ring(pool.name()), text, binary, pool.onFailure() == OnFailure.MISS);
  }

  private Server server(
      Loop loop,
      ExchangePool exchanges,
      ServerStatus status,
      ServerStatus.Side side,
      Server.Settings settings,
      LoopMetrics metrics) {
    return new Server(loop, context, netClient, exchanges, status, side, settings, metrics);
  }

  private static Server.Settings settings(PoolConfig pool, ServerConfig server) {
    ConnectionsConfig connections = pool.connections();
    return new Server.Settings(
        socketAddress(server.address()),
        connections.perEventLoop(),
        connections.streams(),
        TimeUnit.MILLISECONDS.toNanos(pool.timeoutMillis()),
        TimeUnit.MILLISECONDS.toNanos(pool.queueTimeoutMillis()),
        TimeUnit.MILLISECONDS.toNanos(connections.connectTimeoutMillis()),
        TimeUnit.MILLISECONDS.toNanos(connections.probeAfterMillis()),
        TimeUnit.MILLISECONDS.toNanos(connections.idleMillis()));
  }

  static SocketAddress socketAddress(Address address) {
    if (address instanceof Address.Tcp tcp) {
      return SocketAddress.inetSocketAddress(tcp.port(), tcp.host());
    }
    return SocketAddress.domainSocketAddress(((Address.Unix) address).path());
  }

  private Future<?> listen(ListenerConfig listener, Listening listening) {
    NetServer netServer = vertx.createNetServer(new NetServerOptions().setTcpNoDelay(true));
    netServer.connectHandler(
        socket -> {
          socket.exceptionHandler(failure -> {}); // its close handler follows
          socket.shutdownHandler(draining -> {}); // the worker closes it when it is answered
          Sockets.install(socket, new NewClient(worker, listening));
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
    return Future.join(closing);
  }

  boolean isEmpty() {
    return worker.isEmpty();
  }

  @Override
  public Future<?> stop() {
    if (worker != null) {
      worker.close();
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
