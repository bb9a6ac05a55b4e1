package sluice.gateway.discover;

import io.vertx.core.AsyncResult;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.config.model.DiscoverConfig;
import sluice.config.model.DurationText;
import sluice.config.model.ServerConfig;
import sluice.gateway.metrics.DiscoveryResult;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.time.Chance;

/**
 * Repeated discovery of one pool's servers. A query that fails, or whose answer is empty, too small
 * or too large, changes nothing. Belongs to the context that it is created on; any thread may read
 * its state.
 */
final class Watch {
  private static final Logger LOG = LoggerFactory.getLogger(Watch.class);

  /** Limit for any number of name servers and search domains. */
  private static final long LIMIT_MILLIS = 10_000;

  /** A pool without servers is queried more often. */
  private static final long EAGER_MILLIS = 1_000;

  private final Vertx vertx;
  private final Context context;
  private final GatewayMetrics metrics;
  private final Follower follower;
  private final String pool;
  private final Source source;
  private DiscoverConfig discover;
  private List<ServerConfig> before = List.of(); // the pool's, until the first accepted answer
  private volatile DiscoveryState state;
  private long timer = -1;
  private boolean runs; // queries are repeated
  private boolean stopped;

  Watch(
      Vertx vertx,
      GatewayMetrics metrics,
      Follower follower,
      String pool,
      DiscoverConfig discover,
      Source source) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.metrics = metrics;
    this.follower = follower;
    this.pool = pool;
    this.discover = discover;
    this.source = source;
    state = DiscoveryState.unasked(discover.source().label() + " " + discover.name());
  }

  DiscoveryState state() {
    return state;
  }

  boolean asksAs(DiscoverConfig other) {
    return discover.asksAs(other);
  }

  /**
   * Sends the first query.
   *
   * @param known the servers that the pool has; it loses none of them if a part of the query fails
   * @return completes, in any case, within the time
   */
  Future<Void> first(List<ServerConfig> known, long limitMillis) {
    before = known;
    Promise<Void> asked = Promise.promise();
    within(limitMillis, source.ask(known))
        .onComplete(
            done -> {
              if (done.failed()) {
                failed(DiscoveryResult.FAILED, text(done.cause()));
              } else if (isUsable(done.result())) {
                took(DiscoveryResult.CHANGED, done.result());
              }
              asked.complete();
            });
    return asked.future();
  }

  /**
   * Starts repeated queries with these settings. Those that are repeated with the same already go
   * on: configurations may be reloaded more often than they are due.
   */
  void run(DiscoverConfig as) {
    if (!runs || !as.equals(discover)) {
      runs = true;
      discover = as;
      askLater();
    }
  }

  private void askLater() {
    vertx.cancelTimer(timer);
    long usual = discover.everyMillis();
    long every = state.servers().isEmpty() ? Math.min(EAGER_MILLIS, usual) : usual;
    long tenth = every / 10;
    timer = vertx.setTimer(every - tenth + Chance.nextLong(2 * tenth + 1), id -> ask());
  }

  void stop() {
    stopped = true;
    vertx.cancelTimer(timer);
  }

  private void ask() {
    List<ServerConfig> known = state.servers().isEmpty() ? before : state.servers();
    // composed: if the source throws, the next query still follows
    within(LIMIT_MILLIS, Future.succeededFuture().compose(none -> source.ask(known)))
        .onComplete(
            done -> {
              if (!stopped) {
                answered(done);
              }
            });
  }

  private void answered(AsyncResult<Found> answer) {
    if (answer.failed()) {
      failed(DiscoveryResult.FAILED, text(answer.cause()));
    } else if (isUsable(answer.result())) {
      Found found = answer.result();
      if (!found.servers().equals(state.servers())) {
        follow(found);
        return;
      }
      took(DiscoveryResult.SAME, found);
    }
    askLater();
  }

  private void follow(Found found) {
    follower
        .follow(pool, discover, found.servers(), () -> !stopped)
        .onComplete(
            done ->
                context.runOnContext(
                    v -> {
                      if (stopped) {
                        return;
                      }
                      if (done.succeeded()) {
                        took(DiscoveryResult.CHANGED, found);
                      } else {
                        failed(DiscoveryResult.FAILED, text(done.cause()));
                      }
                      askLater();
                    }));
  }

  private boolean isUsable(Found found) {
    int size = found.servers().size();
    if (size > Source.MOST_SERVERS) {
      failed(
          DiscoveryResult.REFUSED,
          "more servers in the answer than the maximum of " + Source.MOST_SERVERS);
      return false;
    }
    if (size >= discover.minimum()) {
      return true;
    }
    String few =
        size == 0
            ? "no servers in the answer"
            : "servers in the answer: "
                + size
                + ", fewer than the minimum of "
                + discover.minimum();
    failed(DiscoveryResult.REFUSED, found.remark().isEmpty() ? few : few + "; " + found.remark());
    return false;
  }

  private void took(DiscoveryResult result, Found found) {
    metrics.discovered(pool, result);
    boolean troubled = !state.problem().isEmpty() && state.answered() != null;
    state = state.answered(found);
    if (result == DiscoveryResult.CHANGED) {
      LOG.info("pool {}: servers from {}: {}", pool, state.from(), labels(found.servers()));
    } else if (troubled) {
      LOG.info("pool {}: {} answers again", pool, state.from());
    }
  }

  private void failed(DiscoveryResult result, String reason) {
    metrics.discovered(pool, result);
    boolean anew = state.problem().isEmpty() || state.problem().equals(DiscoveryState.NOT_ASKED);
    state = state.failed(reason);
    if (anew) {
      LOG.warn(
          "pool {}: {}: {}; the pool keeps its servers: {}",
          pool,
          state.from(),
          reason,
          labels(state.servers().isEmpty() ? before : state.servers()));
    }
  }

  private static String labels(List<ServerConfig> servers) {
    return servers.isEmpty()
        ? "none"
        : String.join(", ", servers.stream().map(ServerConfig::label).toList());
  }

  private static String text(Throwable failure) {
    String message = failure.getMessage();
    return message == null ? failure.getClass().getSimpleName() : message;
  }

  /** Completes on the context. */
  private <T> Future<T> within(long limitMillis, Future<T> future) {
    Promise<T> limited = Promise.promise();
    long limit =
        vertx.setTimer(
            limitMillis,
            id ->
                limited.tryFail(
                    new DiscoveryException("no answer within " + DurationText.of(limitMillis))));
    future.onComplete(
        done ->
            context.runOnContext(
                v -> {
                  vertx.cancelTimer(limit);
                  if (done.succeeded()) {
                    limited.tryComplete(done.result());
                  } else {
                    limited.tryFail(done.cause());
                  }
                }));
    return limited.future();
  }
}
