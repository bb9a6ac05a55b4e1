package sluice.load;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import sluice.config.model.Address;
import sluice.config.plan.LoadPlan;
import sluice.load.internode.Nodes;
import sluice.load.process.GatewayCommand;
import sluice.load.process.Memcached;
import sluice.load.process.Ports;

/**
 * Measured processes: a memcached, a gateway and addresses for nodes. They are started here or
 * named by the plan.
 */
final class Subjects implements AutoCloseable {
  private static final int END_SECONDS = 30;
  private static final int CONNECT_MILLIS = 5_000;

  private final LoadPlan plan;
  private final long startEnd;
  private @Nullable Memcached memcached; // null: none was started
  private @Nullable Process process; // null: the plan names a gateway
  private InetSocketAddress server;
  private InetSocketAddress listener;
  private Nodes.Places throughGateway;
  private Admin admin;

  @SuppressWarnings("NullAway.Init") // find or start sets what the plan's loads need
  private Subjects(LoadPlan plan) {
    this.plan = plan;
    startEnd = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(plan.startTimeoutMillis());
  }

  /**
   * Starts the processes that the plan does not name.
   *
   * @param directory for the gateway's configuration and log
   * @throws IOException if something does not start, or is not reachable
   */
  static Subjects of(LoadPlan plan, Path directory) throws IOException, InterruptedException {
    Subjects subjects = new Subjects(plan);
    try {
      if (plan.gateway().isPresent()) {
        subjects.find(plan.gateway().get(), directory);
      } else {
        subjects.start(directory);
        subjects.awaitReady(directory);
      }
      return subjects;
    } catch (IOException | InterruptedException | RuntimeException e) {
      subjects.close();
      throw e;
    }
  }

  /** Waits for all processes: other machines start at their own pace, and have no name before. */
  private void find(LoadPlan.Target gateway, Path directory)
      throws IOException, InterruptedException {
    admin = new Admin(gateway.admin(), gateway.login());
    awaitReady(directory);
    if (speaks(LoadPlan.Protocol.MEMCACHED)) {
      server = awaitConnection(plan.memcached().orElseThrow(), "the server behind the gateway");
      listener = awaitConnection(gateway.memcached().orElseThrow(), "the gateway's listener");
    }
    if (speaks(LoadPlan.Protocol.INTERNODE)) {
      LoadPlan.Nodes nodes = plan.nodes().orElseThrow();
      throughGateway =
          new Nodes.Places(
              awaitName(nodes.writers()),
              awaitName(nodes.replicas()),
              awaitName(gateway.writers().orElseThrow()),
              awaitName(gateway.replicas().orElseThrow()));
    }
  }

  private static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  private void start(Path directory) throws IOException, InterruptedException {
    Ports ports = new Ports();
    StringBuilder listeners = new StringBuilder();
    StringBuilder routes = new StringBuilder();
    StringBuilder pools = new StringBuilder();
    if (speaks(LoadPlan.Protocol.MEMCACHED)) {
      memcached = new Memcached(ports.next());
      server = memcached.address();
      listener = loopback(ports.next());
      listeners.append(
          "  cache: {bind: \"127.0.0.1:%d\", route: cache}\n".formatted(listener.getPort()));
      routes.append("  cache: [{pool: cache}]\n");
      pools.append(
          "  cache: {servers: [\"127.0.0.1:%d\"], timeout: 10s}\n".formatted(server.getPort()));
    }
    if (speaks(LoadPlan.Protocol.INTERNODE)) {
      throughGateway =
          new Nodes.Places(
              loopback(ports.next()),
              loopback(ports.next()),
              loopback(ports.next()),
              loopback(ports.next()));
      links(
          "writers",
          throughGateway.toWriters(),
          throughGateway.writers(),
          listeners,
          routes,
          pools);
      links(
          "replicas",
          throughGateway.toReplicas(),
          throughGateway.replicas(),
          listeners,
          routes,
          pools);
    }
    Address.Tcp adminAddress = new Address.Tcp("127.0.0.1", ports.next());
    admin = new Admin(adminAddress, Optional.empty());
    Path configuration =
        Files.writeString(
            directory.resolve("gateway.yaml"),
            "admin: {bind: \"127.0.0.1:%d\"}\nprocess: {eventLoops: %d}\n"
                    .formatted(adminAddress.port(), plan.eventLoops())
                + "listeners:\n"
                + listeners
                + "routes:\n"
                + routes
                + "pools:\n"
                + pools);
    process =
        GatewayCommand.process(
                configuration, List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints"))
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("gateway.log").toFile())
            .start();
  }

  private static void links(
      String name,
      InetSocketAddress bind,
      InetSocketAddress node,
      StringBuilder listeners,
      StringBuilder routes,
      StringBuilder pools) {
    listeners.append(
        "  %s: {bind: \"127.0.0.1:%d\", protocol: internode, route: %s}\n"
            .formatted(name, bind.getPort(), name));
    routes.append("  %s: [{pool: %s}]\n".formatted(name, name));
    pools.append(
        "  %s: {protocol: internode, servers: [\"127.0.0.1:%d\"]}\n"
            .formatted(name, node.getPort()));
  }

  private boolean speaks(LoadPlan.Protocol protocol) {
    return plan.loads().values().stream().anyMatch(load -> load.protocol() == protocol);
  }

  /**
   * Waits until the admin port answers.
   *
   * @param directory with the log of a gateway that was started
   */
  private void awaitReady(Path directory) throws IOException, InterruptedException {
    while (!admin.isLive()) {
      if (process != null && !process.isAlive()) {
        throw new IOException(
            "the gateway did not start: " + Files.readString(directory.resolve("gateway.log")));
      }
      waitOrGiveUp("the gateway's admin port did not answer", admin.toString());
    }
  }

  /** Resolves a name, as soon as it has an address: a Service gets those of its pods. */
  private InetSocketAddress awaitName(Address.Tcp address)
      throws IOException, InterruptedException {
    InetSocketAddress found = new InetSocketAddress(address.host(), address.port());
    while (found.isUnresolved()) {
      waitOrGiveUp("there is no such host", address.label());
      found = new InetSocketAddress(address.host(), address.port());
    }
    return found;
  }

  /**
   * The same for the first address that accepts connections: a name may still have an old address.
   */
  private InetSocketAddress awaitConnection(Address.Tcp address, String what)
      throws IOException, InterruptedException {
    while (true) {
      InetSocketAddress found = awaitName(address);
      try (Socket socket = new Socket()) {
        socket.connect(found, CONNECT_MILLIS);
        return found;
      } catch (IOException notYet) {
        waitOrGiveUp(
            what + " accepts no connections (" + notYet.getMessage() + ")", address.label());
      }
    }
  }

  private void waitOrGiveUp(String problem, String where) throws IOException, InterruptedException {
    if (System.nanoTime() - startEnd > 0) {
      throw new IOException(
          "%s within %s ms: %s".formatted(problem, plan.startTimeoutMillis(), where));
    }
    TimeUnit.MILLISECONDS.sleep(20);
  }

  Admin admin() {
    return admin;
  }

  /** Address that a load of memcached connects to. */
  InetSocketAddress memcached(boolean direct) {
    return direct ? server : listener;
  }

  /** Addresses by which nodes reach each other. */
  Nodes.Places nodes(boolean direct) {
    return direct
        ? new Nodes.Places(
            throughGateway.writers(),
            throughGateway.replicas(),
            throughGateway.writers(),
            throughGateway.replicas())
        : throughGateway;
  }

  /** Description of a process that ended unexpectedly; null if there is none. */
  Supplier<@Nullable String> health() {
    return () ->
        process != null && !process.isAlive()
            ? "the gateway ended with " + process.exitValue()
            : null;
  }

  @Override
  public void close() {
    if (process != null) {
      process.destroy();
      try {
        if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
          process.destroyForcibly();
        }
      } catch (InterruptedException e) {
        process.destroyForcibly();
        Thread.currentThread().interrupt();
      }
    }
    if (memcached != null) {
      memcached.close();
    }
  }
}
