package sluice.perf.simulation;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Several connections of one host to a gateway whose event loops share one connection to a server.
 * All of them send reads of one key while the server handles nothing, so that it finds requests of
 * several event loops in one read. Every reply is judged.
 *
 * <p>After a fault, a burst has several parts, and the server ends the connection instead of
 * replying to each. So reads that are retried meet the first ones of a new connection.
 */
final class BurstClient {
  private static final int CONNECTIONS = 4;

  /** Requests of a burst on one connection. */
  private static final int REQUESTS = 12;

  /** The server handles nothing for that long: all requests arrive within it. */
  private static final long STALL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** Parts of a burst after a fault. */
  private static final int PARTS = 4;

  /** Requests of a part on one connection: the gateway retries a few at once. */
  private static final int REQUESTS_OF_PART = 4;

  /** Between two parts, the server ends a connection, and gets another. */
  private static final long MOST_GAP_NANOS = TimeUnit.MILLISECONDS.toNanos(4);

  private static final long LEAST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long MOST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final class Connection extends RequestConnection {
    Connection() {
      super(world, name, gateway, random);
    }

    @Override
    void sendBatch() {
      if (--missing == 0) {
        burst();
      }
    }

    void sends(int requests) {
      if (isOver()) {
        return;
      }
      List<Request> reads = new ArrayList<>();
      for (int i = 0; i < requests; i++) {
        reads.add(Request.metaGet(key, key.name(), "", Integer.toString(++opaque)));
      }
      send(begin(reads));
      watch();
    }

    @Override
    void answered() {
      if (parts == 0) {
        leaves();
      }
    }

    @Override
    void closed() {
      // the next burst has others
    }
  }

  private final World world;
  private final String name;
  private final String host;
  private final InetSocketAddress gateway;
  private final RandomGenerator random;
  private List<Connection> connections = List.of(); // of the last burst
  private CheckedKey key;
  private int parts; // of the burst that are still to come, unless it has only one
  private boolean calm = true; // there was a burst without a fault since the last one with parts
  private int missing; // connections that the next burst waits for
  private int keyNumber;
  private int opaque;

  BurstClient(World world, Scenario scenario, int number) {
    this.world = world;
    this.name = "burst client " + number;
    this.host = "10.1.11." + number;
    this.random = world.simulator().stream();
    List<InetSocketAddress> sharing =
        world.gateways().stream()
            .filter(one -> scenario.hasSharedPool(one.getHostString()))
            .toList();
    gateway = sharing.get(random.nextInt(sharing.size()));
    key = fresh();
  }

  // No item has it.
  private CheckedKey fresh() {
    return new CheckedKey(world, Rule.PLAIN, SharedPool.PREFIX + "90:k" + ++keyNumber);
  }

  void start() {
    connections.stream().filter(one -> !one.isOver()).forEach(CheckedConnection::leaves);
    if (world.isEnding()) {
      return;
    }
    key = fresh();
    parts = 0;
    List<Connection> next = new ArrayList<>();
    missing = CONNECTIONS;
    for (int i = 0; i < CONNECTIONS; i++) {
      Connection connection = new Connection();
      next.add(connection);
      connection.connect(host);
    }
    connections = next;
    long pause = random.nextLong(LEAST_PAUSE_NANOS, MOST_PAUSE_NANOS);
    world.simulator().after(world.withRests(pause), this::start);
  }

  private void burst() {
    if (calm && world.isExcused()) {
      calm = false; // its parts are excused, too, and so would be the next ones
      parts = PARTS;
      part();
      return;
    }
    calm |= !world.isExcused();
    stall();
    connections.forEach(one -> one.sends(REQUESTS));
  }

  private void part() {
    if (world.isEnding()) {
      parts = 0;
      return;
    }
    parts--;
    stall();
    world.operator().loseReplies(2 * STALL_NANOS);
    connections.forEach(one -> one.sends(REQUESTS_OF_PART));
    if (parts > 0) {
      world.simulator().after(STALL_NANOS + random.nextLong(MOST_GAP_NANOS), this::part);
    }
  }

  private void stall() {
    for (MemcachedHost server : world.servers()) {
      server.stall(STALL_NANOS);
    }
  }
}
