package sluice.gateway.suite;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * A memcached of this machine on a loopback port that it chose itself; it dies with {@link #close}.
 */
public final class RealMemcached implements AutoCloseable {

  /** The version whose replies the vectors hold: Debian 12's package. */
  static final String VERSION = "1.6.18";

  private static final Duration START = Duration.ofSeconds(20);
  private static final String BINARY = findBinary();

  // A test run that is ended from outside leaves no servers behind.
  private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> RUNNING.forEach(Process::destroyForcibly)));
  }

  private final Process process;
  private final Path directory;
  private final InetSocketAddress address;

  private RealMemcached(Process process, Path directory, InetSocketAddress address) {
    this.process = process;
    this.directory = directory;
    this.address = address;
  }

  /** Starts one with these further arguments and waits until it answers. */
  public static RealMemcached start(String... arguments) {
    return start(Map.of(), arguments);
  }

  /**
   * Starts one of another version.
   *
   * @param program its path; null for the one that is installed
   */
  public static RealMemcached startProgram(Path program) {
    return start(program == null ? BINARY : program.toString(), Map.of());
  }

  /**
   * The version of a program.
   *
   * @param program its path; null for the one that is installed
   */
  public static String versionOf(Path program) {
    String path = program == null ? BINARY : program.toString();
    String output = Programs.run(Duration.ofSeconds(10), List.of(path, "-V")).output();
    return output.lines().findFirst().orElse("").replace("memcached ", "").strip();
  }

  /**
   * Starts one that wants a login by SASL, of which directory, an empty one, gets the settings:
   * user alice, password secret, as the vectors were recorded with.
   */
  public static RealMemcached startSasl(Path directory) throws IOException {
    Path users = directory.resolve("sasldb2");
    Programs.Result saved =
        Programs.run(
            START,
            List.of(
                "/bin/sh",
                "-c",
                "printf secret | \"$1\" -p -c -a memcached -f \"$2\" alice",
                "saslpasswd2",
                Programs.find("saslpasswd2"),
                users.toString()));
    if (saved.exitCode() != 0) {
      throw new IllegalStateException("saslpasswd2: " + saved.output());
    }
    Files.writeString(
        directory.resolve("memcached.conf"),
        "mech_list: plain cram-md5 scram-sha-1\nsasldb_path: " + users + "\n");
    return start(Map.of("SASL_CONF_PATH", directory.toString()), "-S");
  }

  private static RealMemcached start(Map<String, String> environment, String... arguments) {
    return start(BINARY, environment, arguments);
  }

  private static RealMemcached start(
      String program, Map<String, String> environment, String... arguments) {
    Path directory = null;
    Process process = null;
    try {
      directory = Files.createTempDirectory("sluice-memcached");
      process = launch(program, directory, environment, arguments);
      InetSocketAddress address = awaitPort(process, directory);
      List<String> given = List.of(arguments);
      awaitAnswer(process, address, given.contains("binary") || given.contains("-S"));
      return new RealMemcached(process, directory, address);
    } catch (IOException | RuntimeException | Error e) {
      stop(process, directory);
      throw e instanceof IOException io ? new UncheckedIOException(io) : sneak(e);
    }
  }

  private static RuntimeException sneak(Throwable e) {
    if (e instanceof Error error) {
      throw error;
    }
    return (RuntimeException) e;
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return address;
  }

  /** Whether the process is there; the command {@code shutdown} ends it. */
  boolean isRunning() {
    return process.isAlive();
  }

  /** Ends the process and waits until it is gone. */
  @Override
  public void close() {
    stop(process, directory);
  }

  // -p -1 and the file are what memcached's own tests use: the kernel picks the port, nobody races.
  // -t 1 is how the vectors were recorded.
  private static Process launch(
      String program, Path directory, Map<String, String> environment, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.addAll(List.of(program, "-l", "127.0.0.1", "-p", "-1", "-U", "0", "-t", "1"));
    command.addAll(List.of("-u", System.getProperty("user.name"))); // root must name a user
    command.addAll(Arrays.asList(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(environment);
    builder.environment().put("MEMCACHED_PORT_FILENAME", directory.resolve("port").toString());
    builder.redirectErrorStream(true).redirectOutput(directory.resolve("output").toFile());
    Process process = builder.start();
    RUNNING.add(process);
    return process;
  }

  private static InetSocketAddress awaitPort(Process process, Path directory) throws IOException {
    long deadline = System.nanoTime() + START.toNanos();
    Path file = directory.resolve("port"); // renamed into place once it is complete
    while (!Files.exists(file)) {
      checkAlive(process, directory, deadline);
      pause();
    }
    for (String line : Files.readAllLines(file)) {
      if (line.startsWith("TCP INET: ")) {
        int port = Integer.parseInt(line.substring("TCP INET: ".length()));
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
      }
    }
    throw new IllegalStateException(BINARY + " listens on no TCP port: " + Files.readString(file));
  }

  private static void awaitAnswer(Process process, InetSocketAddress address, boolean binary)
      throws IOException {
    byte[] noop = new byte[24];
    noop[0] = (byte) 0x80;
    noop[1] = 0x0a;
    try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
      socket.setSoTimeout((int) START.toMillis());
      socket.getOutputStream().write(binary ? noop : "mn\r\n".getBytes(StandardCharsets.US_ASCII));
      InputStream in = socket.getInputStream();
      int expected = binary ? 24 : 4;
      if (in.readNBytes(expected).length < expected) {
        throw new IllegalStateException("memcached " + process.pid() + " closed the connection");
      }
    }
  }

  private static void checkAlive(Process process, Path directory, long deadline)
      throws IOException {
    if (!process.isAlive()) {
      throw new IllegalStateException(
          "memcached ended with "
              + process.exitValue()
              + ": "
              + Files.readString(directory.resolve("output")));
    }
    if (System.nanoTime() > deadline) {
      throw new IllegalStateException("memcached did not listen within " + START);
    }
  }

  private static void stop(Process process, Path directory) {
    try {
      if (process != null) {
        process.destroyForcibly();
        process.waitFor(10, TimeUnit.SECONDS);
        RUNNING.remove(process);
      }
      if (directory != null) {
        Files.deleteIfExists(directory.resolve("port"));
        Files.deleteIfExists(directory.resolve("output"));
        Files.deleteIfExists(directory);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void pause() {
    try {
      Thread.sleep(2);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static String findBinary() {
    return Programs.find("memcached");
  }

  /** The installed version, which the vectors that are compared with depend on. */
  static Optional<String> installedVersion() {
    Programs.Result result = Programs.run(Duration.ofSeconds(10), List.of(BINARY, "-V"));
    String output = result.output().strip(); // memcached 1.6.18
    return output.startsWith("memcached ")
        ? Optional.of(output.substring("memcached ".length()))
        : Optional.empty();
  }
}
