package sluice.gateway.process;

import java.util.List;
import sluice.config.model.Configuration;
import sluice.gateway.internode.LinkRegistry;
import sluice.gateway.listener.ConnectionHeap;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.routing.RoutingGraph;
import sluice.gateway.server.shared.LoopMailboxes;
import sluice.gateway.server.shared.SharedServers;

/** Objects that the event loops of a process share. From any thread. */
final class SharedParts {
  private final GatewayMetrics metrics;
  private final ListenerAddresses addresses;
  private final NodeAddresses nodes;
  private final LinkRegistry links;
  private final MemoryShare[] memory;
  private final List<LoopMailboxes> mailboxes;
  private final SharedServers sharedServers;
  private final ConnectionHeap connectionHeap =
      new ConnectionHeap(Runtime.getRuntime().maxMemory());
  private volatile RoutingGraph graph;

  /** The objects for the configuration at the start. */
  SharedParts(GatewayMetrics metrics, RoutingGraph graph) {
    Configuration configuration = graph.configuration();
    this.metrics = metrics;
    this.graph = graph;
    addresses = new ListenerAddresses(configuration.listeners().values());
    nodes = new NodeAddresses(this::graph, addresses);
    links =
        new LinkRegistry(
            nodes::behind, nodes::isPeer, listener -> graph().encryption().asNodeOf(listener));
    memory =
        MemoryShare.of(configuration.process().eventLoops(), configuration.process().memoryBytes());
    mailboxes = LoopMailboxes.of(configuration.process().eventLoops());
    sharedServers = new SharedServers(configuration.process().eventLoops());
    metrics.bufferLimit(configuration.process().memoryBytes());
    metrics.requestMemory(memory[0]::objects, memory[0].objectCeiling());
  }

  /** The graph in use. */
  RoutingGraph graph() {
    return graph;
  }

  /** Sets the graph in use. */
  void graph(RoutingGraph next) {
    graph = next;
  }

  Configuration configuration() {
    return graph.configuration();
  }

  GatewayMetrics metrics() {
    return metrics;
  }

  ListenerAddresses addresses() {
    return addresses;
  }

  NodeAddresses nodes() {
    return nodes;
  }

  /** The links of all loops. */
  LinkRegistry links() {
    return links;
  }

  MemoryShare memory(int loop) {
    return memory[loop];
  }

  /** Access from each loop to the others. */
  SharedServers sharedServers() {
    return sharedServers;
  }

  /** The heap of the clients' connections. */
  ConnectionHeap connectionHeap() {
    return connectionHeap;
  }

  LoopMailboxes mailboxes(int loop) {
    return mailboxes.get(loop);
  }
}
