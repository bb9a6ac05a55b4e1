package sluice.perf.simulation;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Client that writes a large value, and the next one when its gateway is about to close the idle
 * connection that took the first, so that both happen at once. Before half of the values, an event
 * loop is paused for a moment: if it is the one with the connection, it finds the request behind
 * the look at idle connections, and closes nothing between them. Every reply is judged.
 */
final class PunctualClient {
  /** Values of that size have a connection for themselves. */
  private static final int LEAST_VALUE = 66_000;

  private static final int MOST_VALUE = 70_000;
  private static final int MOST_IN_A_ROW = 8;

  /** A connection's last use is some milliseconds before the reply. */
  private static final long EARLY_NANOS = TimeUnit.MILLISECONDS.toNanos(8);

  private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long MOST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(8);

  /** A loop is paused for that long. Loops look at idle connections every 10 ms or more. */
  private static final long LEAST_LOOP_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private static final long MOST_LOOP_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(60);

  private final class Connection extends RequestConnection {
    private int left = random.nextInt(3, MOST_IN_A_ROW); // values

    Connection() {
      super(world, name, gateway, random);
    }

    @Override
    void sendBatch() {
      if (isOver() || world.isEnding()) {
        finish();
        return;
      }
      left--;
      send(begin(set(key, random.nextInt(LEAST_VALUE, MOST_VALUE))));
      watch();
    }

    @Override
    void answered() {
      if (left == 0) {
        leaves();
        connectLater();
        return;
      }
      long due = BriefPool.IDLE_NANOS + random.nextLong(-EARLY_NANOS, LATE_NANOS);
      simulator().after(due, this::sendBatch);
      if (random.nextBoolean()) {
        pauseLoop(due);
      }
    }

    private void pauseLoop(long due) {
      long lasts = random.nextLong(LEAST_LOOP_PAUSE_NANOS, MOST_LOOP_PAUSE_NANOS);
      simulator()
          .after(
              due - random.nextLong(lasts),
              () -> world.operator().pauseLoop(gateway.getHostString(), lasts));
    }

    @Override
    void closed() {
      connectLater();
    }
  }

  private final World world;
  private final String name;
  private final String host;
  private final InetSocketAddress gateway;
  private final RandomGenerator random;
  private CheckedKey key;
  private int keyNumber;

  PunctualClient(World world, Scenario scenario, int number) {
    this.world = world;
    this.name = "punctual client " + number;
    this.host = "10.1.9." + number;
    this.random = world.simulator().stream();
    List<InetSocketAddress> brief =
        world.gateways().stream()
            .filter(one -> scenario.hasBriefPool(one.getHostString()))
            .toList();
    gateway = brief.get(random.nextInt(brief.size()));
    key = fresh();
  }

  private CheckedKey fresh() {
    return new CheckedKey(world, Rule.PLAIN, BriefPool.PREFIX + "70:k" + ++keyNumber);
  }

  void start() {
    connectLater();
  }

  private void connectLater() {
    world.simulator().after(world.withRests(random.nextLong(MOST_PAUSE_NANOS)), this::connect);
  }

  private void connect() {
    if (!world.isEnding()) {
      key = fresh(); // of another server, perhaps
      new Connection().connect(host);
    }
  }
}
