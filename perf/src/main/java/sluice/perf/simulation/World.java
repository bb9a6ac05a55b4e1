package sluice.perf.simulation;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.perf.simulation.system.SimulatedNetwork;
import sluice.perf.simulation.system.Simulator;

/** What clients know of a simulation: where gateways are, and which faults excuse an error. */
final class World {
  /** A fault may cause errors for that long. */
  static final long AFTERMATH_NANOS = TimeUnit.SECONDS.toNanos(20);

  /** A request that waits behind a flood of replies has timed out by then. */
  private static final long FLOOD_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Simulator simulator;
  private final SimulatedNetwork network;
  private final List<InetSocketAddress> gateways = new ArrayList<>();
  private final List<MemcachedHost> servers = new ArrayList<>();
  private final List<NodeHost> nodes = new ArrayList<>();
  private final NodeLinks links = new NodeLinks();
  private long lossUntil; // packets may be lost until then, and kernels may not notice
  private long linkFaultUntil; // as faultUntil, for connections between Cassandra nodes
  private int linkFaults;
  private long movingUntil; // gateways may still learn of a change of servers until then
  private long faultUntil; // the last fault may cause errors until then
  private int floods; // clients that have asked for much at once, and do not have it yet
  private long floodEnded = -FLOOD_NANOS;
  private int losses;
  private int moves;
  private int faults;
  private long requests;
  private boolean ending;

  World(Simulator simulator, SimulatedNetwork network) {
    this.simulator = simulator;
    this.network = network;
  }

  Simulator simulator() {
    return simulator;
  }

  SimulatedNetwork network() {
    return network;
  }

  List<InetSocketAddress> gateways() {
    return gateways;
  }

  List<MemcachedHost> servers() {
    return servers;
  }

  /** The Cassandra nodes; none in most scenarios. */
  List<NodeHost> nodes() {
    return nodes;
  }

  /** What these have sent each other. */
  NodeLinks links() {
    return links;
  }

  /** A fault of a gateway happens, and lasts for that many nanoseconds. */
  void fault(long lasts) {
    cacheFault(lasts);
    nodeFault(lasts);
  }

  /** As {@link #fault}, of servers and clients of memcached. */
  void cacheFault(long lasts) {
    faults++;
    faultUntil = Math.max(faultUntil, simulator.now() + lasts + AFTERMATH_NANOS);
  }

  /** As {@link #fault}, of Cassandra nodes. */
  void nodeFault(long lasts) {
    linkFaults++;
    linkFaultUntil = Math.max(linkFaultUntil, simulator.now() + lasts + AFTERMATH_NANOS);
  }

  /** Until when a host's end of its connections is noticed, if it vanishes for that long. */
  static long untilNoticed(long lasts) {
    return lasts + TimeUnit.SECONDS.toNanos(130); // the kernels give up lost connections later
  }

  /** As {@link #nodeFault}: packets from and to a node are lost for that many nanoseconds. */
  void nodeVanishes(long lasts) {
    nodeFault(untilNoticed(lasts));
    lossUntil = Math.max(lossUntil, simulator.now() + untilNoticed(lasts));
  }

  /** Whether a node may not learn of the end of its connection. */
  boolean mayLosePackets() {
    return simulator.now() < lossUntil;
  }

  /** Whether a fault may be the cause of an error between nodes now. */
  boolean areLinksExcused() {
    return simulator.now() < linkFaultUntil;
  }

  /** The number of faults so far that concern nodes. */
  int linkFaults() {
    return linkFaults;
  }

  /** Items may have been lost, or old ones may be read again. */
  void loss() {
    losses++;
  }

  /** The number of losses so far. */
  int losses() {
    return losses;
  }

  /**
   * The number of losses so far, and of moves to other servers.
   *
   * @param movable whether items move to another server while a fault lasts
   */
  int losses(boolean movable) {
    return moves + losses + (movable ? faults : 0);
  }

  /**
   * The servers of a pool change. Every key may move to another server, until gateways have learned
   * of it.
   */
  void move(long lasts) {
    moves++;
    movingUntil = Math.max(movingUntil, simulator.now() + lasts);
    simulator.at(movingUntil, () -> moves++); // keys that were new meanwhile may have moved
  }

  /** Whether keys may be moving between servers. */
  boolean isMoving() {
    return simulator.now() < movingUntil;
  }

  /** Whether a fault may be the cause of an error now. */
  boolean isExcused() {
    return simulator.now() < faultUntil;
  }

  /** A client asks for megabytes at once. */
  void floodBegins() {
    floods++;
  }

  /** It has them, or its connection is lost. */
  void floodEnds() {
    floods--;
    floodEnded = simulator.now();
  }

  /**
   * Whether a request may time out because the server's connection was busy: replies to another
   * client fill it for as long as the network needs for them.
   */
  boolean isFlooded() {
    return floods > 0 || simulator.now() - floodEnded < FLOOD_NANOS;
  }

  /** Clients shall end. */
  void end() {
    ending = true;
  }

  boolean isEnding() {
    return ending;
  }

  void countRequests(int more) {
    requests += more;
  }

  long requests() {
    return requests;
  }

  /** The value of a key on the server that has it; null for none. */
  byte @Nullable [] value(String key) {
    for (MemcachedHost server : servers) {
      byte[] value = server.value(key);
      if (value != null) {
        return value;
      }
    }
    return null;
  }
}
