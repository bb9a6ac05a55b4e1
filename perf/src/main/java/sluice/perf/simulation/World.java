package sluice.perf.simulation;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import sluice.perf.simulation.system.SimulatedNetwork;
import sluice.perf.simulation.system.Simulator;

/** What clients know of a simulation: where gateways are, and which faults excuse an error. */
final class World {
  /** Time between two rushes, in which about half of the clients send. */
  private static final long RUSH_NANOS = TimeUnit.MILLISECONDS.toNanos(700);

  /** Length of a rush. */
  private static final long RUSH_LASTS_NANOS = 100_000;

  private final Simulator simulator;
  private final SimulatedNetwork network;
  private final List<InetSocketAddress> gateways = new ArrayList<>();
  private final List<MemcachedHost> servers = new ArrayList<>();
  private final List<NodeHost> nodes = new ArrayList<>();
  private final NodeLinks links = new NodeLinks();
  private final Excuses excuses;
  private final Journal journal;
  private final Moments moments;
  private final Tally tally = new Tally();
  private final @Nullable Rests rests; // null in a short simulation
  private long lossUntil; // packets may be lost until then, and kernels may not notice
  private long linkFaultUntil; // as faultUntil, for connections between Cassandra nodes
  private int linkFaults;
  private long movingUntil; // gateways may still learn of a change of servers until then
  private int losses;
  private int restarts;
  private int moves;
  private int faults;
  private long requests;
  private boolean ending;
  private @Nullable Operator operator; // null until there are gateways

  /** The world of a simulation of that many seconds. */
  World(Simulator simulator, SimulatedNetwork network, long seconds) {
    this.simulator = simulator;
    this.network = network;
    this.rests = Rests.isLong(seconds) ? new Rests(simulator.stream(), seconds) : null;
    this.excuses = new Excuses(simulator);
    this.journal = new Journal(simulator);
    this.moments = new Moments(simulator);
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

  /** Which errors of servers and gateways faults excuse. */
  Excuses excuses() {
    return excuses;
  }

  /** What servers have carried out. */
  Journal journal() {
    return journal;
  }

  /** When clients have something in flight that a fault may spoil. */
  Moments moments() {
    return moments;
  }

  /** Sets what operates the gateways. */
  void operator(Operator of) {
    operator = of;
  }

  /** What operates the gateways. */
  @SuppressWarnings("NullAway") // there are no clients before
  Operator operator() {
    return operator;
  }

  /** How replies were judged. */
  Tally tally() {
    return tally;
  }

  /** A fault of a gateway happens, and lasts for that many nanoseconds. */
  void gatewayFault(String gateway, long lasts) {
    serverFault(gateway, lasts);
    nodeFault(lasts);
  }

  /** A fault of a server. */
  void serverFault(String server, long lasts) {
    faults++;
    excuses.fault(server, lasts);
  }

  /** A server may send what is no reply. */
  void lies(String server, long lasts) {
    faults++;
    excuses.lies(server, lasts);
  }

  /** A fault of what gateways learn their servers from. */
  void sourceFault(long lasts) {
    faults++;
    excuses.faultOfAny(lasts);
  }

  /** A fault of Cassandra nodes. */
  void nodeFault(long lasts) {
    linkFaults++;
    long until = simulator.now() + lasts + Excuses.AFTERMATH_NANOS;
    linkFaultUntil = Math.max(linkFaultUntil, until);
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
    journal.lost();
  }

  /** A gateway is stopped, or started again: what it stores itself is gone. */
  void restart() {
    restarts++;
  }

  /** The number of losses so far. */
  int losses() {
    return losses;
  }

  /**
   * The number of losses so far that concern a rule, and of moves of its items to other servers.
   */
  int losses(Rule rule) {
    if (rule == Rule.EMBEDDED) {
      return restarts;
    }
    return moves + losses + (rule.isMovable() ? faults : 0);
  }

  /**
   * The servers of a pool change. Every key may move to another server, until gateways have learned
   * of it.
   */
  void move(long lasts) {
    moved();
    movingUntil = Math.max(movingUntil, simulator.now() + lasts);
    simulator.at(movingUntil, this::moved); // keys that were new meanwhile may have moved
  }

  private void moved() {
    moves++;
    journal.lost();
  }

  /** Whether keys may be moving between servers. */
  boolean isMoving() {
    return simulator.now() < movingUntil;
  }

  /** Whether a fault may be the cause of an error now. */
  boolean isExcused() {
    return excuses.isAny();
  }

  /**
   * How long a client waits before it sends something: any time, or until the others do.
   *
   * @param most the longest time, unless it waits for the others
   */
  long pause(RandomGenerator random, long most) {
    return withRests(
        random.nextBoolean()
            ? RUSH_NANOS - simulator.now() % RUSH_NANOS + random.nextLong(RUSH_LASTS_NANOS)
            : random.nextLong(most));
  }

  /** A pause of at least that many nanoseconds, which does not end while clients rest. */
  long withRests(long nanos) {
    return rests == null ? nanos : rests.after(simulator.now() + nanos) - simulator.now();
  }

  /** The nanoseconds until a fault: at least as many, and mostly until clients send. */
  long untilFault(RandomGenerator random, long nanos) {
    return rests == null || random.nextInt(3) == 0
        ? nanos
        : rests.whileClientsSend(simulator.now() + nanos) - simulator.now();
  }

  /** Whether clients rest now and then. */
  boolean hasRests() {
    return rests != null;
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
