package sluice.gateway.process;

import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.transport.Transport;
import io.vertx.micrometer.MicrometerMetricsFactory;
import io.vertx.micrometer.MicrometerMetricsOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.config.model.AdminConfig;
import sluice.config.model.Configuration;
import sluice.config.model.ListenerConfig;
import sluice.config.model.ListenerProtocol;
import sluice.config.model.ServerConfig;
import sluice.embedded.Clients;
import sluice.gateway.admin.AdminServer;
import sluice.gateway.discover.Discovery;
import sluice.gateway.discover.DiscoveryState;
import sluice.gateway.loop.TurnTransport;
import sluice.gateway.metrics.ConnectionOutcome;
import sluice.gateway.metrics.Direction;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.metrics.ListenerMetrics;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.metrics.ReloadResult;
import sluice.gateway.routing.RoutingGraph;
import sluice.names.Command;

/**
 * The process: event loops, what they share, and the admin port. Made by {@link #start}; its
 * methods may be called from any thread.
 */
public final class Gateway implements Lifecycle, Reloads.Follower {
  private static final int SWEEP_MILLIS = 10;
  private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);

  private final GatewayMetrics metrics = new GatewayMetrics();
  private final List<LoopVerticle> loops = new CopyOnWriteArrayList<>();
  private final SampleDrain samples = new SampleDrain(loops);
  private final SharedParts shared;
  private final GatewayView view;
  private final Promise<Void> stopped = Promise.promise();

  private final Path file; // null: it was started without one
  private volatile List<String> problems = List.of(); // of the file, if it is not what runs
  private Vertx vertx;
  private AdminServer admin;
  private volatile Discovery discovery; // null until the admin port is bound
  private volatile Reloads reloads;
  private volatile String adminAddress;
  private volatile boolean bound;
  private volatile boolean draining;
  private Future<?> last = Future.succeededFuture(); // of the changes of the graph, in their order

  private Gateway(Configuration configuration, Path file) {
    this.file = file;
    shared = new SharedParts(metrics, RoutingGraph.of(configuration, this::clients));
    view = new GatewayView(this, shared, loops, samples);
    metrics.serverStates(view::serverStates);
  }

  /**
   * Starts a gateway.
   *
   * @return completes when everything is bound; fails, with everything closed again, if something
   *     cannot be: the message says what
   */
  public static Future<Gateway> start(Configuration configuration) {
    return start(configuration, null);
  }

  /**
   * Starts a gateway that follows a file: what it says next, once it is valid.
   *
   * @param configuration what the file says now
   * @param file null for none
   */
  public static Future<Gateway> start(Configuration configuration, Path file) {
    Gateway gateway;
    try {
      gateway = new Gateway(configuration, file);
    } catch (IllegalStateException e) {
      return Future.failedFuture(e);
    }
    // Not composed: the event loop that a failed start was told on is gone when all is closed.
    Promise<Gateway> started = Promise.promise();
    gateway
        .run()
        .onSuccess(started::complete)
        .onFailure(failure -> gateway.close().onComplete(done -> started.fail(failure)));
    return started.future();
  }

  private Future<Gateway> run() {
    Configuration asked = configuration();
    Transport transport;
    try {
      transport = Transports.choose(configuration().process().transport());
    } catch (IllegalStateException e) {
      return Future.failedFuture(e);
    }
    DirectMemory.shortage(configuration(), DirectMemory.limitBytes()).ifPresent(LOG::warn);
    int eventLoops = configuration().process().eventLoops();
    vertx =
        Vertx.builder()
            .with(
                new VertxOptions()
                    .setEventLoopPoolSize(eventLoops + 1) // one for the admin port
                    .setWorkerPoolSize(2)
                    .setInternalBlockingPoolSize(2)
                    .setMetricsOptions(new MicrometerMetricsOptions().setEnabled(true)))
            .withMetrics(new MicrometerMetricsFactory((MeterRegistry) metrics.registry()))
            .withTransport(new TurnTransport(transport))
            .build();
    try {
      admin = new AdminServer(vertx, view, configuration().admin());
    } catch (IllegalStateException e) {
      return Future.failedFuture(e);
    }
    AtomicInteger next = new AtomicInteger();
    return admin
        .listen(configuration().admin().bind().label())
        .recover(
            failure ->
                Future.failedFuture(
                    new IllegalStateException(
                        "admin.bind: cannot bind "
                            + configuration().admin().bind().label()
                            + ": "
                            + failure.getMessage(),
                        failure)))
        .onSuccess(
            address -> {
              adminAddress = address;
              // here, which is on the admin port's own event loop
              vertx.setPeriodic(SWEEP_MILLIS, id -> loops.forEach(LoopVerticle::sweep));
              samples.start(vertx);
              discovery =
                  new Discovery(vertx, vertx.getOrCreateContext(), metrics, this::discovered);
            })
        .compose(address -> discovery.prepare(configuration(), configuration()))
        .compose(
            prepared -> {
              if (!prepared.configuration().equals(configuration())) {
                shared.graph(shared.graph().next(prepared.configuration()));
              }
              return vertx
                  .deployVerticle(
                      () -> new LoopVerticle(shared, next.getAndIncrement(), loops::add),
                      new DeploymentOptions().setInstances(eventLoops))
                  .map(prepared);
            })
        .compose(
            prepared -> {
              bound = true;
              prepared.use();
              if (file == null) {
                return Future.succeededFuture();
              }
              reloads = new Reloads(vertx, this, file);
              return reloads.begin(asked);
            })
        .map(
            done -> {
              LOG.info(
                  "ready: {} admin={} transport={}", listening(), adminAddress, transport.name());
              return this;
            });
  }

  /** What the stores of the process tell of its clients. */
  private Clients clients() {
    long logins =
        Stream.of(Outcome.values())
            .mapToLong(outcome -> metrics.ofListeners(of -> of.requests(Command.SASL, outcome)))
            .sum();
    return new Clients(
        configuration().listeners().values().stream()
            .filter(listener -> listener.protocol() != ListenerProtocol.INTERNODE)
            .mapToLong(listener -> listener.limits().connections())
            .sum(),
        metrics.ofListeners(ListenerMetrics::connections),
        metrics.ofListeners(of -> of.connections(ConnectionOutcome.ACCEPTED)),
        metrics.ofListeners(of -> of.connections(ConnectionOutcome.REFUSED)),
        logins,
        logins - metrics.ofListeners(of -> of.requests(Command.SASL, Outcome.OK)),
        metrics.bytes(Direction.CLIENT_IN),
        metrics.bytes(Direction.CLIENT_OUT));
  }

  private String listening() {
    StringBuilder all = new StringBuilder();
    configuration()
        .listeners()
        .keySet()
        .forEach(
            name ->
                all.append(all.isEmpty() ? "" : " ")
                    .append(name)
                    .append('=')
                    .append(address(name)));
    return all.toString();
  }

  private Configuration configuration() {
    return shared.configuration();
  }

  /** What its event loops have in common. */
  SharedParts shared() {
    return shared;
  }

  // --- another configuration ----------------------------------------------------------------

  /**
   * Goes over to another configuration, as one swap on each event loop: what is in flight finishes
   * on the one that it began on, no client's connection is closed unless its listener is gone or
   * has another address or protocol, servers that left their pool are closed when they have
   * answered. What holds for the whole process stays as it was started with.
   *
   * <p>One at a time, in the order of the calls. Pools whose servers are discovered keep those that
   * are known.
   *
   * @return fails, and nothing has changed, if an address cannot be bound
   */
  @Override
  public Future<Void> follow(Configuration asked) {
    return inTurn(
        () ->
            discovery
                .prepare(asked, configuration())
                .compose(
                    prepared ->
                        goOver(prepared.configuration())
                            .onSuccess(done -> prepared.use())
                            .onFailure(failure -> prepared.drop())));
  }

  private Future<Void> discovered(
      String pool, List<ServerConfig> servers, BooleanSupplier isWanted) {
    return inTurn(
        () ->
            isWanted.getAsBoolean()
                ? goOver(configuration().withServers(Map.of(pool, servers)))
                : Future.failedFuture("they are not asked for any more"));
  }

  private synchronized Future<Void> inTurn(Supplier<Future<Void>> change) {
    Promise<Void> done = Promise.promise();
    last.onComplete(
        before -> {
          if (bound && !draining) {
            change.get().onComplete(done);
          } else {
            done.fail("the gateway is not running");
          }
        });
    last = done.future();
    return done.future();
  }

  private Future<Void> goOver(Configuration asked) {
    RoutingGraph before = shared.graph();
    Configuration now = before.configuration();
    AdminConfig adminNext = admin(asked.admin(), now.admin());
    if (!asked.process().equals(now.process()) || !asked.admin().equals(adminNext)) {
      LOG.warn(
          "process, admin.bind, or whether admin has tls, has changed: that counts at a start"
              + " only");
    }
    Configuration next =
        new Configuration(
            adminNext,
            now.process(),
            asked.listeners(),
            asked.routes(),
            asked.pools(),
            asked.logs(),
            asked.references());
    RoutingGraph following;
    try {
      following = before.next(next);
    } catch (IllegalStateException e) {
      return Future.failedFuture(e);
    }
    for (ListenerConfig listener : next.listeners().values()) {
      ListenerConfig known = now.listeners().get(listener.name());
      if (known == null || !known.bind().equals(listener.bind())) {
        shared.addresses().ask(listener);
      }
    }
    Promise<Void> followed = Promise.promise();
    onLoops(loop -> loop.prepare(following))
        .onSuccess(
            prepared -> {
              shared.graph(following);
              onLoops(LoopVerticle::followNewest)
                  .onComplete(
                      done -> {
                        shared.addresses().retain(next.listeners().keySet());
                        samples.keepOnly(next.pools().keySet());
                        followAdmin(now.admin(), adminNext).onComplete(a -> followed.complete());
                      });
            })
        .onFailure(
            failure ->
                onLoops(loop -> loop.abandon(before)).onComplete(done -> followed.fail(failure)));
    return followed.future();
  }

  /** What changes while it runs. */
  private static AdminConfig admin(AdminConfig asked, AdminConfig now) {
    boolean same = asked.tls().isPresent() == now.tls().isPresent();
    return new AdminConfig(now.bind(), asked.ready(), same ? asked.tls() : now.tls(), asked.auth());
  }

  private Future<Void> followAdmin(AdminConfig before, AdminConfig next) {
    return next.equals(before)
        ? Future.succeededFuture()
        : admin
            .follow(next)
            .onFailure(failure -> LOG.error("admin.tls stays as it was: {}", failure.getMessage()));
  }

  @Override
  public Future<List<String>> reload() {
    Reloads following = reloads;
    return following == null
        ? Future.succeededFuture(List.of("found no file, expected a start with -c FILE"))
        : following.now();
  }

  /** Does the same on each loop; fails if one does, after all are done. */
  private Future<?> onLoops(Function<LoopVerticle, Future<?>> task) {
    List<Future<?>> all = new ArrayList<>();
    for (LoopVerticle loop : loops) {
      Promise<Void> done = Promise.promise();
      loop.loopContext()
          .runOnContext(
              v -> {
                try {
                  task.apply(loop).<Void>mapEmpty().onComplete(done);
                } catch (RuntimeException e) {
                  LOG.error("a configuration could not be followed: an error in this program", e);
                  done.fail(e);
                }
              });
      all.add(done.future());
    }
    return Future.join(all);
  }

  @Override
  public void reloaded(List<String> found) {
    problems = List.copyOf(found);
    metrics.reloaded(found.isEmpty() ? ReloadResult.APPLIED : ReloadResult.REFUSED);
  }

  @Override
  public List<String> problems() {
    return problems;
  }

  // --- for the admin port and the command line ----------------------------------------------

  @Override
  public boolean isBound() {
    return bound;
  }

  @Override
  public boolean isDraining() {
    return draining;
  }

  @Override
  public DiscoveryState discovery(String pool) {
    Discovery running = discovery;
    return running == null ? null : running.state(pool);
  }

  /** The address that a listener is bound to, with its real port. */
  public String address(String listener) {
    return shared.addresses().of(listener);
  }

  /** The address that the admin port is bound to, with its real port. */
  public String adminAddress() {
    return adminAddress;
  }

  /** All metrics in Prometheus' text format. */
  public String scrape() {
    return metrics.scrape();
  }

  /** Bytes that all loops together hold for their connections. */
  public long bufferedBytes() {
    return metrics.bufferedBytes();
  }

  /** Completes when the gateway has stopped, for whatever reason. */
  public Future<Void> stopped() {
    return stopped.future();
  }

  @Override
  public Future<Void> drain() {
    synchronized (this) {
      if (draining) {
        return stopped.future();
      }
      draining = true;
    }
    long limit = configuration().process().drainMillis();
    LOG.info("draining for up to {} ms", limit);
    if (discovery != null) {
      discovery.close();
    }
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limit);
    for (LoopVerticle loop : loops) {
      loop.loopContext().runOnContext(v -> loop.drain());
    }
    vertx.setPeriodic(
        20,
        id -> {
          if (loops.stream().allMatch(LoopVerticle::isEmpty) || System.nanoTime() - deadline > 0) {
            vertx.cancelTimer(id);
            close();
          }
        });
    return stopped.future();
  }

  /** Stops at once. */
  public Future<Void> close() {
    if (stopped.future().isComplete()) {
      return stopped.future();
    }
    draining = true;
    if (discovery != null) {
      discovery.close();
    }
    if (reloads != null) {
      reloads.close();
    }
    // Not one chain of futures: one that was made on an event loop completes only while that runs.
    if (admin == null) {
      closeVertx();
    } else {
      admin.close().onComplete(done -> closeVertx());
    }
    return stopped.future();
  }

  private void closeVertx() {
    samples.stop();
    if (vertx == null) {
      ended();
    } else {
      vertx.close().onComplete(done -> ended());
    }
  }

  private void ended() {
    samples.now();
    shared.graph().close();
    if (!stopped.future().isComplete()) {
      LOG.info("stopped"); // first: who waits for it ends the process
    }
    stopped.tryComplete();
  }
}
