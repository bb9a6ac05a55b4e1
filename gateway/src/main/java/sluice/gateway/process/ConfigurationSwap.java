package sluice.gateway.process;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.net.SocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.config.model.AdminConfig;
import sluice.config.model.Configuration;
import sluice.config.model.DiscoverConfig;
import sluice.config.model.ListenerConfig;
import sluice.config.model.PoolConfig;
import sluice.config.model.PoolProtocol;
import sluice.config.model.ServerConfig;
import sluice.embedded.EmbeddedStore;
import sluice.gateway.admin.AdminServer;
import sluice.gateway.net.Sockets;
import sluice.gateway.routing.RoutingGraph;

/**
 * The change from one configuration to the next, on all event loops. Changes happen one at a time,
 * in the order of the calls. From any thread.
 */
final class ConfigurationSwap {
  private static final Logger LOG = LoggerFactory.getLogger(ConfigurationSwap.class);

  private final SharedParts shared;
  private final List<LoopVerticle> loops;
  private final SampleDrain samples;
  private final AdminServer admin;
  private final BooleanSupplier isRunning;
  private Future<?> last = Future.succeededFuture();
  private List<String> startOnly = List.of(); // changed keys that the log has named

  /**
   * @param loops all event loops of the process, once it runs
   * @param isRunning whether the process may change; asked before each change
   */
  ConfigurationSwap(
      SharedParts shared,
      List<LoopVerticle> loops,
      SampleDrain samples,
      AdminServer admin,
      BooleanSupplier isRunning) {
    this.shared = shared;
    this.loops = loops;
    this.samples = samples;
    this.admin = admin;
    this.isRunning = isRunning;
  }

  /**
   * Runs a change once all earlier ones are done.
   *
   * @return fails if the process does not run, or with the change
   */
  synchronized Future<Void> inTurn(Supplier<Future<Void>> change) {
    Promise<Void> done = Promise.promise();
    last.onComplete(
        before -> {
          if (isRunning.getAsBoolean()) {
            run(change).onComplete(done);
          } else {
            done.fail("the gateway is not running");
          }
        });
    last = done.future();
    return done.future();
  }

  private static Future<Void> run(Supplier<Future<Void>> change) {
    try {
      return change.get();
    } catch (RuntimeException | Error e) { // else no later change would have its turn
      LOG.error("a configuration could not be applied: an internal error", e);
      return Future.failedFuture(e);
    }
  }

  /** Gives a pool other servers, if they still are wanted once earlier changes are done. */
  Future<Void> replaceServers(
      String pool, DiscoverConfig asked, List<ServerConfig> servers, BooleanSupplier isWanted) {
    return inTurn(
        () ->
            isWanted.getAsBoolean() && hasSource(pool, asked)
                ? apply(shared.configuration().withServers(Map.of(pool, servers)))
                : Future.failedFuture("the pool no longer discovers them"));
  }

  /** Whether a pool has this source. Another configuration may have come before its answer. */
  private boolean hasSource(String pool, DiscoverConfig asked) {
    PoolConfig config = shared.configuration().pools().get(pool);
    return config != null && config.discover().filter(asked::asksAs).isPresent();
  }

  /** Names what counts only at a start and differs from it: once, not at each reload. */
  private void warnOfStartOnly(Configuration asked, Configuration now) {
    List<String> changed = new ArrayList<>();
    if (!asked.process().equals(now.process())) {
      changed.add("process");
    }
    if (!asked.metrics().equals(now.metrics())) {
      changed.add("metrics");
    }
    if (!asked.admin().bind().equals(now.admin().bind())) {
      changed.add("admin.bind");
    }
    if (asked.admin().tls().isPresent() != now.admin().tls().isPresent()) {
      changed.add("admin.tls");
    }
    for (PoolConfig pool : asked.pools().values()) {
      if (!pool.equals(withSizeOf(now.pools().get(pool.name()), pool))) {
        changed.add("pools." + pool.name() + ".size");
      }
    }
    if (!changed.isEmpty() && !changed.equals(startOnly)) {
      LOG.warn("{} changed: restart to apply", String.join(", ", changed));
    }
    startOnly = changed;
  }

  /** As {@link #apply}, with a configuration that was loaded anew. */
  Future<Void> applyLoaded(Configuration asked) {
    warnOfStartOnly(asked, shared.configuration());
    return apply(asked);
  }

  /**
   * Moves all event loops to a configuration. Only a change that runs {@link #inTurn} may do so.
   * Settings of the whole process stay as it was started with, and stores keep their sizes.
   *
   * @return fails, and nothing has changed, if an address cannot be bound, or there is too little
   *     memory for new stores and caches
   */
  Future<Void> apply(Configuration asked) {
    if (!isRunning.getAsBoolean()) { // discovery may have taken a while since it was asked before
      return Future.failedFuture("the gateway is not running");
    }
    RoutingGraph before = shared.graph();
    Configuration now = before.configuration();
    AdminConfig adminNext = admin(asked.admin(), now.admin());
    Configuration next =
        new Configuration(
            adminNext,
            now.process(),
            now.metrics(),
            asked.listeners(),
            asked.routes(),
            pools(asked, now),
            asked.logs(),
            references(asked, now));
    for (ListenerConfig listener : next.listeners().values()) {
      if (listener.bind().overlaps(now.admin().bind())) {
        return Future.failedFuture(
            "listeners."
                + listener.name()
                + ".bind: cannot bind "
                + listener.bind().label()
                + ": the admin port has it until a restart");
      }
    }
    Optional<String> shortage = DirectMemory.shortage(before, next, DirectMemory.limitBytes());
    if (shortage.isPresent()) {
      return Future.failedFuture(shortage.get());
    }
    RoutingGraph following;
    try {
      following = before.next(next);
    } catch (IllegalStateException e) {
      return Future.failedFuture(e);
    }
    Map<String, SocketAddress> earlier = shared.addresses().asked();
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
                        releaseRemoved(before, following);
                        followAdmin(now.admin(), adminNext)
                            .compose(a -> released(earlier), a -> released(earlier))
                            .onComplete(a -> followed.complete());
                      });
            })
        .onFailure(
            failure ->
                onLoops(loop -> loop.abandon(before))
                    .onComplete(
                        done -> {
                          Map<String, SocketAddress> refused = shared.addresses().asked();
                          shared.addresses().restore(earlier);
                          following.abandon(before);
                          released(refused)
                              .onComplete(r -> followed.fail(reason(failure, next, now)));
                        }));
    return followed.future();
  }

  /** Waits until those of some listeners' addresses are released that no listener has now. */
  private Future<Void> released(Map<String, SocketAddress> asked) {
    Set<SocketAddress> left = new HashSet<>(asked.values());
    left.removeAll(shared.addresses().asked().values());
    return Sockets.released(loops.get(0).loopContext().owner(), left);
  }

  /** The failure, with the own listener whose address keeps another from being bound. */
  private static Throwable reason(Throwable failure, Configuration next, Configuration now) {
    String message = String.valueOf(failure.getMessage());
    if (!message.contains("in use")) {
      return failure; // a restart would not help, and the gateway would not start any more
    }
    for (ListenerConfig listener : next.listeners().values()) {
      for (ListenerConfig open : now.listeners().values()) {
        if (message.startsWith("listeners." + listener.name() + ".bind: ")
            && !open.bind().equals(listener.bind())
            && open.bind().overlaps(listener.bind())) {
          String has = "; listener " + open.name() + " has " + open.bind().label();
          return new IllegalStateException(
              message + has + " until a restart, or a reload without it", failure);
        }
      }
    }
    return failure;
  }

  /**
   * Releases the stores of removed pools, once requests that began earlier have had time to end.
   */
  private void releaseRemoved(RoutingGraph before, RoutingGraph following) {
    List<EmbeddedStore> removed = following.replaced(before);
    if (!removed.isEmpty()) {
      Vertx vertx = loops.get(0).loopContext().owner();
      Callable<Void> release =
          () -> {
            following.release(removed);
            return null;
          };
      vertx.setTimer(
          Math.max(1, following.configuration().process().drainMillis()),
          timer -> vertx.executeBlocking(release)); // gigabytes take a while
    }
  }

  /** The admin settings after a change: those that can change while it runs. */
  private static AdminConfig admin(AdminConfig asked, AdminConfig now) {
    boolean same = asked.tls().isPresent() == now.tls().isPresent();
    return new AdminConfig(now.bind(), asked.ready(), same ? asked.tls() : now.tls(), asked.auth());
  }

  /**
   * The references after a change. Values that stay came from those of the file before: {@code
   * /config} would print them without, and they may be secrets.
   */
  private static Map<String, String> references(Configuration asked, Configuration now) {
    Map<String, String> references = new LinkedHashMap<>(asked.references());
    references.keySet().removeIf(path -> stays(path, asked, now));
    now.references()
        .forEach(
            (path, reference) -> {
              if (stays(path, asked, now)) {
                references.put(path, reference);
              }
            });
    return references;
  }

  /** Whether the setting at a path of the file stays as it is until a restart. */
  private static boolean stays(String path, Configuration asked, Configuration now) {
    return path.startsWith("process.")
        || path.startsWith("metrics.")
        || path.equals("admin.bind")
        || (path.startsWith("admin.tls.")
            && asked.admin().tls().isPresent() != now.admin().tls().isPresent())
        || now.pools().values().stream()
            .filter(pool -> pool.protocol() == PoolProtocol.EMBEDDED)
            .anyMatch(pool -> path.equals("pools." + pool.name() + ".size"));
  }

  /** The pools after a change: a store that exists keeps its size. */
  private static Map<String, PoolConfig> pools(Configuration asked, Configuration now) {
    Map<String, PoolConfig> pools = new LinkedHashMap<>();
    asked.pools().forEach((name, pool) -> pools.put(name, withSizeOf(now.pools().get(name), pool)));
    return pools;
  }

  private static PoolConfig withSizeOf(@Nullable PoolConfig now, PoolConfig asked) {
    if (now == null
        || now.protocol() != PoolProtocol.EMBEDDED
        || asked.protocol() != PoolProtocol.EMBEDDED) {
      return asked;
    }
    return asked.withSize(now.sizeBytes());
  }

  private Future<Void> followAdmin(AdminConfig before, AdminConfig next) {
    return next.equals(before)
        ? Future.succeededFuture()
        : admin
            .follow(next)
            .onFailure(
                failure ->
                    LOG.error(
                        "admin.tls is unchanged, because the new one cannot be used: {}",
                        failure.getMessage()));
  }

  /** Runs the task on each loop; fails if one fails, after all are done. */
  private Future<?> onLoops(Function<LoopVerticle, Future<?>> task) {
    List<Future<?>> all = new ArrayList<>();
    for (LoopVerticle loop : loops) {
      Promise<Void> done = Promise.promise();
      loop.loopContext()
          .runOnContext(
              v -> {
                try {
                  task.apply(loop).<Void>mapEmpty().onComplete(done);
                } catch (RuntimeException | Error e) { // else the change would never end
                  LOG.error("a configuration could not be applied: an internal error", e);
                  done.fail(e);
                }
              });
      all.add(done.future());
    }
    return Future.join(all);
  }
}
