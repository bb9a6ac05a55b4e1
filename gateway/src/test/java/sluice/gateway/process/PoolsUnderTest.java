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

  /** Makes the pools of a graph, in its configuration's order, which are in use at once. */
  public Pool[] add(RoutingGraph graph) {
    Pool[] added = pools.add(graph);
    pools.use();
    return added;
  }

  /** Makes the pools of a graph that is not in use yet. */
  public Pool[] prepare(RoutingGraph graph) {
    return pools.add(graph);
  }

  /** Returns to a graph that is in use, after another was prepared. */
  public Pool[] abandon(RoutingGraph used) {
    Pool[] unchanged = pools.add(used);
    pools.abandon();
    return unchanged;
  }

  /** Removes the pools and servers that the last added graph does not use. */
  public void retain() {
    pools.retain();
  }

  /** Both sides of all servers; changes with the pools. */
  public List<Server> servers() {
    return pools.servers();
  }
}
