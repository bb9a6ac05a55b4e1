package sluice.perf.simulation;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import java.util.random.RandomGenerator.SplittableGenerator;
import org.jspecify.annotations.Nullable;
import sluice.perf.simulation.system.SimulatedSocket;
import sluice.perf.simulation.system.SimulatedTransport;

/** Faults of a simulation, one after the other at random times. */
final class Faults implements Operator {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  /** A gateway learns of a change within that time. */
  private static final long LEARNS = 15 * SECOND;

  /** No timeout is short enough for a shorter stop of a server, or a pause of a gateway. */
  private static final long NOTICED = SECOND / 4;

  /** For up to that time, connections to servers end in place of replies, each of them once. */
  private static final long MOST_LOST = TimeUnit.MILLISECONDS.toNanos(15);

  /** The same in place of any of so many replies, which are about any kind of request. */
  private static final long MOST_LOST_LATER = 6 * SECOND;

  private static final int MOST_SPARED = 6;

  private final World world;
  private final Scenario scenario;
  private final List<GatewayHost> gateways;
  private final @Nullable ServerSource source; // null: no server is discovered
  private final Plan plan;
  private final SplittableGenerator streams;
  private final RandomGenerator asked; // of changes that clients ask for
  private RandomGenerator random; // of one fault: the next does not depend on its choices
  private int count;
  private long unanswered; // the source may give no usable answer until then

  Faults(
      World world,
      Scenario scenario,
      List<GatewayHost> gateways,
      @Nullable ServerSource source,
      Plan plan) {
    this.world = world;
    this.scenario = scenario;
    this.gateways = gateways;
    this.source = source;
    this.plan = plan;
    this.streams = world.simulator().stream();
    this.random = streams;
    this.asked = world.simulator().stream();
  }

  int count() {
    return count;
  }

  void start() {
    // quiet times are as long as the aftermath, so that errors without a fault are seen
    long most = (world.hasRests() ? 180 : 60) * SECOND;
    world
        .simulator()
        .after(world.untilFault(streams, streams.nextLong(SECOND, most)), this::happen);
  }

  private void happen() {
    if (world.isEnding()) {
      return;
    }
    count++;
    RandomGenerator own = streams.split();
    if (plan.hasFault(count)) {
      if (own.nextBoolean()) {
        choose(own);
      } else {
        world.moments().await(() -> choose(own));
      }
      switch (own.nextInt(4)) { // in the aftermath, which excuses errors anyway
        case 0 -> {
          long lasts = own.nextLong(MOST_LOST / 5, MOST_LOST);
          world.moments().await(() -> loseReplies(lasts, 1));
        }
        case 1 -> loseReplies(own.nextLong(SECOND, MOST_LOST_LATER), MOST_SPARED);
        default -> {} // none is lost
      }
    }
    start();
  }

  private void choose(RandomGenerator own) {
    if (!world.isEnding()) {
      random = own;
      choose();
    }
  }

  private void choose() {
    if (scenario.hasNodes() && random.nextInt(3) == 0) {
      chooseForNodes();
      return;
    }
    if (source != null && random.nextInt(4) == 0) {
      chooseFor(source);
      return;
    }
    switch (random.nextInt(15)) {
      case 0 -> crash();
      case 1 -> stall();
      case 2 -> vanish();
      case 3 -> resetServers();
      case 4 -> resetClients();
      case 5 -> pauseLoop();
      case 6 -> pauseProcess();
      case 7 -> world.simulator().jump(random.nextLong(-3_600_000, 3_600_000));
      case 8 -> restart();
      case 9, 10, 11 -> misbehave();
      default -> reload();
    }
  }

  private void chooseForNodes() {
    NodeHost node = world.nodes().get(random.nextInt(world.nodes().size()));
    long lasts = random.nextLong(10 * SECOND);
    switch (random.nextInt(6)) {
      case 0 -> {
        if (node.isUp()) {
          world.nodeFault(lasts);
          node.crash();
          world.simulator().after(lasts, node::start);
        }
      }
      case 1 -> {
        world.nodeFault(lasts);
        node.stall(lasts);
      }
      case 2 -> {
        world.nodeFault(lasts);
        node.misbehave(lasts);
      }
      case 3 -> {
        world.nodeVanishes(lasts);
        world.network().vanish(node.host());
        world.simulator().after(lasts, () -> world.network().comeBack(node.host()));
      }
      case 4 -> resetLinks(socket -> socket.remote().getHostString().equals(node.host()));
      default -> resetLinks(socket -> socket.local().getHostString().equals(node.host()));
    }
  }

  // A gateway that runs keeps its servers, so that only those that start have an excuse.
  private void chooseFor(ServerSource of) {
    int kind = random.nextInt(6);
    if (kind < 3) {
      of.change();
      world.move(Math.max(0, unanswered - world.simulator().now()) + LEARNS);
      return;
    }
    long lasts = random.nextLong(10 * SECOND);
    unanswered = Math.max(unanswered, world.simulator().now() + lasts);
    if (world.isMoving()) {
      world.move(lasts + LEARNS);
    }
    if (world.isExcused()) {
      world.sourceFault(lasts);
    }
    switch (kind) {
      case 3 -> of.crash(lasts);
      case 4 -> of.stall(lasts);
      default -> of.misbehave(lasts);
    }
  }

  private void resetLinks(Predicate<SimulatedSocket> selected) {
    world.nodeFault(0);
    reset(selected);
  }

  private void reset(Predicate<SimulatedSocket> selected) {
    for (SimulatedSocket socket : world.network().sockets(selected)) {
      if (random.nextBoolean()) {
        socket.cut();
      }
    }
  }

  private MemcachedHost server() {
    return world.servers().get(random.nextInt(world.servers().size()));
  }

  private GatewayHost gateway() {
    return gateways.get(random.nextInt(gateways.size()));
  }

  private void crash() {
    MemcachedHost server = server();
    if (!server.isUp()) {
      return;
    }
    long lasts = random.nextLong(10 * SECOND);
    world.serverFault(server.host(), lasts);
    world.loss();
    server.crash();
    world.simulator().after(lasts, server::start);
  }

  private void stall() {
    long lasts = random.nextLong(6 * SECOND);
    MemcachedHost server = server();
    if (lasts > NOTICED) {
      world.serverFault(server.host(), lasts);
    }
    server.stall(lasts);
  }

  private void misbehave() {
    long lasts = random.nextLong(20 * SECOND);
    MemcachedHost server = server();
    world.lies(server.host(), lasts);
    server.misbehave(lasts);
  }

  private void loseReplies(long lasts, int most) {
    world.moments().repliesAreLost(lasts);
    for (MemcachedHost server : world.servers()) {
      world.serverFault(server.host(), lasts);
      server.loseReplies(lasts, most);
    }
  }

  private void vanish() {
    vanish(server(), random.nextLong(10 * SECOND));
  }

  private void vanish(MemcachedHost server, long lasts) {
    world.serverFault(server.host(), lasts);
    world.network().vanish(server.host());
    world.simulator().after(lasts, () -> world.network().comeBack(server.host()));
  }

  private void resetServers() {
    String host = server().host();
    world.serverFault(host, 0);
    reset(socket -> socket.remote().getHostString().equals(host));
  }

  // Only those whose connections are cut may notice.
  private void resetClients() {
    for (SimulatedSocket socket :
        world.network().sockets(socket -> socket.local().getHostString().startsWith("10.1."))) {
      if (random.nextInt(3) == 0) {
        socket.cut();
      }
    }
  }

  private void pauseLoop() {
    long lasts = random.nextLong(random.nextInt(3) == 0 ? 4 * SECOND : SECOND / 10);
    GatewayHost paused = gateway();
    pauses(paused, lasts);
    if (paused.transport().loops() > 0) {
      paused.transport().pause(random.nextInt(paused.transport().loops()), lasts);
    }
  }

  private void pauseProcess() {
    long lasts = random.nextLong(random.nextInt(3) == 0 ? 4 * SECOND : SECOND / 10);
    GatewayHost paused = gateway();
    pauses(paused, lasts);
    paused.transport().pause(lasts);
  }

  private void pauses(GatewayHost paused, long lasts) {
    if (lasts > NOTICED) {
      world.gatewayFault(paused.host(), lasts);
    } else {
      world.nodeFault(lasts);
    }
  }

  private void restart() {
    restart(gateway(), random.nextBoolean(), random);
  }

  private void restart(GatewayHost restarted, boolean drains, RandomGenerator choices) {
    if (!restarted.isUp()) {
      return;
    }
    long lasts = Math.max(15 * SECOND, unanswered - world.simulator().now());
    world.gatewayFault(restarted.host(), lasts);
    long pause = choices.nextLong(SECOND);
    String yaml = scenario.yaml(restarted.host(), choices);
    world.restart();
    restarted.stop(
        drains,
        () ->
            world
                .simulator()
                .after(
                    pause,
                    () -> {
                      world.restart();
                      restarted.start(yaml);
                    }));
  }

  private void reload() {
    GatewayHost reloaded = gateway();
    reloaded.reload(scenario.yaml(reloaded.host(), random));
  }

  @Override
  public void reload(String gateway) {
    GatewayHost reloaded = gateway(gateway);
    reloaded.reload(scenario.yaml(gateway, asked));
  }

  @Override
  public void replaceCaches(String gateway) {
    GatewayHost reloaded = gateway(gateway);
    String yaml = scenario.yaml(gateway, asked);
    while (Rule.haveSameCaches(yaml, reloaded.yaml())) {
      yaml = scenario.yaml(gateway, asked);
    }
    reloaded.reload(yaml);
  }

  @Override
  public void restart(String gateway) {
    if (!world.isEnding()) {
      restart(gateway(gateway), false, asked);
    }
  }

  @Override
  public void loseReplies(long nanos) {
    if (!world.isEnding()) {
      loseReplies(nanos, 1);
    }
  }

  @Override
  public void vanish(long nanos) {
    List<MemcachedHost> second =
        world.servers().stream()
            .filter(server -> server.host().startsWith(Scenario.SECOND_POOL))
            .toList();
    if (!world.isEnding()) {
      vanish(second.get(asked.nextInt(second.size())), nanos);
    }
  }

  @Override
  public void pauseLoop(String gateway, long nanos) {
    SimulatedTransport loops = gateway(gateway).transport();
    if (loops.loops() > 0) {
      loops.pause(asked.nextInt(loops.loops()), nanos);
    }
  }

  private GatewayHost gateway(String host) {
    return gateways.stream().filter(one -> one.host().equals(host)).findFirst().orElseThrow();
  }
}
