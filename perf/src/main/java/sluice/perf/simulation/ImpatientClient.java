package sluice.perf.simulation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import sluice.perf.simulation.system.SimulatedPeer;
import sluice.perf.simulation.system.TlsEnd;

/**
 * Client that writes and does not wait: it closes or half-closes its connection at once. What it
 * wrote must be there a while later.
 */
final class ImpatientClient {
  private static final long LATER_NANOS = TimeUnit.SECONDS.toNanos(15);

  private record Write(String key, String value) {}

  private final class Connection extends SimulatedPeer {
    private final List<Write> writes = new ArrayList<>();
    private final int manner = random.nextInt(3);
    private int losses;
    private int floods;
    private boolean flooded;
    private boolean broken;

    Connection(@Nullable TlsEnd tls) {
      super(world.simulator(), tls);
    }

    @Override
    protected void begins() {
      losses = world.losses();
      floods = world.excuses().floods();
      flooded = world.excuses().isAnyFlooded();
      StringBuilder text = new StringBuilder();
      int count = random.nextInt(6) == 0 ? random.nextInt(80, 300) : random.nextInt(1, 12);
      boolean quiet = random.nextBoolean();
      for (int i = 0; i < count; i++) {
        String key = prefix + ++number;
        String value = key + "|" + "v".repeat(random.nextInt(4) == 0 ? 3_000 : 30);
        writes.add(new Write(key, value));
        boolean meta = random.nextInt(3) == 0;
        String noreply = meta ? " q" : " noreply";
        text.append(meta ? "ms " : "set ")
            .append(key)
            .append(meta ? " " : " 0 0 ")
            .append(value.length())
            .append(quiet ? noreply : "")
            .append("\r\n")
            .append(value)
            .append("\r\n");
      }
      world.countRequests(count);
      send(text.toString().getBytes(ISO_8859_1));
      if (manner == 0) {
        halfClose();
      } else {
        finish();
      }
      simulator().after(LATER_NANOS, this::look);
    }

    // A fault since then excuses a write that is missing; nothing excuses another value. So does a
    // client that reads megabytes slowly: a gateway answers that a write behind them has timed out,
    // and if its client is another gateway, nothing can tell this one.
    private void look() {
      boolean excused =
          broken
              || world.isExcused()
              || losses != world.losses()
              || flooded
              || floods != world.excuses().floods();
      for (Write write : writes) {
        byte[] held = world.value(write.key());
        String found = held == null ? null : new String(held, ISO_8859_1);
        if (found == null ? !excused : !found.equals(write.value())) {
          simulator()
              .finding(
                  prefix
                      + ": a client that closed early wrote "
                      + write.key()
                      + ", and its server has "
                      + (found == null ? "nothing" : "another value"));
          break;
        }
      }
      if (!isOver()) {
        finish();
      }
    }

    @Override
    protected void receives(byte[] bytes) {
      // it does not care
    }

    @Override
    protected void breaks(IOException why) {
      broken = true;
    }

    @Override
    protected long thinks() {
      return 20_000;
    }
  }

  private final World world;
  private final Scenario scenario;
  private final String host;
  private final String prefix;
  private final RandomGenerator random;
  private int number;

  ImpatientClient(World world, Scenario scenario, int number) {
    this.world = world;
    this.scenario = scenario;
    this.host = "10.1.1." + number;
    this.random = world.simulator().stream();
    // its values must be on the servers as they were sent
    String[] rules = {"", "r:", "w:"};
    boolean plain = scenario.rules().size() == 1;
    this.prefix = (plain ? "" : rules[random.nextInt(rules.length)]) + "i" + number + ":";
  }

  void start() {
    world.simulator().after(world.pause(random, TimeUnit.SECONDS.toNanos(4)), this::connect);
  }

  private void connect() {
    if (world.isEnding()) {
      return;
    }
    var gateways = world.gateways();
    InetSocketAddress to = gateways.get(random.nextInt(gateways.size()));
    boolean tls = scenario.hasTls(to.getHostString()) && random.nextBoolean();
    Connection connection = new Connection(tls ? Certificates.client() : null);
    connection.connects(
        world.network().connect(host, tls ? SecureListener.address(to) : to, connection));
    start();
  }
}
