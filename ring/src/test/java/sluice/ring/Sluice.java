package sluice.ring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** The gateway as a process of its own, so that its end is an end. */
final class Sluice implements Between {

  private static final Duration READY = Duration.ofSeconds(30);
  private static final Pattern READY_LINE = Pattern.compile(" ready: ");

  // A test run that is ended from outside leaves none behind.
  private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> RUNNING.forEach(Process::destroyForcibly)));
  }

  private final Path configuration;
  private final NodeLog log;
  private final List<Passage> passages;
  private Process process;

  /** Does not start it yet; its files are put into {@code directory}. */
  Sluice(Path directory, List<Passage> passages) {
    this.configuration = directory.resolve("sluice.yaml");
    this.log = new NodeLog(directory.resolve("sluice.log"));
    this.passages = passages;
  }

  @Override
  public Set<Framing> framings() {
    return EnumSet.allOf(Framing.class);
  }

  @Override
  public void start(Framing framing) {
    long mark = log.end();
    try {
      Files.writeString(configuration, yaml(framing), UTF_8);
      process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Dio.netty.allocator.lowMemory=false",
                  "-Xmx256m",
                  "-XX:MaxDirectMemorySize=512m",
                  "-cp",
                  System.getProperty("java.class.path"),
                  "sluice.gateway.Main",
                  "run",
                  "-c",
                  configuration.toString())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(Path.of(log.toString()).toFile()))
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    RUNNING.add(process);
    Await.until(
        READY,
        () -> "the gateway is ready; its log: " + log,
        () -> {
          if (!process.isAlive()) {
            throw new AssertionError("the gateway ended: " + log.lines(mark));
          }
          return log.find(READY_LINE, mark).isPresent();
        });
  }

  private String yaml(Framing framing) {
    StringBuilder listeners = new StringBuilder("listeners:\n");
    StringBuilder routes = new StringBuilder("routes:\n");
    StringBuilder pools = new StringBuilder("pools:\n");
    for (int i = 0; i < passages.size(); i++) {
      Passage passage = passages.get(i);
      String name = "node" + (i + 1);
      listeners.append(
          "  %s: {bind: '%s', protocol: internode, route: %s}%n"
              .formatted(name, text(passage.link().listener()), name));
      routes.append("  %s:%n".formatted(name));
      passage.rules().forEach(rule -> routes.append("    - %s%n".formatted(rule)));
      routes.append(
          passage.from().isEmpty() && passage.to().isEmpty()
              ? "    - {pool: %s}%n".formatted(name)
              : "    - {pool: %s, addresses: {from: {%s}, to: {%s}}}%n"
                  .formatted(name, text(passage.from()), text(passage.to())));
      pools.append(
          "  %s: {protocol: internode, servers: ['%s'], framing: %s}%n"
              .formatted(
                  name, text(passage.link().node()), framing.name().toLowerCase(Locale.ROOT)));
    }
    return "admin: {bind: '127.0.0.1:0'}\n" + listeners + routes + pools;
  }

  private static String text(InetSocketAddress address) {
    return address.getAddress().getHostAddress() + ":" + address.getPort();
  }

  private static String text(Map<InetAddress, InetAddress> addresses) {
    return addresses.entrySet().stream()
        .map(e -> e.getKey().getHostAddress() + ": " + e.getValue().getHostAddress())
        .collect(joining(", "));
  }

  @Override
  public void kill() {
    process.destroyForcibly();
    boolean interrupted = Thread.interrupted(); // a test that ran out of time cleans up too
    try {
      process.waitFor(READY.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    RUNNING.remove(process);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    if (process != null) {
      kill();
    }
  }
}
