package sluice.ring;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** A node of Apache Ignite as a process: caches {@code default} and {@code other}, in memory. */
final class IgniteNode implements AutoCloseable {
  /** The system property that names the directory of Ignite's jars, in {@code lib}. */
  static final String PROPERTY = "sluice.ring.ignite";

  private static final Duration READY = Duration.ofMinutes(2);
  private static final Pattern STARTED = Pattern.compile("node ready");
  private static final int HEADER = 24;

  // A test run that is ended from outside leaves none behind.
  private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> RUNNING.forEach(Process::destroyForcibly)));
  }

  private final NodeLog log;
  private final int port;
  private final Process process;

  /** Returns when the node takes clients; its files go into a directory. */
  IgniteNode(Path directory) throws IOException {
    log = new NodeLog(directory.resolve("ignite.log"));
    port = Loopback.freePort();
    Path source = directory.resolve("Node.java");
    try (InputStream in = IgniteNode.class.getResourceAsStream("/ignite/Node.java")) {
      Files.copy(in, source);
    }
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    for (String opened : List.of("java.nio", "java.util", "java.lang", "java.io", "sun.nio.ch")) {
      command.add("--add-opens=java.base/" + opened + "=ALL-UNNAMED");
    }
    command.addAll(List.of("-DIGNITE_UPDATE_NOTIFIER=false", "-Djava.net.preferIPv4Stack=true"));
    command.addAll(List.of("-DIGNITE_QUIET=true", "-cp", libraries().resolve("*").toString()));
    command.add(source.toString());
    command.add(Integer.toString(port));
    command.add(Integer.toString(Loopback.freePort()));
    command.add(Integer.toString(Loopback.freePort()));
    command.add(directory.resolve("work").toString());
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(Path.of(log.toString()).toFile())
            .start();
    RUNNING.add(process);
    Await.until(
        READY,
        () -> "Ignite is ready; its log: " + log,
        () -> {
          if (!process.isAlive()) {
            throw new AssertionError("Ignite ended: " + log.lines(0));
          }
          return log.find(STARTED, 0).isPresent();
        });
  }

  private static Path libraries() {
    String directory = System.getProperty(PROPERTY, "");
    Path libraries = Path.of(directory, "lib").toAbsolutePath().normalize();
    if (directory.isBlank() || !Files.isDirectory(libraries)) {
      throw new IllegalStateException(
          PROPERTY
              + ": found no directory "
              + libraries
              + ", expected Ignite's jars in it; ./sluice test fetches them and sets it");
    }
    return libraries;
  }

  /** Where its REST connector listens, on 127.0.0.1. */
  int port() {
    return port;
  }

  /** What the node itself answers to one packet, which it answers with one. */
  byte[] ask(byte[] packet) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(10_000);
      socket.getOutputStream().write(packet);
      InputStream in = socket.getInputStream();
      ByteArrayOutputStream answer = new ByteArrayOutputStream();
      answer.write(in.readNBytes(HEADER));
      byte[] header = answer.toByteArray();
      answer.write(in.readNBytes(ByteBuffer.wrap(header).getInt(8)));
      return answer.toByteArray();
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    boolean interrupted = Thread.interrupted(); // a test that ran out of time cleans up too
    try {
      process.waitFor(1, TimeUnit.MINUTES);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    RUNNING.remove(process);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public String toString() {
    return "Ignite at " + port;
  }
}
