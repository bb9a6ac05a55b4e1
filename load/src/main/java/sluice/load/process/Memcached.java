package sluice.load.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** memcached process on this machine, on a port that stays the same across restarts. */
public final class Memcached implements AutoCloseable {
  private static final long START_SECONDS = 20;

  private final int port;
  private Process process;

  /** Starts it and waits until it answers. */
  public Memcached(int port) throws IOException, InterruptedException {
    this.port = port;
    start();
  }

  /** The address that it listens on. */
  public InetSocketAddress address() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  private void start() throws IOException, InterruptedException {
    process =
        new ProcessBuilder(
                List.of(
                    program(),
                    "-l",
                    "127.0.0.1",
                    "-p",
                    Integer.toString(port),
                    "-U",
                    "0",
                    "-t",
                    "1",
                    "-m",
                    "512",
                    "-u", // root must name a user
                    System.getProperty("user.name")))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (!answers()) {
      if (!process.isAlive() || System.nanoTime() - end > 0) {
        throw new IOException("memcached on port " + port + " did not start");
      }
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }

  private boolean answers() {
    try (Socket socket = new Socket(address().getAddress(), port)) {
      socket.setSoTimeout(1000);
      socket.getOutputStream().write("mn\r\n".getBytes(StandardCharsets.US_ASCII));
      return socket.getInputStream().readNBytes(4).length == 4;
    } catch (IOException e) {
      return false;
    }
  }

  /** Kills and restarts it, which empties the cache. */
  public void restart() throws IOException, InterruptedException {
    close();
    start();
  }

  /** Suspends the process without ending it. */
  public void pause() throws IOException, InterruptedException {
    signal(process, "STOP");
  }

  /** Continues a suspended process. */
  public void resume() throws IOException, InterruptedException {
    signal(process, "CONT");
  }

  /** Sends a signal, by its name, to a process. */
  public static void signal(Process process, String signal)
      throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start().waitFor();
  }

  @Override
  public void close() {
    try {
      process.destroyForcibly().waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static String program() {
    return Stream.concat(
            Stream.of(System.getenv().getOrDefault("PATH", "").split(":", -1)),
            Stream.of("/usr/bin", "/usr/sbin", "/usr/local/bin"))
        .map(directory -> Path.of(directory, "memcached"))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "found no memcached, expected it installed (Debian: apt-get install"
                        + " memcached)"))
        .toString();
  }
}
