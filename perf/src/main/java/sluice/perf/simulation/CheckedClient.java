package sluice.perf.simulation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import sluice.perf.simulation.system.SimulatedPeer;

/**
 * Client that sends valid requests to keys of its own, one batch after the other, and judges every
 * reply.
 */
final class CheckedClient {
  private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final int KEYS = 6;

  /** Replies of one client from which on requests behind them may time out. */
  private static final long FLOOD_BYTES = 1 << 20;

  private final class Connection extends SimulatedPeer {
    private final ArrayDeque<Request> pending = new ArrayDeque<>();
    private final Replies replies = new Replies();
    private long batch;
    private boolean leaving; // it has said that it sends nothing more, and reads the replies
    private boolean slow; // it has not read for a while, for which it may be closed
    private boolean floods; // it has asked for more than others may have to wait behind

    Connection() {
      super(world.simulator(), tls ? Certificates.client() : null);
    }

    @Override
    protected void begins() {
      sendBatch();
    }

    private void sendBatch() {
      if (world.isEnding()) {
        finish();
        ended = true;
        return;
      }
      StringBuilder text = new StringBuilder();
      int count = random.nextInt(3) == 0 ? random.nextInt(1, 20) : 1;
      if (random.nextInt(60) == 0) {
        slow = true;
        count = random.nextInt(20, 120);
        reading(false);
        simulator().after(random.nextLong(TimeUnit.SECONDS.toNanos(8)), () -> reading(true));
        if (random.nextBoolean()) {
          add(storeLarge(), text);
        }
      }
      for (int i = 0; i < count; i++) {
        add(slow && i % 4 > 0 ? readAll() : request(), text);
      }
      if (slow && count * heldBytes() > FLOOD_BYTES && !floods) {
        floods = true;
        world.floodBegins();
      }
      world.countRequests(count);
      long sent = ++batch;
      send(text.toString().getBytes(ISO_8859_1));
      if (random.nextInt(25) == 0) {
        leaving = true;
        halfClose();
      }
      simulator().after(LIMIT_NANOS, () -> mustHaveAnswered(sent));
    }

    private void add(Request request, StringBuilder text) {
      pending.add(request);
      text.append(request.text());
    }

    private void mustHaveAnswered(long sent) {
      if (!isOver() && batch == sent && (leaving || !pending.isEmpty())) {
        if (!isExcused()) {
          world
              .simulator()
              .finding(
                  name
                      + (pending.isEmpty()
                          ? ": its connection is not closed"
                          : ": no reply within 30 s to " + pending.getFirst().line()));
        }
        abort();
        lost();
      }
    }

    @Override
    protected void receives(byte[] bytes) {
      replies.add(bytes);
      while (!pending.isEmpty()) {
        Request request = pending.getFirst();
        replies.mark();
        String verdict = request.judge(replies);
        if (verdict.equals(Request.INCOMPLETE)) {
          replies.reset();
          return;
        }
        pending.removeFirst();
        if (request.hasFailed() && !isExcused()) {
          replies.reset();
          String error = String.valueOf(replies.line());
          if (!(world.isFlooded() && error.endsWith(" timed out"))) {
            verdict = "an error without a fault: " + error + " to " + request.line();
          }
        }
        if (!verdict.equals(Request.FINE)) {
          simulator().finding(name + ", connection " + number() + ": " + verdict);
          abort();
          lost();
          return;
        }
      }
      if (!replies.isEmpty()) {
        simulator().finding(name + ": bytes without a request: " + replies.rest());
        abort();
        lost();
        return;
      }
      floodEnds();
      goOn();
    }

    private void floodEnds() {
      if (floods) {
        floods = false;
        world.floodEnds();
      }
    }

    private boolean isExcused() {
      return slow || world.isExcused();
    }

    private int number() {
      return socket() == null ? 0 : socket().number();
    }

    private void goOn() {
      if (leaving) {
        return; // until the gateway closes the connection
      }
      if (!world.isEnding() && random.nextInt(40) == 0) {
        finish();
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
    protected void peerEnds() {
      boolean wanted = leaving && pending.isEmpty();
      if (!wanted && !isExcused()) {
        simulator().finding(name + ": the gateway has closed connection " + number());
      }
      finish();
      lost();
    }

    @Override
    protected void breaks(IOException why) {
      if (!isExcused()) {
        simulator().finding(name + ": connection " + number() + ": " + why.getMessage());
      }
      lost();
    }

    private void lost() {
      floodEnds();
      pending.forEach(Request::unknown);
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
  private final int number;
  private final String host;
  private final Scenario.Rule[] rules;
  private final InetSocketAddress
      gateway; // one alone, because only one near cache learns of writes
  private final RandomGenerator random;
  private final List<CheckedKey> keys = new ArrayList<>();
  private final boolean meta;
  private final boolean tls;
  private final long pauseNanos;
  private int keyNumber;
  private int opaque;
  private boolean ended;

  CheckedClient(World world, Scenario scenario, int number) {
    this.world = world;
    this.number = number;
    this.name = "client " + number;
    this.rules = scenario.rules();
    this.host = "10.1.0." + number;
    this.random = world.simulator().stream();
    meta = random.nextInt(3) == 0;
    InetSocketAddress listener = world.gateways().get(random.nextInt(world.gateways().size()));
    tls = scenario.hasTls(listener.getHostString()) && random.nextBoolean();
    gateway = tls ? Scenario.encrypted(listener) : listener;
    pauseNanos = random.nextLong(300_000_000, 6_000_000_000L);
    for (int i = 0; i < KEYS; i++) {
      keys.add(fresh());
    }
  }

  private CheckedKey fresh() {
    Scenario.Rule rule = rules[random.nextInt(rules.length)];
    return new CheckedKey(world, rule, number + ":k" + ++keyNumber);
  }

  void start() {
    connectLater();
  }

  /** Whether it has said goodbye. */
  boolean hasEnded() {
    return ended;
  }

  private long pause() {
    return random.nextInt(4) > 0 ? random.nextLong(pauseNanos) : random.nextLong(200_000);
  }

  private void connectLater() {
    world.simulator().after(random.nextLong(50_000_000), this::connect);
  }

  private void connect() {
    if (world.isEnding()) {
      ended = true;
      return;
    }
    Connection connection = new Connection();
    connection.connects(world.network().connect(host, gateway, connection));
  }

  private CheckedKey key() {
    int at = random.nextInt(keys.size());
    CheckedKey key = keys.get(at);
    if (!key.isCertain() || random.nextInt(200) == 0) {
      key = fresh();
      keys.set(at, key);
    }
    return key;
  }

  private int length() {
    return switch (random.nextInt(20)) {
      case 0 -> random.nextInt(1_000, 20_000);
      case 1 -> random.nextInt(200) == 0 ? random.nextInt(100_000, 600_000) : 3_000;
      default -> random.nextInt(10, 300);
    };
  }

  private long heldBytes() {
    long bytes = 0;
    for (CheckedKey key : keys) {
      String value = key.value();
      bytes += value == null ? 0 : value.length();
    }
    return bytes;
  }

  private Request readAll() {
    List<CheckedKey> certain = new ArrayList<>(keys);
    certain.removeIf(key -> !key.isCertain());
    return certain.isEmpty() ? request() : Request.get("get", certain);
  }

  private Request request() {
    return meta && random.nextInt(3) > 0 ? metaRequest() : classicRequest();
  }

  private Request classicRequest() {
    CheckedKey key = key();
    @Nullable String held = key.value();
    switch (random.nextInt(10)) {
      case 0, 1, 2 -> {
        boolean cas = random.nextInt(4) == 0 && !key.isInIgnite();
        return Request.get(cas ? "gets" : "get", List.of(key));
      }
      case 3 -> {
        List<CheckedKey> several = new ArrayList<>();
        for (CheckedKey one : keys) {
          if (one.isCertain() && random.nextBoolean()) {
            several.add(one);
          }
        }
        return Request.get("get", several.isEmpty() ? List.of(key) : several);
      }
      case 4, 5, 6 -> {
        return set(key, length());
      }
      case 7 -> {
        String value = key.next(length());
        if (held == null) {
          key.writes(value);
        }
        return Request.line(
            storage("add", key, value),
            key,
            true,
            Set.of(held == null ? "STORED" : "NOT_STORED"),
            Set.of("STORED", "NOT_STORED"));
      }
      case 8 -> {
        key.writes(null);
        return Request.line(
            "delete " + key.name() + "\r\n",
            key,
            true,
            Set.of(held == null ? "NOT_FOUND" : "DELETED"),
            Set.of("NOT_FOUND", "DELETED"));
      }
      default -> {
        if (key.isInIgnite()) {
          return Request.get("get", List.of(key));
        }
        return Request.line(
            "touch " + key.name() + " 0\r\n",
            key,
            false,
            Set.of(held == null ? "NOT_FOUND" : "TOUCHED"),
            Set.of("NOT_FOUND", "TOUCHED"));
      }
    }
  }

  private Request storeLarge() {
    return set(key(), random.nextInt(20_000, 100_000));
  }

  private static Request set(CheckedKey key, int length) {
    String value = key.next(length);
    key.writes(value);
    return Request.line(storage("set", key, value), key, true, Set.of("STORED"), Set.of("STORED"));
  }

  private static String storage(String command, CheckedKey key, String value) {
    return command + " " + key.name() + " 0 0 " + value.length() + "\r\n" + value + "\r\n";
  }

  private Request metaRequest() {
    CheckedKey key = key();
    @Nullable String held = key.value();
    String token = Integer.toString(++opaque);
    switch (random.nextInt(6)) {
      case 0, 1, 2 -> {
        return Request.metaGet(key, token);
      }
      case 3, 4 -> {
        String value = key.next(length());
        key.writes(value);
        String text = "ms " + key.name() + " " + value.length() + " O" + token + "\r\n" + value;
        Set<String> done = Set.of("HD O" + token);
        return Request.line(text + "\r\n", key, true, done, done);
      }
      default -> {
        key.writes(null);
        return Request.line(
            "md " + key.name() + " O" + token + "\r\n",
            key,
            true,
            Set.of((held == null ? "NF O" : "HD O") + token),
            Set.of("NF O" + token, "HD O" + token));
      }
    }
  }
}
