package sluice.gateway.admin;

import io.vertx.core.Context;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import sluice.config.Loader;
import sluice.config.model.Configuration;
import sluice.gateway.history.History;
import sluice.gateway.samples.HotKeys;
import sluice.gateway.values.ValueSamples;

/** A gateway as a test wants it to look. */
final class FakeView implements AdminView {
  private static final Configuration CONFIGURATION =
      Loader.parse(
              "test.yaml",
              """
              listeners:
                cache:
                  bind: 127.0.0.1:0
                  route: main
                  dialects: [text, meta]
                  proxyProtocol: {from: [10.0.0.5, 10.0.8.0/24]}
                plain: {bind: 127.0.0.1:0, dialects: [binary], route: main}
              routes: {main: [{pool: cache}]}
              pools: {cache: {protocol: embedded}}
              """)
          .configuration();

  final AtomicInteger drains = new AtomicInteger();
  volatile boolean bound = true;
  volatile List<Context> eventLoops = List.of();
  volatile Readiness readiness =
      new Readiness(Readiness.Phase.RUNNING, false, List.of(), List.of(), 0);
  volatile String configuration = "listeners: {}\n";
  volatile RuntimeException bug;
  volatile String workedOn; // the name of the thread that made the last answer on a worker
  final AtomicInteger listenersAsked = new AtomicInteger();

  volatile List<String> problems = List.of();

  @Override
  public Future<List<String>> reload() {
    return Future.succeededFuture(problems);
  }

  @Override
  public HotKeys.Snapshot hotKeys(int most) {
    return new HotKeys.Snapshot(
        Instant.parse("2026-01-02T03:04:05Z"),
        List.of(
            new HotKeys.Group(
                "cache",
                "main",
                1000,
                250,
                List.of(new HotKeys.HotKey("a\u00ffb\\", 0.123456, 0.02)))));
  }

  @Override
  public long droppedKeys() {
    return 7;
  }

  final ValueSamples samples = new ValueSamples();

  @Override
  public ValueSamples valueSamples(String pool) {
    if (!pool.equals("cache")) {
      throw new IllegalArgumentException("no pool '" + pool + "'");
    }
    return samples;
  }

  final History history = new History();
  volatile String against;
  final List<String> decided = new CopyOnWriteArrayList<>();

  @Override
  public ProcessState process() {
    return new ProcessState(
        "sluice.yaml",
        Instant.parse("2026-01-02T03:04:00Z"),
        Instant.parse("2026-01-02T03:04:09Z"),
        problems,
        List.of(
            new ProcessState.Certificate(
                "listener cache", "tls.crt", "CN=cache", Instant.parse("2027-01-02T03:04:05Z"))));
  }

  @Override
  public List<RouteState> routes() {
    workedOn = Thread.currentThread().getName();
    return List.of(
        new RouteState(
            "main",
            List.of("cache", "plain"),
            List.of(
                new RouteState.Rule(
                    "prefix \"x:\"", "cache", null, List.of("cache", "other"), List.of("failover")),
                new RouteState.Rule("everything", null, "no", List.of(), List.of()))));
  }

  @Override
  public History history() {
    return history;
  }

  @Override
  public String eject(String pool, String server) {
    return decide("eject", pool, server);
  }

  @Override
  public String restore(String pool, String server) {
    return decide("restore", pool, server);
  }

  private String decide(String what, String pool, String server) {
    if (!pool.equals("cache")) {
      throw new IllegalArgumentException("no pool '" + pool + "'");
    }
    decided.add(what + " " + server);
    return against;
  }

  @Override
  public boolean bound() {
    return bound;
  }

  @Override
  public List<Context> eventLoops() {
    return eventLoops;
  }

  @Override
  public Readiness readiness() {
    return readiness;
  }

  @Override
  public List<ListenerState> listeners() {
    listenersAsked.incrementAndGet();
    return List.of(
        new ListenerState(CONFIGURATION.listeners().get("cache"), "127.0.0.1:11211", 3, Map.of()),
        new ListenerState(CONFIGURATION.listeners().get("plain"), "127.0.0.1:11212", 0, Map.of()));
  }

  @Override
  public List<PoolState> pools() {
    if (bug != null) {
      throw bug;
    }
    return List.of(
        new PoolState(
            "cache",
            "memcached",
            new PoolState.Discovery(
                "srv _memcached._tcp.example",
                Instant.parse("2026-01-02T03:04:01Z"),
                "no servers in the answer",
                Instant.parse("2026-01-02T03:04:02Z"),
                ""),
            true,
            List.of(
                new ServerState(
                    "10.0.0.1:11211",
                    ServerState.Condition.UP,
                    "answered the probe",
                    Instant.parse("2026-01-02T03:04:05Z"),
                    7,
                    2,
                    "1.6.18",
                    4,
                    Instant.parse("2026-01-02T03:04:07Z")),
                new ServerState(
                    "10.0.0.2:11211",
                    ServerState.Condition.DOWN,
                    "connection refused",
                    Instant.parse("2026-01-02T03:04:06Z"),
                    0,
                    0,
                    null,
                    0,
                    null))));
  }

  @Override
  public String configuration() {
    workedOn = Thread.currentThread().getName();
    return configuration;
  }

  @Override
  public Explanation explain(
      String listener, String command, String key, String client, String token) {
    workedOn = Thread.currentThread().getName();
    if (!listener.equals("cache")) {
      throw new IllegalArgumentException("no listener '" + listener + "'; there is: cache");
    }
    return new Explanation(
        "rule 1 of route main",
        "v2:" + key,
        "cache",
        "10.0.0.1:11211",
        List.of("10.0.0.9:11211"),
        List.of("asked for " + command + (client == null ? "" : " by " + client)));
  }

  @Override
  public String metrics() {
    if (bug != null) {
      throw bug;
    }
    return "# on " + Thread.currentThread().getName() + "\nup 1\n";
  }

  @Override
  public void drain() {
    drains.incrementAndGet();
  }
}
