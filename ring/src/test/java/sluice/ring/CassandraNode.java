package sluice.ring;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** One node of a ring: a process with a directory of its own, which outlives stops and starts. */
final class CassandraNode implements AutoCloseable {

  private static final Duration READY = Duration.ofSeconds(150);
  private static final Duration STOPPED = Duration.ofMinutes(1);
  private static final Pattern STARTED = Pattern.compile("Startup complete");

  private static final String LOGBACK =
      """
      <configuration>
        <appender name="FILE" class="ch.qos.logback.core.FileAppender">
          <file>%s</file>
          <encoder><pattern>%%-5level [%%thread] %%date{ISO8601} %%F:%%L - %%msg%%n</pattern></encoder>
        </appender>
        <root level="INFO"><appender-ref ref="FILE"/></root>
      </configuration>
      """;

  // A test run that is ended from outside leaves no nodes behind.
  private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> RUNNING.forEach(Process::destroyForcibly)));
  }

  private final CassandraRelease release;
  private final NodeSettings settings;
  private final Path directory;
  private final NodeLog log;
  private final int jmxPort;
  private Process process;
  private long startedAt; // end of the log before the last start

  /** A node that was never started, with a new directory in {@code parent}. */
  CassandraNode(CassandraRelease release, NodeSettings settings, Path parent) {
    this.release = release;
    this.settings = settings;
    this.directory = parent.resolve(settings.name());
    this.log = new NodeLog(directory.resolve("system.log"));
    try {
      this.jmxPort = Loopback.freePort();
      Files.createDirectories(directory);
      Files.writeString(directory.resolve("cassandra.yaml"), settings.yaml());
      Files.writeString(directory.resolve("logback.xml"), LOGBACK.formatted(log));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  NodeSettings settings() {
    return settings;
  }

  NodeLog log() {
    return log;
  }

  /** Where clients connect to. */
  InetSocketAddress nativeAddress() {
    return new InetSocketAddress(settings.listen(), NodeSettings.NATIVE_PORT);
  }

  /** What an operator can ask of it; the caller closes the result. */
  NodeManagement management() {
    return NodeManagement.connect(jmxPort);
  }

  /** Starts the process; {@link #awaitReady} tells when it serves. */
  void start() {
    startedAt = log.end();
    try {
      process =
          new ProcessBuilder(command())
              .directory(directory.toFile())
              .redirectErrorStream(true)
              .redirectOutput(
                  ProcessBuilder.Redirect.appendTo(directory.resolve("output.log").toFile()))
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    RUNNING.add(process);
  }

  private List<String> command() {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of("-Xms512m", "-Xmx512m", "-XX:MaxDirectMemorySize=256m", "-XX:+UseSerialGC"));
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-ea", "-da:net.openhft..."));
    command.addAll(release.jvmFlags());
    command.add("-Dcassandra.config=" + directory.resolve("cassandra.yaml").toUri());
    command.add("-Dlogback.configurationFile=" + directory.resolve("logback.xml").toUri());
    command.add("-Dcassandra.storagedir=" + directory.resolve("data"));
    command.add("-Dcassandra.logdir=" + directory);
    command.add("-Dcassandra-foreground=yes");
    command.add("-Dcassandra.jmx.local.port=" + jmxPort);
    // A ring of two knows its members soon. A node that starts waits twice this for its seed: long
    // enough to ask it again, which it does after five seconds.
    command.add("-Dcassandra.ring_delay_ms=2500");
    // What a node that stops tells its peers has that long to leave.
    command.add("-Dcassandra.shutdown_announce_in_ms=1000");
    command.add("-Dcassandra.skip_wait_for_gossip_to_settle=0");
    command.add("-cp");
    command.add(release.libraries().resolve("*").toString());
    command.add("org.apache.cassandra.service.CassandraDaemon");
    return command;
  }

  /** Returns once it has joined the ring and takes clients. */
  void awaitReady() {
    Await.until(
        READY,
        () -> settings.name() + " ready; its log: " + log,
        () -> {
          if (!process.isAlive()) {
            throw new AssertionError(
                settings.name() + " ended with " + process.exitValue() + ": " + output());
          }
          return log.find(STARTED, startedAt).isPresent();
        });
  }

  private String output() {
    try {
      String text = Files.readString(directory.resolve("output.log"), UTF_8);
      return text.substring(Math.max(0, text.length() - 4_000));
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** Stops it as an operator does: it tells its peers, and its memtables are flushed. */
  void stop() {
    process.destroy();
    if (!exitsWithin(STOPPED)) {
      process.destroyForcibly();
      throw new AssertionError(settings.name() + " did not stop; its log: " + log);
    }
    RUNNING.remove(process);
  }

  private boolean exitsWithin(Duration limit) {
    try {
      return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Ends it at once if it runs; its files stay. */
  @Override
  public void close() {
    if (process != null) {
      process.destroyForcibly();
      boolean interrupted = Thread.interrupted(); // a test that ran out of time cleans up too
      exitsWithin(STOPPED);
      RUNNING.remove(process);
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
