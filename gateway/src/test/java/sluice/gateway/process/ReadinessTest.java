package sluice.gateway.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.config.LoadResult;
import sluice.config.Loader;
import sluice.config.model.Configuration;
import sluice.gateway.admin.Readiness;
import sluice.gateway.discover.DiscoveryState;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.routing.RoutingGraph;
import sluice.gateway.server.health.ServerStatus;
import sluice.gateway.time.Clocks;

/** Whether a gateway says that it is ready, by the state of its servers. */
class ReadinessTest {
  private static final String TIMED_OUT = "a request timed out";

  /** A process that runs. */
  private static final class Running implements Lifecycle {
    @Override
    public boolean isBound() {
      return true;
    }

    @Override
    public boolean isDraining() {
      return false;
    }

    @Override
    public List<String> problems() {
      return List.of();
    }

    @Override
    public Path file() {
      return null;
    }

    @Override
    public Instant reloadedAt() {
      return null;
    }

    @Override
    public DiscoveryState discovery(String pool) {
      return null;
    }

    @Override
    public Future<List<String>> reload() {
      return Future.succeededFuture(List.of());
    }

    @Override
    public Future<Void> drain() {
      return Future.succeededFuture();
    }
  }

  private final GatewayMetrics metrics = new GatewayMetrics();
  private final RoutingGraph graph = RoutingGraph.of(configuration(), () -> null);
  private final GatewayView view =
      new GatewayView(
          new Running(),
          new SharedParts(metrics, graph),
          List.of(),
          new SampleDrain(List.of()),
          null);
  private final ServerStatus a = graph.status("main", "a");
  private final ServerStatus b = graph.status("main", "b");

  private static Configuration configuration() {
    LoadResult loaded =
        Loader.parse(
            "ready.yaml",
            """
            admin: {ready: routes}
            listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
            routes: {cache: [{pool: main}]}
            pools:
              main:
                servers: ["h1:1 name=a", "h2:1 name=b"]
                health: {failures: 1, maxEjected: 100%}
            """);
    assertThat(loaded.problems()).isEmpty();
    return loaded.configuration();
  }

  @AfterEach
  void close() {
    metrics.close();
  }

  private static void ejected(ServerStatus server) {
    server.health().failed(TIMED_OUT, Clocks.nanos());
    assertThat(server.health().isEjected()).isTrue();
  }

  @Test
  void shouldNotCountEjectedServersAsUsable() {
    graph.begin();
    a.up(ServerStatus.Side.TEXT);
    b.up(ServerStatus.Side.TEXT);
    ejected(a);
    assertThat(view.readiness().ready()).isTrue();
    ejected(b);
    assertThat(view.readiness().ready()).isFalse();
    String why = "1 failures in a row, the last: " + TIMED_OUT;
    assertThat(view.readiness().unusableRoutes())
        .containsExactly(
            new Readiness.UnusableRoute(
                "cache",
                "pool main: server a is ejected: "
                    + why
                    + "; pool main: server b is ejected: "
                    + why));
    b.health().answeredProbe(Clocks.nanos());
    assertThat(view.readiness().ready()).isTrue();
  }

  @Test
  void shouldCountServersThatWereNotTried() {
    graph.begin();
    assertThat(view.readiness().ready()).isTrue();
    a.down(ServerStatus.Side.TEXT, "server a is unreachable");
    assertThat(view.readiness().ready()).isTrue();
    b.down(ServerStatus.Side.TEXT, "server b is unreachable");
    assertThat(view.readiness().ready()).isFalse();
  }
}
