package sluice.gateway.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import sluice.config.Loader;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.routing.RoutingGraph;

class SharedPartsTest {
  /** Reading stops when their memory is used up, too: the metrics must say so. */
  @Test
  void shouldExposeTheMemoryOfRequestsOnAllLoops() {
    GatewayMetrics metrics = new GatewayMetrics();
    RoutingGraph graph =
        RoutingGraph.of(
            Loader.parse(
                    "f",
                    """
                    process: {eventLoops: 2}
                    listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
                    routes: {cache: [{pool: cache}]}
                    pools: {cache: {servers: ["127.0.0.1:1"]}}
                    """)
                .configuration(),
            () -> null);
    SharedParts parts = new SharedParts(metrics, graph);
    parts.memory(0).addObjects(300);
    parts.memory(1).addObjects(400);
    assertThat(metrics.scrape())
        .contains(
            "sluice_memory_used_bytes{area=\"requests\"} 700.0",
            "sluice_memory_limit_bytes{area=\"requests\"} "
                + (double) parts.memory(0).objectCeiling());
    metrics.close();
  }
}
