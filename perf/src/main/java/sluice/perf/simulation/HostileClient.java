package sluice.perf.simulation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import sluice.perf.simulation.system.SimulatedPeer;
import sluice.testkit.hostile.Bender;

/**
 * Client that sends lines that are almost valid, or not at all, and closes at any moment. Its
 * replies do not matter; those of its neighbours do.
 */
final class HostileClient {
  // It must not do to others what a client may do.
  private static final Pattern WITHOUT =
      Pattern.compile("flush_all|cache_memlimit|shutdown|\\b[0-9]+:k[0-9]|\\bi[0-9]:");

  /** What a store inside the gateway tells of its process differs from run to run. */
  private static final Pattern STATISTICS = Pattern.compile("stat");

  private static final long MOST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

  private final class Connection extends SimulatedPeer {
    private boolean ended; // one side sends nothing any more

    Connection() {
      super(world.simulator());
    }

    @Override
    protected void begins() {
      attack();
    }

    private void attack() {
      if (isOver()) {
        return;
      }
      if (world.isEnding()) {
        abort();
        return;
      }
      int count = random.nextInt(1, 6);
      for (int i = 0; i < count; i++) {
        byte[] bytes = bender.next();
        String text = new String(bytes, ISO_8859_1);
        if (WITHOUT.matcher(text).find() || (stored && STATISTICS.matcher(text).find())) {
          continue;
        }
        if (random.nextInt(30) == 0) {
          bytes = java.util.Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
        }
        send(bytes);
      }
      world.countRequests(count);
      switch (random.nextInt(12)) {
        case 0 -> finish();
        case 1 -> abort();
        case 2 -> {
          halfClose();
          ended = true;
        }
        case 3 -> reading(false);
        default -> reading(true);
      }
      if (!isOver()) {
        simulator().after(world.pause(random, MOST_PAUSE_NANOS), this::goOn);
      }
    }

    private void goOn() {
      if (random.nextInt(12) == 0 || ended) {
        abort();
      } else {
        attack();
      }
    }

    @Override
    protected void receives(byte[] bytes) {
      // they do not matter
    }

    @Override
    protected void peerEnds() {
      ended = true;
      finish();
    }

    @Override
    protected long thinks() {
      return 10_000;
    }
  }

  private final World world;
  private final String host;
  private final RandomGenerator random;
  private final Bender bender;
  private final Scenario scenario;
  private final boolean stored;

  HostileClient(World world, Scenario scenario, int number) {
    this.world = world;
    this.host = "10.1.2." + number;
    this.random = world.simulator().stream();
    this.scenario = scenario;
    stored = scenario.rules().contains(Rule.EMBEDDED);
    List<Rule> rules = scenario.rules();
    String prefix = rules.get(random.nextInt(rules.size())).prefix();
    bender = new Bender(new Random(random.nextLong()), prefix + "h" + number + ":");
  }

  void start() {
    world
        .simulator()
        .after(world.withRests(random.nextLong(TimeUnit.SECONDS.toNanos(3))), this::connect);
  }

  private void connect() {
    if (world.isEnding()) {
      return;
    }
    Connection connection = new Connection();
    var gateways = world.gateways();
    InetSocketAddress to = gateways.get(random.nextInt(gateways.size()));
    if (scenario.hasTls(to.getHostString()) && random.nextInt(4) == 0) {
      to = SecureListener.address(to);
    }
    connection.connects(world.network().connect(host, to, connection));
    start();
  }
}
