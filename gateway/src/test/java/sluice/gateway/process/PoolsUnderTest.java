package sluice.gateway.process;

import java.util.List;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.loop.Loop;
import sluice.gateway.request.RequestPool;
import sluice.gateway.routing.RoutingGraph;
import sluice.gateway.server.Server;
import sluice.gateway.tls.Dialer;

/** The pools of one event loop under test, none of which shares connections with other loops. */
public final class PoolsUnderTest {
  private final LoopPools pools;

  /** Pools whose connections a dialer makes. */
  public PoolsUnderTest(Loop loop, Dialer dialer, RequestPool requestPool) {
    pools = new LoopPools(loop, dialer, requestPool, loop.metrics(), null, null);
  }

  /** Makes the pools of a graph, in its configuration's order. */
  public Pool[] add(RoutingGraph graph) {
    return pools.add(graph);
  }

  /** Both sides of all servers; changes with the pools. */
  public List<Server> servers() {
    return pools.servers();
  }
}
