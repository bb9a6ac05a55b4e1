package sluice.perf.simulation;

import io.netty.util.concurrent.FastThreadLocal;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.config.LoadResult;
import sluice.config.Loader;
import sluice.gateway.process.Gateway;
import sluice.perf.simulation.system.SimulatedTransport;

/** Host with a gateway, which can be drained, stopped, and started again. */
final class GatewayHost {
  /**
   * To one server: two pools, two event loops with two shared connections and two times four
   * exclusive ones ({@code connections.streams}).
   */
  private static final int MOST_CONNECTIONS = 2 * 2 * (2 + 2 * 4);

  /** A gateway follows its file within that time, even if it is paused. */
  private static final long FOLLOWS_NANOS = TimeUnit.SECONDS.toNanos(20);

  /** Time between two looks at its memory. */
  private static final long LOOKS_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final World world;
  private final String host;
  private final @Nullable ConfigurationFile file; // null: it is told of other configurations
  private final long memoryBytes;
  private String yaml = ""; // its configuration; none before the first
  private Runnable whenStarting = () -> {};
  private SimulatedTransport transport;
  private @Nullable Gateway gateway; // null while none runs
  private boolean starting;
  private boolean leaving;

  /**
   * A host on which no gateway runs yet.
   *
   * @param scenario what its gateways are configured for
   */
  GatewayHost(World world, String host, Scenario scenario) {
    this.world = world;
    this.host = host;
    memoryBytes = scenario.memoryBytes();
    file = scenario.hasFile() ? new ConfigurationFile(world.simulator(), host) : null;
    transport = new SimulatedTransport(world.simulator(), world.network(), host);
  }

  InetSocketAddress address() {
    return new InetSocketAddress(host, 11211);
  }

  String host() {
    return host;
  }

  /** Calls action before each start. */
  void onStart(Runnable action) {
    whenStarting = action;
  }

  /** Its configuration, or the next one if it watches a file. */
  String yaml() {
    return yaml;
  }

  /** Starts it with a configuration, and reports a failure. */
  void start(String with) {
    yaml = with;
    whenStarting.run();
    if (file != null) {
      file.begin(yaml);
    }
    LoadResult loaded = file == null ? load(yaml) : Loader.load(file.path());
    if (!loaded.isValid()) {
      throw new IllegalStateException(loaded.problems() + "\n" + yaml);
    }
    starting = true;
    transport = new SimulatedTransport(world.simulator(), world.network(), host);
    Path watched = file == null ? null : file.path();
    Gateway.start(loaded.configuration(), watched, starts -> {}, transport.forGateway())
        .onComplete(
            started -> {
              starting = false;
              if (started.succeeded()) {
                gateway = started.result();
                leaving = false;
                world.simulator().trace("gateway starts", host.hashCode(), 0);
                watchMemory(started.result());
              } else {
                world.simulator().finding(host + " did not start: " + started.cause());
              }
            });
  }

  // What it buffers must never be more than its configuration allows.
  private void watchMemory(Gateway running) {
    if (gateway != running) {
      return;
    }
    long bytes = running.bufferedBytes();
    if (bytes > memoryBytes) {
      world
          .simulator()
          .finding(host + " buffers " + bytes + " bytes, and may buffer " + memoryBytes);
    } else {
      world.simulator().after(LOOKS_NANOS, () -> watchMemory(running));
    }
  }

  private static LoadResult load(String yaml) {
    return Loader.parse("simulation.yaml", Certificates.in(yaml));
  }

  boolean isUp() {
    return gateway != null && !leaving;
  }

  boolean isStarting() {
    return starting;
  }

  SimulatedTransport transport() {
    return transport;
  }

  /** Changes to another configuration, which must succeed and cost nothing. */
  void reload(String with) {
    Gateway running = gateway;
    if (running == null || leaving) {
      return;
    }
    yaml = with;
    if (file != null) {
      Instant before = running.reloadedAt();
      file.change(yaml, () -> mustFollow(running, file, before));
      return;
    }
    world.simulator().trace("reload", host.hashCode(), yaml.hashCode());
    running
        .follow(load(yaml).configuration())
        .onFailure(
            why -> {
              if (gateway == running && !leaving) { // one that stops meanwhile does not follow
                world.simulator().finding(host + ": a reload failed: " + why);
              }
            });
  }

  private void mustFollow(Gateway running, ConfigurationFile of, @Nullable Instant before) {
    int changes = of.changes();
    world
        .simulator()
        .after(
            FOLLOWS_NANOS,
            () -> {
              if (gateway != running || leaving || changes != of.changes()) {
                return;
              }
              if (!running.problems().isEmpty()) {
                world.simulator().finding(host + " refuses its file: " + running.problems());
              } else if (Objects.equals(before, running.reloadedAt())) {
                world.simulator().finding(host + " has not read its file, which has changed");
              }
            });
  }

  /**
   * Ends it.
   *
   * @param drains whether clients may finish
   * @param then called when it has ended
   */
  void stop(boolean drains, Runnable then) {
    Gateway running = gateway;
    if (running == null || leaving) {
      return;
    }
    leaving = true;
    world.simulator().trace("gateway stops", host.hashCode(), drains ? 1 : 0);
    long asked = world.simulator().now();
    (drains ? running.drain() : running.close())
        .onComplete(
            done -> {
              gateway = null;
              mustHaveEnded(running);
              long took = TimeUnit.NANOSECONDS.toSeconds(world.simulator().now() - asked);
              if (took > 40) {
                world.simulator().finding(host + " took " + took + " s to stop");
              }
              then.run();
            });
  }

  private void mustHaveEnded(Gateway stopped) {
    long bytes = stopped.bufferedBytes();
    if (bytes != 0) {
      world.simulator().finding(host + " accounts for " + bytes + " bytes when it has stopped");
    }
    for (String line : stopped.scrape().lines().toList()) {
      if (line.startsWith("sluice_overdue_requests") && !isZero(line)) {
        world.simulator().finding(host + " reports when it has stopped: " + line);
      }
    }
  }

  private static boolean isZero(String line) {
    return line.endsWith(" 0.0") || line.endsWith(" 0");
  }

  /** Whether it accounts for buffered bytes. */
  boolean isBuffering() {
    Gateway running = gateway;
    return running != null && running.bufferedBytes() != 0;
  }

  /** Reports what it still holds although nothing is left to do. */
  void mustBeIdle() {
    Gateway running = gateway;
    if (running == null) {
      world.simulator().finding(host + " does not run at the end");
      return;
    }
    if (running.bufferedBytes() != 0) {
      world
          .simulator()
          .finding(
              host + " accounts for " + running.bufferedBytes() + " buffered bytes at the end");
    }
    for (MemcachedHost server : world.servers()) {
      long connections = server.connectionsOf(host);
      if (connections > MOST_CONNECTIONS) {
        world
            .simulator()
            .finding(host + " has " + connections + " connections to " + server.host());
      }
    }
    List<String> lines = running.scrape().lines().toList();
    for (String gauge :
        List.of("sluice_connections{", "sluice_in_flight", "sluice_internode_links")) {
      for (String line : lines) {
        if (line.startsWith(gauge) && !isZero(line)) {
          if (!line.contains("side=\"server\"") && !line.contains("pool=")) {
            world.simulator().finding(host + " reports at the end: " + line);
          }
        }
      }
    }
  }

  /** Reports another count of rejected requests than its clients have. */
  void mustHaveCounted(List<Bucket> buckets) {
    Gateway running = gateway;
    if (running == null) {
      return;
    }
    List<String> lines = running.scrape().lines().toList();
    for (Bucket bucket : buckets) {
      double told = 0;
      for (String line : lines) {
        if (line.startsWith(bucket.limit().series())) {
          told = Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1));
        }
      }
      String wrong = bucket.judgeCount(told);
      if (wrong != null) {
        world.simulator().finding(host + ": " + wrong);
      }
    }
  }

  /** Reports connections to servers that their pool does not have any more. */
  void mustHaveLeft(ServerSource source) {
    for (MemcachedHost server : world.servers()) {
      boolean inFirst = server.host().startsWith(Scenario.FIRST_POOL);
      if (inFirst && !source.has(server.host()) && server.connectionsOf(host) > 0) {
        world
            .simulator()
            .finding(host + " has connections to " + server.host() + ", which has left its pool");
      }
    }
  }

  /** Releases thread-local objects of what ran outside of event loops. */
  static void forget() {
    FastThreadLocal.removeAll();
  }
}
