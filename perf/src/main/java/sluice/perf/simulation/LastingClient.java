package sluice.perf.simulation;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Client that writes a large value in chunks and a small one, and then only reads them, mostly
 * during faults. After a fault in which no server lost its items, both must be there again. It
 * sends the reads together, so that a part of the second reply often comes with the first.
 */
final class LastingClient {
  private static final int LEAST_LARGE = 3_000;
  private static final int MOST_LARGE = 9_000;
  private static final int LEAST_SMALL = 1_000;
  private static final int MOST_SMALL = 2_000; // one chunk at most

  private static final long TICK_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** After a fault of any kind, one of its servers vanishes for that long. */
  private static final long LEAST_GONE_NANOS = TimeUnit.SECONDS.toNanos(3);

  private static final long MOST_GONE_NANOS = TimeUnit.SECONDS.toNanos(8);

  /** In a time without a fault, it reads at one tick of so many. */
  private static final int TICKS = 16;

  private final class Connection extends RequestConnection {
    Connection() {
      super(world, name, gateway, random);
    }

    @Override
    void sendBatch() {
      // at the next tick
    }

    void sends(List<Request> requests) {
      send(begin(requests));
      watch();
    }

    @Override
    void answered() {
      if (written && !world.isExcused() && large.isCertain()) {
        stored.addAll(writes);
      }
      writes.clear();
      written = false;
    }

    @Override
    void closed() {
      writes.clear();
      written = false;
    }
  }

  private final World world;
  private final String name;
  private final String host;
  private final InetSocketAddress gateway;
  private final RandomGenerator random;
  private final List<LastingRead.Stored> stored = new ArrayList<>(); // a large value, and another
  private final List<LastingRead.Stored> writes = new ArrayList<>(); // under way
  private @Nullable Connection connection; // the last one; null before the first
  private CheckedKey large;
  private boolean calm; // it has read without a fault since a server vanished
  private boolean written; // the writes were sent
  private int keyNumber;

  LastingClient(World world, Scenario scenario, int number) {
    this.world = world;
    this.name = "lasting client " + number;
    this.host = "10.1.12." + number;
    this.random = world.simulator().stream();
    List<InetSocketAddress> lasting =
        world.gateways().stream()
            .filter(one -> scenario.hasLastingPool(one.getHostString()))
            .toList();
    gateway = lasting.get(random.nextInt(lasting.size()));
    large = fresh();
  }

  private CheckedKey fresh() {
    return new CheckedKey(world, Rule.PLAIN, LastingPool.PREFIX + "95:k" + ++keyNumber);
  }

  void start() {
    tick();
  }

  private void tick() {
    Connection now = connection;
    if (world.isEnding()) {
      if (now != null && !now.isOver()) {
        now.finish();
      }
      return;
    }
    if (now == null || now.isOver()) {
      connection = new Connection();
      connection.connect(host);
    } else if (now.isConnected() && !now.waits()) {
      requests(now);
    }
    world.simulator().after(TICK_NANOS, this::tick);
  }

  private void requests(Connection on) {
    if (!large.isCertain()) {
      stored.clear(); // a server has lost its items
    }
    if (stored.isEmpty()) {
      if (!world.isExcused() && random.nextInt(4) == 0) {
        large = fresh();
        on.sends(
            List.of(
                set(large, random.nextInt(LEAST_LARGE, MOST_LARGE)),
                set(fresh(), random.nextInt(LEAST_SMALL, MOST_SMALL))));
        written = true;
      }
    } else if (calm && world.isExcused()) {
      calm = false; // it excuses the next ticks, too
      world.operator().vanish(random.nextLong(LEAST_GONE_NANOS, MOST_GONE_NANOS));
    } else if (world.isExcused() || random.nextInt(TICKS) == 0) {
      List<LastingRead.Stored> small = List.of(stored.get(1));
      calm |= !world.isExcused();
      on.sends(
          List.of(
              new LastingRead(List.copyOf(stored), this::mayMiss),
              new LastingRead(small, this::mayMiss)));
    }
  }

  private Request set(CheckedKey key, int length) {
    Request set = RequestConnection.set(key, length);
    String value = key.value();
    if (value != null) {
      writes.add(new LastingRead.Stored(key, value, key.flags()));
    }
    return set;
  }

  private boolean mayMiss() {
    return world.isExcused() || !large.isCertain();
  }
}
