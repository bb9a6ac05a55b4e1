package sluice.perf.simulation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import sluice.perf.simulation.system.SimulatedPeer;
import sluice.perf.simulation.system.TlsEnd;

/**
 * Client that asks for more than it reads: it stops reading anywhere inside its replies, and goes
 * some time later. Its replies do not matter; nothing of them may be left, and its neighbours must
 * not notice it.
 */
final class DesertingClient {
  private static final int MOST_KEYS = 4;
  private static final int LEAST_VALUE = 2_000;
  private static final int MOST_VALUE = 60_000;
  private static final int MOST_READS = 25;

  /** One in so many times, its gateway ends meanwhile. */
  private static final int ENDS = 16;

  /**
   * The same for the first time where values grow: what a gateway has read then is more than it can
   * handle.
   */
  private static final int ENDS_INSIDE = 2;

  /** For that long, a gateway waits for a client that reads nothing, and keeps its replies. */
  private static final long KEPT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** Others may have to wait behind replies of that many bytes. */
  private static final long FLOOD_BYTES = 256 * 1024;

  private static final long LEAST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(4);
  private static final long MOST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(25);
  private static final long MOST_SILENCE_NANOS = TimeUnit.SECONDS.toNanos(4);

  private final class Connection extends SimulatedPeer {
    private final InetSocketAddress gateway;
    private long unread; // bytes that it reads before it stops
    private boolean floods;
    private boolean grows; // what a server sends is compressed
    private boolean ends; // its gateway, while that keeps its replies

    Connection(InetSocketAddress gateway, @Nullable TlsEnd tls) {
      super(world.simulator(), tls);
      this.gateway = gateway;
    }

    @Override
    protected void begins() {
      Rule rule = rule();
      grows = rule == Rule.PACKED;
      int keys = grows ? 1 : random.nextInt(1, MOST_KEYS);
      int length =
          grows
              ? random.nextInt(MOST_VALUE, 2 * MOST_VALUE)
              : random.nextInt(LEAST_VALUE, MOST_VALUE);
      int reads = random.nextInt(grows ? MOST_READS / 2 : 3, MOST_READS);
      reads *= grows && !chained ? 2 : 1; // a gateway without memory answers no probe
      String name = rule.prefix() + prefix;
      String value = "v".repeat(length);
      StringBuilder text = new StringBuilder();
      StringBuilder all = new StringBuilder();
      for (int i = 0; i < keys; i++) {
        all.append(' ').append(name).append(i);
        text.append("set ").append(name).append(i).append(" 0 0 ").append(length);
        text.append("\r\n").append(value).append("\r\n");
      }
      for (int i = 0; i < reads; i++) {
        text.append("get").append(i % 3 == 0 ? all : " " + name + "0").append("\r\n");
      }
      long wanted = (long) length * (reads + (long) reads / 3 * keys);
      if (wanted > FLOOD_BYTES || chained) {
        floods = true;
        world.excuses().floodBegins(gateway.getHostString());
      }
      unread = random.nextLong(grows ? wanted / 8 : wanted); // the gateway has the rest
      ends = random.nextInt(grows && !hasEnded ? ENDS_INSIDE : ENDS) == 0;
      world.countRequests(keys + reads);
      send(text.toString().getBytes(ISO_8859_1));
      simulator().after(random.nextLong(TimeUnit.SECONDS.toNanos(1)), this::stops);
    }

    private void stops() {
      if (isOver()) {
        return;
      }
      reading(false);
      long silence = random.nextLong(MOST_SILENCE_NANOS);
      world.moments().begins(random, Math.max(1, silence));
      if (!grows) {
        endGateway(Math.max(1, silence));
      }
      simulator().after(silence, this::goes);
    }

    private void endGateway(long most) {
      if (ends && !world.isEnding()) {
        ends = false;
        hasEnded |= grows;
        simulator()
            .after(random.nextLong(most), () -> world.operator().restart(gateway.getHostString()));
      }
    }

    private void goes() {
      if (isOver()) {
        return;
      }
      if (random.nextBoolean()) {
        abort();
        ended();
        return;
      }
      finish();
      if (!isOver()) { // it has not sent everything: the gateway reads no more
        abort();
      }
      ended();
    }

    private void ended() {
      if (floods) {
        floods = false;
        world.excuses().floodEnds(gateway.getHostString());
      }
    }

    @Override
    protected void receives(byte[] bytes) {
      unread -= bytes.length;
      if (unread < 0) {
        reading(false);
        if (grows) {
          endGateway(KEPT_NANOS);
        }
      }
    }

    @Override
    protected void peerEnds() {
      finish();
      ended();
    }

    @Override
    protected void breaks(IOException why) {
      ended();
    }

    @Override
    protected long thinks() {
      return 20_000;
    }
  }

  private final World world;
  private final Scenario scenario;
  private final List<Rule> rules;
  private final boolean chained;
  private final String host;
  private final String prefix;
  private final RandomGenerator random;
  private boolean hasEnded; // its gateway, while that kept what it had read

  DesertingClient(World world, Scenario scenario, int number) {
    this.world = world;
    this.scenario = scenario;
    this.rules = scenario.rules();
    this.chained = scenario.isChained();
    this.host = "10.1.7." + number;
    this.prefix = "e" + number + ":";
    this.random = world.simulator().stream();
  }

  private Rule rule() {
    boolean packed = rules.contains(Rule.PACKED) && random.nextBoolean();
    return packed ? Rule.PACKED : rules.get(random.nextInt(rules.size()));
  }

  void start() {
    long pause = random.nextLong(LEAST_PAUSE_NANOS, MOST_PAUSE_NANOS);
    world.simulator().after(world.withRests(pause), this::connect);
  }

  private void connect() {
    if (world.isEnding()) {
      return;
    }
    List<InetSocketAddress> gateways = world.gateways();
    InetSocketAddress to = gateways.get(random.nextInt(gateways.size()));
    boolean tls = scenario.hasTls(to.getHostString()) && random.nextInt(4) == 0;
    Connection connection = new Connection(to, tls ? Certificates.client() : null);
    connection.connects(
        world.network().connect(host, tls ? SecureListener.address(to) : to, connection));
    start();
  }
}
