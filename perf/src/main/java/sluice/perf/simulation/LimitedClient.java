package sluice.perf.simulation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Client that sends requests to keys with a {@link Limit}, now and then more at once than their
 * buckets hold. It judges every reply, and what its gateway rejects.
 */
final class LimitedClient {
  private static final int KEYS = 3; // of each limit
  private static final int MOST_BEYOND = 8; // requests that a bucket cannot hold
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(8);

  /** After a reload, it sends so many times as much as it can, to see what is in the buckets. */
  private static final int MOST_LOOKS = 8;

  /** Time between two of them. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  /** What is sent before a connection is lost may be handled until then. */
  static final long HANDLED_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final class Connection extends CheckedConnection {
    private final ArrayDeque<LimitedRequest> pending = new ArrayDeque<>();
    private final List<LimitedRequest> silent = new ArrayList<>(); // and not decided for certain
    private final Replies replies = new Replies();
    private boolean rejected; // one of its last requests

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
      StringBuilder text = new StringBuilder();
      int count = random.nextInt(4) == 0 ? random.nextInt(1, most) : random.nextInt(1, 4);
      if (looks > 0) {
        looks--;
        count = most;
      }
      rejected = false;
      for (int i = 1; i <= count; i++) {
        LimitedRequest request = next(i == count);
        request.begins(this, buckets, isRelayed(), simulator().now());
        pending.add(request);
        text.append(request.text());
      }
      world.countRequests(count);
      byte[] bytes = text.toString().getBytes(ISO_8859_1);
      if (random.nextInt(8) == 0) {
        sendSlowly(bytes, random);
      } else {
        send(bytes);
      }
      watch();
    }

    @Override
    @Nullable String waitsFor() {
      return pending.isEmpty() ? null : "reply to " + pending.getFirst().line();
    }

    @Override
    boolean isReading() {
      return pending.stream().anyMatch(LimitedRequest::reads);
    }

    @Override
    protected void receives(byte[] bytes) {
      hears();
      replies.add(bytes);
      while (!pending.isEmpty()) {
        LimitedRequest request = pending.getFirst();
        if (request.isSilent()) {
          request.passesSilently();
          silent.add(pending.removeFirst());
          continue;
        }
        replies.mark();
        boolean exactly = request.isExact();
        String verdict = request.judge(replies, simulator().now());
        if (verdict.equals(LimitedRequest.INCOMPLETE)) {
          replies.reset();
          return;
        }
        pending.removeFirst();
        rejected |= request.isRejected();
        silent.forEach(one -> one.decidedSilently(simulator().now()));
        silent.clear();
        verdict = excuse(request, verdict, exactly);
        if (!verdict.equals(LimitedRequest.FINE)) {
          fails(verdict);
          return;
        }
      }
      if (!replies.isEmpty()) {
        fails("bytes without a request: " + replies.rest());
        return;
      }
      reloadIfRejected();
      simulator().after(looks > 0 ? random.nextLong(LOOK_NANOS) : pause(), this::goOn);
    }

    // A bucket that is nearly empty shows whether a reload fills it.
    private void reloadIfRejected() {
      if (rejected && looks == 0 && random.nextInt(6) == 0) {
        looks = random.nextInt(1, MOST_LOOKS);
        world.operator().reload(gateway.getHostString());
      }
    }

    private String excuse(LimitedRequest request, String verdict, boolean exactly) {
      String error = request.error();
      if (error == null) {
        world.tally().judged(exactly);
      } else if (isExcused(error) || (isRelayed() && request.mayBeRejected())) {
        world.tally().excused(1);
      } else {
        return "an error without a fault: " + error + " to " + request.line();
      }
      return verdict;
    }

    private void goOn() {
      if (isOver()) {
        return;
      }
      if (!world.isEnding() && random.nextInt(40) == 0) {
        leaves();
        connectLater();
      } else {
        sendBatch();
      }
    }

    @Override
    void lost() {
      finish();
      world.tally().excused(pending.size());
      long until = simulator().now() + HANDLED_NANOS;
      silent.forEach(request -> request.unknown(until));
      pending.forEach(request -> request.unknown(until));
      silent.clear();
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
  private int looks; // at what is in the buckets, which are still to come

  LimitedClient(World world, Scenario scenario, Buckets buckets, int number) {
    this.world = world;
    this.name = "limited client " + number;
    this.prefix = "40" + number;
    this.host = "10.1.4." + number;
    this.random = world.simulator().stream();
    this.gateway = gateway(world, scenario, random);
    this.entrance = entrance(world, scenario, gateway, random);
    this.buckets = buckets.of(gateway.getHostString(), Limit.CACHE);
    pauseNanos = random.nextLong(PAUSE_NANOS / 20, PAUSE_NANOS);
    int burst = this.buckets.stream().mapToInt(bucket -> bucket.limit().burst()).max().orElse(1);
    most = burst + random.nextInt(2, MOST_BEYOND);
    for (Bucket bucket : this.buckets) {
      for (int i = 0; i < KEYS; i++) {
        keys.add(fresh(bucket.limit().prefix()));
      }
    }
    keys.add(fresh("")); // without a limit
  }

  /** Any gateway that has limits. */
  static InetSocketAddress gateway(World world, Scenario scenario, RandomGenerator random) {
    List<InetSocketAddress> limited = new ArrayList<>(world.gateways());
    limited.removeIf(gateway -> !scenario.hasLimits(gateway.getHostString()));
    return limited.get(random.nextInt(limited.size()));
  }

  /** The gateway to connect to for the limits of one: any that leads to it. */
  static InetSocketAddress entrance(
      World world, Scenario scenario, InetSocketAddress gateway, RandomGenerator random) {
    return scenario.hasAnotherInFront(gateway.getHostString())
        ? world.gateways().get(random.nextInt(world.gateways().size()))
        : gateway;
  }

  private boolean isRelayed() {
    return !entrance.equals(gateway);
  }

  private OrderedKey fresh(String of) {
    return new OrderedKey(world, Rule.PLAIN, of + prefix + ":k" + ++keyNumber);
  }

  private OrderedKey key() {
    int at = random.nextInt(keys.size());
    OrderedKey key = keys.get(at);
    if (key.isWorn()) {
      key = fresh(key.name().substring(0, key.name().indexOf(prefix + ":k")));
      keys.set(at, key);
    }
    return key;
  }

  private LimitedRequest next(boolean last) {
    int length = random.nextInt(20, 200);
    // A gateway may join classic gets of several clients, and asks for all of their values or none.
    return switch (random.nextInt(isRelayed() ? 5 : 10)) {
      case 0, 1 -> LimitedRequest.set(key(), length, false);
      case 2 -> LimitedRequest.set(key(), length, true);
      case 3 -> LimitedRequest.metaGet(key());
      case 4 -> LimitedRequest.delete(key());
      case 5, 6 -> LimitedRequest.get(several());
      case 7 ->
          last ? LimitedRequest.get(List.of(key())) : LimitedRequest.setSilently(key(), length);
      default -> LimitedRequest.get(List.of(key()));
    };
  }

  private List<OrderedKey> several() {
    List<OrderedKey> several = new ArrayList<>(keys);
    Collections.rotate(several, random.nextInt(several.size()));
    return List.copyOf(several.subList(0, random.nextInt(1, several.size() + 1)));
  }

  private long pause() {
    return random.nextInt(4) == 0
        ? random.nextLong(pauseNanos / 100)
        : world.pause(random, pauseNanos);
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
