package sluice.gateway.process;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxBuilder;
import io.vertx.core.VertxOptions;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.config.model.Configuration;
import sluice.gateway.admin.AdminServer;
import sluice.gateway.discover.Discovery;
import sluice.gateway.discover.DiscoveryState;
import sluice.gateway.history.HistoryTimer;
import sluice.gateway.loop.IterationTransport;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.metrics.ReloadResult;
import sluice.gateway.routing.RoutingGraph;
import sluice.gateway.time.Clocks;
import sluice.gateway.tls.Renegotiation;
import sluice.names.Version;

/**
 * Process of the gateway: event loops, the objects that they share, and the admin port. Created by
 * {@link #start}; its methods may be called from any thread.
 */
public final class Gateway implements Lifecycle, Reloads.Follower {
  private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);

  static {
    Renegotiation.refuse(); // before metrics are pushed, or servers are looked up, over TLS
  }

  private final GatewayMetrics metrics = new GatewayMetrics();
  private final List<LoopVerticle> loops = new CopyOnWriteArrayList<>();
  private final SampleDrain samples = new SampleDrain(loops);
  private final HistoryTimer history = new HistoryTimer(metrics.intervals());
  private final MetricsPush push = new MetricsPush(metrics);
  private final SharedParts shared;
  private final GatewayView view;
  private final Promise<Void> stopped = Promise.promise();

  private final @Nullable Path file; // null: it was started without a file
  private volatile List<String> problems = List.of(); // problems of the file, if it is not in use
  private volatile @Nullable Instant reloadedAt; // null: it was not read again
  private @Nullable Vertx vertx; // null until the transport is known
  private @Nullable AdminServer admin;
  private @Nullable ConfigurationSwap swap;
  private volatile @Nullable Discovery discovery; // null until the admin port is bound
  private volatile @Nullable Reloads reloads;
  private volatile @Nullable String adminAddress;
  private volatile boolean bound;
  private volatile boolean ready;
  private final Drain drain = new Drain();

  private Gateway(Configuration configuration, @Nullable Path file) {
    this.file = file;
    shared =
        new SharedParts(
            metrics,
            RoutingGraph.of(configuration, () -> ClientTotals.of(metrics, configuration())));
    view = new GatewayView(this, shared, loops, samples, history.history());
    metrics.serverStates(view::serverStates);
  }

  /**
   * Starts a gateway.
   *
   * @return completes when everything is bound; otherwise closes everything again and fails with a
   *     message
   */
  public static Future<Gateway> start(Configuration configuration) {
    return start(configuration, null);
  }

  /**
   * As {@link #start(Configuration, Path, Consumer)}, if it need not be drained while it starts.
   */
  public static Future<Gateway> start(Configuration configuration, @Nullable Path file) {
    return start(configuration, file, gateway -> {});
  }

  /**
   * Starts a gateway that follows a file: it applies later valid content.
   *
   * @param configuration the file's current content
   * @param file null for none
   * @param binding receives the gateway before it binds its listeners, to be able to drain it: the
   *     first client may connect before the result completes
   */
  public static Future<Gateway> start(
      Configuration configuration, @Nullable Path file, Consumer<Gateway> binding) {
    try {
      return start(
          configuration, file, binding, Transports.forGateway(configuration.process().transport()));
    } catch (IllegalStateException e) {
      return Future.failedFuture(e);
    }
  }

  /**
   * As {@link #start(Configuration, Path, Consumer)}, with another transport than the configured
   * one.
   */
  public static Future<Gateway> start(
      Configuration configuration,
      @Nullable Path file,
      Consumer<Gateway> binding,
      IterationTransport transport) {
    Gateway gateway;
    try {
      gateway = new Gateway(configuration, file);
    } catch (IllegalStateException e) {
      return Future.failedFuture(e);
    }
    // Not composed: the event loop on which a failed start was reported has ended when everything
    // is closed.
    Promise<Gateway> started = Promise.promise();
    gateway
        .run(binding, transport)
        .onSuccess(started::complete)
        .onFailure(failure -> gateway.close().onComplete(done -> started.fail(failure)));
    return started.future();
  }

  private Future<Gateway> run(Consumer<Gateway> binding, IterationTransport transport) {
    Configuration asked = configuration();
    DirectMemory.shortage(configuration(), DirectMemory.limitBytes()).ifPresent(LOG::warn);
    shared.connectionHeap().shortage(asked.listeners().values()).ifPresent(LOG::info);
    int eventLoops = configuration().process().eventLoops();
    VertxOptions options = VertxSettings.of(eventLoops);
    VertxBuilder builder = Vertx.builder().with(options);
    if (asked.metrics().vertx()) {
      VertxMeters.into(metrics.registry(), options, builder);
    }
    Vertx running = builder.withTransport(transport).build();
    vertx = running;
    AdminServer port;
    try {
      port = new AdminServer(running, view, configuration().admin());
    } catch (IllegalStateException e) {
      return Future.failedFuture(e);
    }
    admin = port;
    ConfigurationSwap changes =
        new ConfigurationSwap(shared, loops, samples, port, () -> bound && !drain.isRequested());
    swap = changes;
    AtomicInteger next = new AtomicInteger();
    Sweeper sweeper = new Sweeper(running, loops);
    return port.listen(configuration().admin().bind().label())
        .recover(
            failure ->
                Future.failedFuture(
                    LoopVerticle.cannotBind(
                        "admin", configuration().admin().bind().label(), failure)))
        .onSuccess(address -> adminAddress = address)
        .compose(
            address -> {
              // on this thread, which is the admin port's own event loop
              sweeper.start();
              samples.start(running);
              history.start(running);
              Discovery learning =
                  new Discovery(
                      running, running.getOrCreateContext(), metrics, changes::replaceServers);
              discovery = learning;
              return learning.prepare(configuration(), configuration());
            })
        .compose(
            prepared -> {
              binding.accept(this);
              if (!prepared.configuration().equals(configuration())) {
                shared.graph(shared.graph().next(prepared.configuration()));
              }
              return running
                  .deployVerticle(
                      () -> new LoopVerticle(shared, next.getAndIncrement(), sweeper, loops::add),
                      new DeploymentOptions().setInstances(eventLoops))
                  .map(prepared);
            })
        .compose(
            prepared -> {
              Reloads following = file == null ? null : new Reloads(running, this, file);
              reloads = following; // first, because a gateway that says it is ready can reload
              bound = true;
              prepared.use();
              push.start(asked);
              return following == null ? Future.succeededFuture() : following.begin(asked);
            })
        .map(
            done -> {
              ready = true;
              LOG.info(
                  "ready: {} admin={} transport={} version={}",
                  listening(),
                  adminAddress,
                  transport.name(),
                  Version.current());
              drain.started(() -> drainNow(running));
              return this;
            });
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

  /** Objects that its event loops share. */
  SharedParts shared() {
    return shared;
  }

  /**
   * Changes to another configuration, by one swap on each event loop. Requests in flight finish
   * with the configuration that they began with. A client's connection is closed only if its
   * listener was removed, or has another address or protocol. Servers that left their pool are
   * closed when they have answered. Settings of the whole process stay as at the start.
   *
   * <p>One change at a time, in the order of the calls. Pools whose servers are discovered keep the
   * known ones.
   *
   * @return fails, and nothing has changed, if an address cannot be bound
   */
  @Override
  public Future<Void> follow(Configuration asked) {
    ConfigurationSwap changes = swap;
    Discovery learning = discovery;
    if (changes == null || learning == null) {
      return Future.failedFuture("the gateway is not running");
    }
    return changes.inTurn(
        () ->
            learning
                .prepare(asked, configuration())
                .compose(
                    prepared ->
                        changes
                            .applyLoaded(prepared.configuration())
                            .onSuccess(done -> prepared.use())
                            .onFailure(failure -> prepared.drop())));
  }

  @Override
  public Future<List<String>> reload() {
    Reloads following = reloads;
    return following == null
        ? Future.succeededFuture(List.of("found no file, expected a gateway started with -c FILE"))
        : following.now();
  }

  @Override
  public void reloaded(List<String> found) {
    problems = List.copyOf(found);
    reloadedAt = Clocks.now();
    metrics.reloaded(found.isEmpty() ? ReloadResult.APPLIED : ReloadResult.REFUSED);
  }

  @Override
  public List<String> problems() {
    return problems;
  }

  @Override
  public boolean isBound() {
    return bound;
  }

  @Override
  public boolean isDraining() {
    return drain.isRequested();
  }

  @Override
  public @Nullable Path file() {
    return file;
  }

  @Override
  public @Nullable Instant reloadedAt() {
    return reloadedAt;
  }

  @Override
  public @Nullable DiscoveryState discovery(String pool) {
    Discovery running = discovery;
    return running == null ? null : running.state(pool);
  }

  /** The bound address of a listener, with its real port. */
  public @Nullable String address(String listener) {
    return shared.addresses().of(listener);
  }

  /** The bound address of the admin port, with its real port. */
  public @Nullable String adminAddress() {
    return adminAddress;
  }

  /** All metrics in Prometheus' text format. */
  public String scrape() {
    return metrics.scrape();
  }

  /** Bytes buffered on all loops together. */
  public long bufferedBytes() {
    return metrics.bufferedBytes();
  }

  /** Completes when the gateway has stopped, for any reason. */
  public Future<Void> stopped() {
    return stopped.future();
  }

  @Override
  public Future<Void> drain() {
    stopReloading();
    drain.request();
    return stopped.future();
  }

  private void stopReloading() {
    Reloads following = reloads;
    if (following != null) {
      following.close();
    }
  }

  private void drainNow(Vertx running) {
    stopReloading(); // it may have begun after the drain was requested
    Discovery learning = discovery;
    if (learning != null) {
      learning.close();
    }
    Drain.of(running, loops, configuration().process().drainMillis(), this::close);
  }

  /** Stops at once. */
  public Future<Void> close() {
    if (stopped.future().isComplete()) {
      return stopped.future();
    }
    drain.cancel();
    Discovery learning = discovery;
    if (learning != null) {
      learning.close();
    }
    stopReloading();
    // Not one chain of futures: a future of an event loop completes only while that loop runs.
    if (admin == null) {
      closeVertx();
    } else {
      admin.close().onComplete(done -> closeVertx());
    }
    return stopped.future();
  }

  private void closeVertx() {
    samples.stop();
    history.stop();
    Vertx running = vertx;
    if (running == null) {
      ended();
      return;
    }
    push.stop(running).onComplete(done -> running.close().onComplete(closed -> ended()));
  }

  private void ended() {
    samples.now();
    shared.graph().close();
    if (ready && !stopped.future().isComplete()) { // who starts it says why it did not
      LOG.info("stopped"); // first, because the process may end when it completes
    }
    stopped.tryComplete();
  }
}
