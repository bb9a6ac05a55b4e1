package sluice.perf.simulation;

import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Client as {@link LimitedClient}, of the binary protocol. */
final class LimitedBinaryClient {
  private static final int KEYS = 2; // of each limit
  private static final int MOST_BEYOND = 6; // requests that a bucket cannot hold
  private static final long MOST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(8);

  private final class Connection extends CheckedConnection {
    private final ArrayDeque<LimitedPacket> pending = new ArrayDeque<>();
    private final Packets packets = new Packets();

    Connection() {
      super(world, name, entrance, null);
    }

    @Override
    void sendBatch() {
      if (isOver()) {
        return;
      }
      if (world.isEnding()) {
        finish();
        return;
      }
      int count = random.nextInt(3) == 0 ? random.nextInt(1, most) : random.nextInt(1, 4);
      boolean quiet = random.nextInt(3) == 0;
      ByteArrayOutputStream batch = new ByteArrayOutputStream();
      for (int i = 1; i <= count; i++) {
        LimitedPacket packet = next(quiet && i < count); // the last one has a reply
        packet.begins(this, buckets, !entrance.equals(gateway), simulator().now());
        pending.add(packet);
        batch.writeBytes(packet.bytes());
      }
      world.countRequests(count);
      if (random.nextInt(8) == 0) {
        sendSlowly(batch.toByteArray(), random);
      } else {
        send(batch.toByteArray());
      }
      watch();
    }

    @Override
    @Nullable String waitsFor() {
      return pending.isEmpty() ? null : "reply to " + pending.getFirst();
    }

    @Override
    boolean isReading() {
      return pending.stream().anyMatch(LimitedPacket::reads);
    }

    @Override
    protected void receives(byte[] bytes) {
      if (passes(packets, bytes, this::judge) && pending.isEmpty()) {
        simulator().after(world.pause(random, pauseNanos), this::sendBatch);
      }
    }

    private @Nullable String judge(BinaryReply reply) {
      LimitedPacket packet = pending.poll();
      while (packet != null && packet.isQuiet() && !packet.isAnsweredBy(reply)) {
        world.tally().judged(packet.key.isKnown());
        String wrong = packet.judgeSilence(simulator().now());
        if (wrong != null) {
          return wrong;
        }
        packet = pending.poll();
      }
      if (packet == null) {
        return "a reply without a request";
      }
      world.tally().judged(packet.key.isKnown());
      return packet.judge(reply, this::isExcused, simulator().now());
    }

    @Override
    void lost() {
      abort();
      world.tally().excused(pending.size());
      long until = simulator().now() + LimitedClient.HANDLED_NANOS;
      pending.forEach(packet -> packet.unknown(until));
      pending.clear();
      connectLater();
    }

    @Override
    protected long thinks() {
      return random.nextInt(5_000, 60_000);
    }
  }

  private final World world;
  private final String name;
  private final String prefix;
  private final String host;
  private final InetSocketAddress gateway; // has the limits
  private final InetSocketAddress entrance; // the gateway that it connects to
  private final List<Bucket> buckets;
  private final RandomGenerator random;
  private final List<OrderedKey> keys = new ArrayList<>();
  private final long pauseNanos;
  private final int most; // requests at once
  private int keyNumber;

  LimitedBinaryClient(World world, Scenario scenario, Buckets buckets, int number) {
    this.world = world;
    this.name = "limited binary client " + number;
    this.prefix = "41" + number;
    this.host = "10.1.8." + number;
    this.random = world.simulator().stream();
    this.gateway = LimitedClient.gateway(world, scenario, random);
    this.entrance = LimitedClient.entrance(world, scenario, gateway, random);
    this.buckets = buckets.of(gateway.getHostString(), Limit.CACHE);
    pauseNanos = random.nextLong(MOST_PAUSE_NANOS / 10, MOST_PAUSE_NANOS);
    int burst = 1;
    for (Bucket bucket : this.buckets) {
      burst = Math.max(burst, bucket.limit().burst());
      for (int i = 0; i < KEYS; i++) {
        keys.add(fresh(bucket.limit().prefix()));
      }
    }
    most = burst + random.nextInt(2, MOST_BEYOND);
    keys.add(fresh("")); // without a limit
  }

  private OrderedKey fresh(String of) {
    return new OrderedKey(world, Rule.PLAIN, of + prefix + ":k" + ++keyNumber);
  }

  private LimitedPacket next(boolean quiet) {
    int at = random.nextInt(keys.size());
    OrderedKey key = keys.get(at);
    if (key.isWorn()) {
      key = fresh(key.name().substring(0, key.name().indexOf(prefix + ":k")));
      keys.set(at, key);
    }
    int opaque = (int) random.nextLong();
    return switch (random.nextInt(6)) {
      case 0 -> LimitedPacket.delete(opaque, key, quiet);
      case 1, 2 -> LimitedPacket.set(opaque, key, random.nextInt(20, 200), quiet);
      default -> LimitedPacket.get(opaque, key, random.nextBoolean(), quiet);
    };
  }

  void start() {
    connectLater();
  }

  private void connectLater() {
    world.simulator().after(random.nextLong(50_000_000), this::connect);
  }

  private void connect() {
    if (!world.isEnding()) {
      new Connection().connect(host);
    }
  }
}
