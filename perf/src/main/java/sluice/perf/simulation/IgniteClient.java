package sluice.perf.simulation;

import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Client as {@link CheckedClient}, which speaks Ignite's dialect. */
final class IgniteClient {
  private final class Connection extends CheckedConnection {
    private final ArrayDeque<IgniteRequest> pending = new ArrayDeque<>();
    private final Packets packets = new Packets();
    private boolean leaving; // it has sent what ends its connection
    private boolean ends; // that is a packet for which nodes close connections

    Connection() {
      super(world, name, gateway, null);
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
      boolean changes = world.moments().areAwaited() && random.nextInt(4) == 0;
      ends = !changes && random.nextInt(60) == 0;
      leaving = ends || (!changes && random.nextInt(60) == 0);
      int count = ends ? 0 : !changes && random.nextInt(3) == 0 ? random.nextInt(1, 14) : 1;
      ByteArrayOutputStream batch = new ByteArrayOutputStream();
      for (int i = 0; i < count; i++) {
        IgniteRequest request = changes ? requests.nextChange() : requests.next();
        request.begins(this, buckets, simulator().now());
        pending.add(request);
        batch.writeBytes(request.packet());
      }
      if (leaving) {
        batch.writeBytes(ends ? requests.closing() : requests.quit());
      }
      world.countRequests(count);
      if (changes) {
        world.moments().sending(random);
      }
      if (random.nextInt(6) == 0) {
        sendSlowly(batch.toByteArray(), random);
      } else {
        send(batch.toByteArray());
      }
      watch();
    }

    @Override
    @Nullable String waitsFor() {
      if (pending.isEmpty()) {
        return leaving ? "end of its connection" : null;
      }
      return "reply to " + pending.getFirst();
    }

    @Override
    boolean isReading() {
      return pending.stream().anyMatch(IgniteRequest::reads);
    }

    @Override
    protected void receives(byte[] bytes) {
      if (passes(packets, bytes, this::judge) && pending.isEmpty() && !leaving) {
        simulator().after(world.pause(random, pauseNanos), this::sendBatch);
      }
    }

    private @Nullable String judge(BinaryReply reply) {
      if (reply.cas() != 0) {
        return "found a cas, which Ignite does not have";
      }
      IgniteRequest request = pending.poll();
      if (request == null) {
        return "a reply without a request";
      }
      world.tally().judged(request.isExact());
      // a failure tells no reason
      return request.judge(reply, isExcused(" timed out"), simulator().now());
    }

    @Override
    boolean mayBeClosed() {
      return leaving && pending.isEmpty();
    }

    @Override
    boolean mayBeReset() {
      return ends && pending.isEmpty();
    }

    @Override
    void lost() {
      abort();
      world.tally().excused(pending.size());
      long until = simulator().now() + LimitedClient.HANDLED_NANOS;
      pending.forEach(request -> request.unknown(until));
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
  private final String host;
  private final InetSocketAddress gateway;
  private final RandomGenerator random;
  private final IgniteRequests requests;
  private final List<Bucket> buckets;
  private final long pauseNanos;

  IgniteClient(World world, Scenario scenario, Buckets buckets, int number) {
    this.world = world;
    this.name = "Ignite client " + number;
    this.host = "10.1.5." + number;
    this.random = world.simulator().stream();
    gateway = IgniteListener.address(world.gateways().get(random.nextInt(world.gateways().size())));
    requests = new IgniteRequests(world, scenario, "50" + number, random);
    this.buckets = buckets.of(gateway.getHostString(), Limit.ITEMS);
    pauseNanos = random.nextLong(300_000_000, 6_000_000_000L);
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
