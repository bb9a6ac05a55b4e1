package sluice.perf.simulation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Client that sends valid requests to keys of its own, and to some that others use, too, one batch
 * after the other. It judges every reply.
 */
final class CheckedClient {
  /** Replies of one client from which on requests behind them may time out. */
  private static final long FLOOD_BYTES = 1 << 20;

  private final class Connection extends CheckedConnection {
    private final PendingRequests pending = new PendingRequests(world.tally());
    private boolean leaving; // it has said that it sends nothing more, and reads the replies
    private boolean slow; // it has not read for a while, for which it may be closed
    private boolean floods; // it has asked for more than others may have to wait behind

    Connection() {
      super(world, name, gateway, tls ? Certificates.client() : null);
    }

    @Override
    void sendBatch() {
      if (world.isEnding()) {
        finish();
        ended = true;
        return;
      }
      StringBuilder text = new StringBuilder();
      int count = random.nextInt(3) == 0 ? random.nextInt(1, 20) : 1;
      if (random.nextInt(60) == 0) {
        count = random.nextInt(20, 120);
        stopReading(text);
      }
      boolean large = !slow && isOld() && random.nextBoolean(); // it may be closed meanwhile
      if (large) {
        count = 1;
      }
      boolean isOne = count == 1;
      long wanted = 0;
      for (int i = 0; i < count; i++) {
        boolean readsAll = slow && i % 4 > 0;
        wanted += readsAll ? requests.heldBytes() : 0;
        Request request =
            large ? requests.storeLarge() : readsAll ? requests.readAll() : requests.next();
        isOne &= request.isOne();
        add(request, text);
      }
      if (wanted > FLOOD_BYTES && !floods) {
        floods = true;
        world.excuses().floodBegins(gateway.getHostString());
      }
      world.countRequests(count);
      if (random.nextInt(40) == 0) {
        world.moments().sending(random);
      }
      byte[] bytes = text.toString().getBytes(ISO_8859_1);
      if (large || (!slow && random.nextInt(6) == 0)) {
        sendSlowly(bytes, random, isOne);
      } else {
        send(bytes);
        if (random.nextInt(25) == 0) {
          leaving = true;
          halfClose();
        }
      }
      watch();
    }

    private void stopReading(StringBuilder text) {
      slow = true;
      reading(false);
      simulator()
          .after(
              random.nextLong(TimeUnit.SECONDS.toNanos(8)),
              () -> {
                hears();
                reading(true);
              });
      if (random.nextBoolean()) {
        add(requests.storeLarge(), text);
      }
    }

    private void add(Request request, StringBuilder text) {
      pending.add(request);
      text.append(request.text());
    }

    @Override
    @Nullable String waitsFor() {
      String first = pending.first();
      return first == null && leaving ? "end of its connection" : first;
    }

    @Override
    boolean isReading() {
      return pending.isReading();
    }

    @Override
    protected void receives(byte[] bytes) {
      hears();
      String wrong = pending.receive(bytes, error -> slow || isExcused(error));
      if (wrong != null) {
        fails(wrong);
        return;
      }
      if (!pending.isEmpty()) {
        return;
      }
      slow = false;
      floodEnds();
      goOn();
    }

    private void floodEnds() {
      if (floods) {
        floods = false;
        world.excuses().floodEnds(gateway.getHostString());
      }
    }

    private void goOn() {
      if (leaving) {
        return; // until the gateway closes the connection
      }
      if (!world.isEnding() && random.nextInt(40) == 0) {
        leaves();
        connectLater();
      } else {
        simulator().after(pause(), this::sendBatchIfOpen);
      }
    }

    private void sendBatchIfOpen() {
      if (!isOver()) {
        sendBatch();
      }
    }

    @Override
    boolean mayBeClosed() {
      return slow || (leaving && pending.isEmpty());
    }

    @Override
    boolean mayBeReset() {
      return slow;
    }

    @Override
    void lost() {
      finish();
      floodEnds();
      pending.lost();
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
  private final InetSocketAddress
      gateway; // one alone, because only one near cache learns of writes
  private final RandomGenerator random;
  private final CheckedRequests requests;
  private final boolean tls;
  private final long pauseNanos;
  private boolean ended;

  CheckedClient(World world, Scenario scenario, SharedKeys keys, int number) {
    this.world = world;
    this.name = "client " + number;
    this.host = "10.1.0." + number;
    this.random = world.simulator().stream();
    boolean meta = random.nextInt(3) == 0;
    InetSocketAddress listener = world.gateways().get(random.nextInt(world.gateways().size()));
    tls = scenario.hasTls(listener.getHostString()) && random.nextBoolean();
    gateway = tls ? SecureListener.address(listener) : listener;
    pauseNanos = random.nextLong(300_000_000, 6_000_000_000L);
    SharedRequests shared =
        new SharedRequests(keys, gateway.getHostString(), meta, world.simulator().stream());
    requests =
        new CheckedRequests(
            world,
            scenario,
            gateway.getHostString(),
            Integer.toString(number),
            meta,
            shared,
            random);
  }

  void start() {
    connectLater();
  }

  /** Reports that it still waits for something, although it had the time to end. */
  void mustHaveEnded() {
    if (!ended) {
      world.simulator().finding(name + " has not come to its end");
    }
  }

  private long pause() {
    return random.nextInt(4) == 0
        ? world.withRests(random.nextLong(200_000))
        : world.pause(random, pauseNanos);
  }

  private void connectLater() {
    world.simulator().after(random.nextLong(50_000_000), this::connect);
  }

  private void connect() {
    if (world.isEnding()) {
      ended = true;
      return;
    }
    new Connection().connect(host);
  }
}
