package sluice.perf.simulation;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import sluice.perf.simulation.system.SimulatedNetwork;
import sluice.perf.simulation.system.SimulationThread;
import sluice.perf.simulation.system.Simulator;

/** One simulation: two gateways with their servers and clients, from their start to their end. */
final class Life {
  /**
   * What became of it.
   *
   * @param hash of everything that happened
   * @param requests that clients sent
   * @param replies that checked clients have judged
   * @param faults that the seed chose
   * @param clients that the seed chose
   * @param events of the simulation
   * @param findings what must not happen, and did
   * @param firstFinding when the first was, in seconds; 0 without any
   */
  record Outcome(
      long seed,
      long hash,
      long requests,
      Tally.Counts replies,
      int faults,
      int clients,
      long events,
      List<String> findings,
      long firstFinding) {}

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final Plan plan;
  private final Simulator simulator;
  private final World world;
  private final Scenario scenario;
  private final List<GatewayHost> gateways = new ArrayList<>();
  private final @Nullable ServerSource source; // null: no server is discovered
  private final Buckets buckets;
  private final Faults faults;
  private final List<CheckedClient> checked = new ArrayList<>();
  private int clients;

  private Life(Plan plan) {
    this.plan = plan;
    simulator = new Simulator(plan.seed());
    world = new World(simulator, new SimulatedNetwork(simulator), plan.seconds());
    scenario = new Scenario(simulator.stream());
    source =
        switch (scenario.discovery()) {
          case NONE -> null;
          case ELASTICACHE -> new ClusterEndpoint(world, scenario);
          case DNS, SRV -> new NameServerHost(world, scenario);
        };
    buckets = new Buckets(scenario.limits());
    faults = new Faults(world, scenario, gateways, source, plan);
    world.operator(faults);
  }

  /**
   * Runs one, on this {@link SimulationThread}.
   *
   * @param trace receives a line for everything that happens; null for none
   */
  static Outcome run(Plan plan, @Nullable PrintStream trace, ErrorLog log) {
    Life life = new Life(plan);
    if (trace != null) {
      life.simulator.verbose(trace);
    }
    ((SimulationThread) Thread.currentThread()).follow(life.simulator);
    log.follow(life.simulator::finding, life.simulator::note, life.world.excuses());
    try {
      life.run();
    } catch (RuntimeException | Error e) {
      life.simulator.failed("the simulation failed", e);
    }
    return life.outcome();
  }

  private void run() {
    long before = used();
    if (!scenario.takeBinary()) {
      world.journal().isComplete();
    }
    if (scenario.isChained()) {
      world.excuses().chain();
    }
    for (boolean second : new boolean[] {false, true}) {
      for (int i = 0; i < scenario.servers(); i++) {
        String host = scenario.serverHost(second, i);
        MemcachedHost server =
            new MemcachedHost(
                simulator,
                world.network(),
                host,
                scenario.takeBinary() ? MemcachedHost.Kind.STORE : MemcachedHost.Kind.MODEL,
                scenario.doServersHaveTls(),
                scenario.dialect().equals("binary"),
                world.journal());
        server.start();
        world.servers().add(server);
      }
    }
    for (int i = 0; i < scenario.igniteNodes(); i++) {
      String host = Scenario.igniteHost(i);
      MemcachedHost node =
          new MemcachedHost(
              simulator,
              world.network(),
              host,
              MemcachedHost.Kind.IGNITE,
              false,
              true,
              (key, flags) -> {});
      node.start();
      world.servers().add(node);
    }
    for (int i = 1; scenario.hasNodes() && i <= 2; i++) {
      NodeHost node = new NodeHost(world, scenario.nodeTls(), i);
      node.start();
      world.nodes().add(node);
    }
    if (source != null) {
      source.start();
    }
    RandomGenerator configurations = simulator.stream();
    for (int i = 1; i <= 2; i++) {
      GatewayHost gateway = new GatewayHost(world, Scenario.GATEWAYS + i, scenario);
      gateway.onStart(() -> buckets.restart(gateway.host(), simulator.now()));
      gateway.start(scenario.yaml(gateway.host(), configurations));
      gateways.add(gateway);
      world.gateways().add(gateway.address());
      if (scenario.limitsAge(gateway.host())) {
        world.excuses().limitAge(gateway.address());
      }
      if (scenario.hasTls(gateway.host())) {
        world.network().encrypts(SecureListener.address(gateway.address()));
      }
      if (scenario.isChained()) {
        simulator.run(SECOND / 10); // otherwise the second one may find the first one down
      }
    }
    simulator.run(SECOND);
    var random = simulator.stream();
    SharedKeys shared = new SharedKeys(world, scenario);
    for (int i = random.nextInt(2, 9); i > 0; i--) {
      CheckedClient client = new CheckedClient(world, scenario, shared, i);
      join(
          () -> {
            client.start();
            checked.add(client);
          });
    }
    boolean binary = scenario.takeBinary() || !scenario.dialect().equals("same");
    if (binary) {
      join(new BinaryClient(world, scenario, shared, 1)::start);
    }
    join(new CrowdClient(world, scenario, shared, 1)::start);
    if (random.nextBoolean()) {
      join(new DesertingClient(world, scenario, 1)::start);
    }
    if (random.nextBoolean()) {
      join(new ImpatientClient(world, scenario, 1)::start);
    }
    for (int i = random.nextInt(3); i > 0; i--) {
      join(new HostileClient(world, scenario, i)::start);
    }
    if (scenario.hasNodes()) {
      joinNodes(random);
    }
    for (int i = scenario.limits().isEmpty() ? 0 : random.nextInt(1, 4); i > 0; i--) {
      join(new LimitedClient(world, scenario, buckets, i)::start);
    }
    if (binary && !scenario.limits().isEmpty() && random.nextInt(3) > 0) {
      join(new LimitedBinaryClient(world, scenario, buckets, 1)::start);
    }
    for (int i = scenario.hasIgniteClients() ? random.nextInt(1, 3) : 0; i > 0; i--) {
      join(new IgniteClient(world, scenario, buckets, i)::start);
    }
    if (gateways.stream().anyMatch(gateway -> scenario.hasBriefPool(gateway.host()))) {
      join(new PunctualClient(world, scenario, 1)::start);
    }
    if (random.nextInt(8) > 0) {
      faults.start();
    }
    for (int i = binary ? simulator.stream().nextInt(3) : 0; i > 0; i--) {
      join(new HostileBinaryClient(world, scenario, i)::start);
    }
    if (gateways.stream().anyMatch(gateway -> scenario.hasSharedPool(gateway.host()))) {
      join(new BurstClient(world, scenario, 1)::start);
    }
    if (gateways.stream().anyMatch(gateway -> scenario.limitsAge(gateway.host()))) {
      join(new AgingClient(world, 1)::start);
    }
    if (gateways.stream().anyMatch(gateway -> scenario.hasLastingPool(gateway.host()))) {
      join(new LastingClient(world, scenario, 1)::start);
    }
    simulator.run(plan.seconds() * SECOND);
    world.end();
    simulator.run(40 * SECOND);
    checked.forEach(CheckedClient::mustHaveEnded);
    while (world.areLinksExcused() && scenario.hasNodes()) {
      simulator.run(10 * SECOND); // until the kernels give up connections to vanished nodes
    }
    for (GatewayHost gateway : gateways) {
      gateway.transport().channels().forEach(simulator::note);
    }
    for (int i = gateways.size() - 1; i >= 0; i--) { // the second one may be a client of the first
      for (int looks = 0; gateways.get(i).isBuffering() && looks < 5; looks++) {
        simulator.run(SECOND / 10); // Ignite nodes are sent a NOOP every two seconds
      }
      gateways.get(i).mustBeIdle();
      gateways.get(i).mustHaveCounted(buckets.of(gateways.get(i).host()));
      if (source != null) {
        gateways.get(i).mustHaveLeft(source);
      }
      gateways.get(i).stop(true, () -> {});
      simulator.run(10 * SECOND);
    }
    for (GatewayHost gateway : gateways) {
      if (gateway.isUp()) {
        simulator.finding(gateway.host() + " did not stop");
      }
    }
    world.servers().forEach(MemcachedHost::stop);
    world.nodes().forEach(NodeHost::crash);
    GatewayHost.forget();
    long leaked = used() - before;
    if (leaked != 0) {
      simulator.finding(leaked + " bytes of buffers were not released");
    }
  }

  private void joinNodes(RandomGenerator random) {
    List<NodeListener> listeners = new ArrayList<>();
    for (GatewayHost gateway : gateways) {
      for (int to = 1; to <= 2; to++) {
        InetSocketAddress address = new InetSocketAddress(gateway.host(), NodeYaml.port(to));
        boolean tls = scenario.nodeTls().isOfListener(to);
        listeners.add(new NodeListener(address, tls));
        if (tls) {
          world.network().encrypts(address);
        }
      }
    }
    for (int from = 1; from <= 2; from++) {
      for (int i = random.nextInt(1, 4); i > 0; i--) {
        NodeListener to = listeners.get(2 * random.nextInt(gateways.size()) + 2 - from);
        join(new NodeInitiator(world, scenario, NodeYaml.host(from), to)::start);
      }
    }
    for (int i = random.nextInt(2); i > 0; i--) {
      join(new HostileNode(world, i, listeners)::start);
    }
  }

  private void join(Runnable starts) {
    clients++;
    if (plan.hasClient(clients)) {
      starts.run();
    }
  }

  private Outcome outcome() {
    return new Outcome(
        plan.seed(),
        simulator.hash(),
        world.requests(),
        world.tally().counts(),
        faults.count(),
        clients,
        simulator.steps(),
        simulator.findings(),
        TimeUnit.NANOSECONDS.toSeconds(simulator.firstFinding()));
  }

  private static long used() {
    return ByteBufAllocator.DEFAULT instanceof ByteBufAllocatorMetricProvider provider
        ? provider.metric().usedDirectMemory()
        : 0;
  }
}
