package sluice.ring;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** A gateway as a process of its own, so that its end is an end. It may be started again. */
final class GatewayProcess implements AutoCloseable {

  private static final Duration READY = Duration.ofSeconds(90);
  private static final Pattern READY_LINE = Pattern.compile(" ready: ");

  // A test run that is ended from outside leaves none behind.
  private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> RUNNING.forEach(Process::destroyForcibly)));
  }

  private final Path configuration;
  private final NodeLog log;
  private final int adminPort;
  private Process process;

  /** Does not start it yet; its files are put into {@code directory} under this name. */
  GatewayProcess(Path directory, String name) {
    this.configuration = directory.resolve(name + ".yaml");
    this.log = new NodeLog(directory.resolve(name + ".log"));
    try {
      this.adminPort = Loopback.freePort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns when it is ready. {@code yaml} is its configuration, but for the admin port. */
  void start(String yaml) {
    long mark = log.end();
    try {
      Files.writeString(configuration, "admin: {bind: '127.0.0.1:" + adminPort + "'}\n" + yaml);
      process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Dio.netty.allocator.lowMemory=false",
                  "-Xmx256m",
                  "-XX:MaxDirectMemorySize=512m",
                  "-XX:+UseSerialGC",
                  "-cp",
                  System.getProperty("java.class.path"),
                  "sluice.gateway.cli.Main",
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

  /** The sum of the series that are written with this beginning and this label. */
  long metric(String beginning, String label) {
    URI metrics = URI.create("http://127.0.0.1:" + adminPort + "/metrics");
    try (InputStream in = metrics.toURL().openStream()) {
      return new String(in.readAllBytes(), UTF_8)
          .lines()
          .filter(line -> line.startsWith(beginning) && line.contains(label))
          .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' '))))
          .sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** User and system time of all its threads. */
  Duration cpu() {
    return process.info().totalCpuDuration().orElseThrow();
  }

  /** Ends it without a word to anybody. Returns when its ports are free. */
  void kill() {
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
