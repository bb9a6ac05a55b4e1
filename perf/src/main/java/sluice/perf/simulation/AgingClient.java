package sluice.perf.simulation;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Client that keeps its connection until its gateway may close it for its age. From then on it
 * sends large values with gaps in them, one after the other, so that the end almost always comes
 * inside one. Every reply is judged.
 */
final class AgingClient {
  private static final int LEAST_VALUE = 20_000;
  private static final int MOST_VALUE = 60_000;
  private static final int MOST_SMALL_VALUE = 200;
  private static final long MOST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** Between two large values. No gateway takes a client for idle after so short a time. */
  private static final long MOST_GAP_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final class Connection extends RequestConnection {
    Connection() {
      super(world, name, gateway, random);
    }

    @Override
    void sendBatch() {
      if (isOver() || world.isEnding()) {
        finish();
        return;
      }
      boolean old = isOld();
      Request next = old || random.nextBoolean() ? set(old) : Request.get("get", List.of(key));
      byte[] bytes = begin(next);
      if (old) {
        sendSlowly(bytes, random, true);
      } else {
        send(bytes);
      }
      watch();
    }

    private Request set(boolean large) {
      int length =
          large
              ? random.nextInt(LEAST_VALUE, MOST_VALUE)
              : random.nextInt(LEAST_VALUE / 1_000, MOST_SMALL_VALUE);
      return set(key, length);
    }

    @Override
    void answered() {
      long pause = isOld() ? MOST_GAP_NANOS : MOST_PAUSE_NANOS;
      simulator().after(world.withRests(random.nextLong(pause)), this::sendBatch);
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

  /** A client of one of the gateways that close old connections. */
  AgingClient(World world, int number) {
    this.world = world;
    this.name = "aging client " + number;
    this.host = "10.1.10." + number;
    this.random = world.simulator().stream();
    List<InetSocketAddress> aging =
        world.gateways().stream().filter(world.excuses()::isAgeLimited).toList();
    gateway = aging.get(random.nextInt(aging.size()));
    key = fresh();
  }

  private CheckedKey fresh() {
    return new CheckedKey(world, Rule.PLAIN, "80:k" + ++keyNumber);
  }

  void start() {
    connectLater();
  }

  private void connectLater() {
    world.simulator().after(random.nextLong(50_000_000), this::connect);
  }

  private void connect() {
    if (!world.isEnding()) {
      key = fresh();
      new Connection().connect(host);
    }
  }
}
