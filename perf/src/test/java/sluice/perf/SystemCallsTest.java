package sluice.perf;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.load.process.GatewayCommand;
import sluice.load.process.Memcached;
import sluice.testkit.FreePort;

/**
 * System calls are most of what a request costs, and unlike time they can be counted: by strace,
 * over all threads of a gateway before a memcached, 50 connections and one event loop. More of them
 * means that reads or writes which used to be shared are not any more. The limits are some tenths
 * above what a calm machine counts (2.7 and 0.48 with what strace slows down). A busy one may count
 * more, so the lowest of a few counts must be within the limit.
 */
class SystemCallsTest {
  private static final long WAIT_SECONDS = 300;
  private static final int KEYS = 100;
  private static final int MOST_COUNTS = 3;

  /** What moves messages or waits for them; the JVM's own threads make others, by the clock. */
  private static final Pattern MOVING =
      Pattern.compile(
          "^ *[\\d.]+ +[\\d.]+ +\\d+ +(\\d+)(?: +\\d+)?"
              + " +(?:read|readv|recvfrom|recvmsg|write|writev|sendto|sendmsg|epoll_\\w+)$",
          Pattern.MULTILINE);

  @TempDir private Path directory;

  private Memcached memcached;
  private Process gateway;

  @BeforeEach
  void start() throws Exception {
    memcached = new Memcached(FreePort.number());
    Path log = directory.resolve("gateway.log");
    gateway =
        GatewayCommand.process(
                Files.writeString(
                    directory.resolve("sluice.yaml"),
                    """
                    process: {eventLoops: 1}
                    admin: {bind: 127.0.0.1:0}
                    listeners: {cache: {bind: "unix:%s", route: cache}}
                    routes: {cache: [{pool: cache}]}
                    pools: {cache: {servers: ["%s:%d"], timeout: 30s}}
                    """
                        .formatted(
                            socket(),
                            memcached.address().getAddress().getHostAddress(),
                            memcached.address().getPort())),
                List.of())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
    while (!Files.readString(log).contains(" ready: ")) {
      assertThat(gateway.isAlive() && System.nanoTime() < end).as(Files.readString(log)).isTrue();
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  private String socket() {
    return directory.resolve("s").toString();
  }

  @AfterEach
  void stop() throws Exception {
    if (gateway != null) {
      gateway.destroy();
      assertThat(gateway.waitFor(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    }
    memcached.close();
  }

  @ParameterizedTest
  @CsvSource({"1, 100, 10000, 3.1", "16, 100, 80000, 0.6", "1, 262144, 2000, 17"})
  void shouldMakeFewSystemCallsForARequest(int depth, int value, int requests, double most)
      throws Exception {
    load(depth, value, requests / 2); // connections are opened, classes loaded
    long limit = (long) (most * requests);
    long lowest = Long.MAX_VALUE;
    String counted = "";
    for (int i = 0; i < MOST_COUNTS && lowest > limit; i++) {
      counted = counted(depth, value, requests);
      lowest = Math.min(lowest, calls(counted));
    }
    assertThat(lowest).as(counted).isBetween(requests / 100L, limit);
  }

  private static long calls(String counted) {
    return MOVING.matcher(counted).results().mapToLong(line -> Long.parseLong(line.group(1))).sum();
  }

  /** The calls for so many requests, as strace counts them. */
  private String counted(int depth, int value, int requests) throws Exception {
    Path summary = directory.resolve("calls");
    Process strace =
        new ProcessBuilder(
                List.of("strace", "-f", "-c", "-o", summary.toString(), "-p", "" + gateway.pid()))
            .redirectErrorStream(true)
            .start();
    try (BufferedReader said = strace.inputReader()) {
      String attached = said.readLine();
      assumeTrue(
          attached != null && attached.contains("attached"),
          () -> "SYSTEM CALLS CANNOT BE COUNTED HERE, strace says: " + attached);
      load(depth, value, requests);
      new ProcessBuilder("kill", "-INT", "" + strace.pid()).start().waitFor();
      assertThat(strace.waitFor(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    } finally {
      strace.destroyForcibly();
    }
    return Files.readString(summary);
  }

  private void load(int depth, int value, int requests) throws Exception {
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    String[] arguments = {
      "unix:" + socket(),
      "--connections",
      "50",
      "--depth",
      "" + depth,
      "--value",
      "" + value,
      "--keys",
      "" + KEYS,
      "--warm",
      "0",
      "--seconds",
      "" + WAIT_SECONDS,
      "--requests",
      "" + requests
    };
    try (PrintStream out = new PrintStream(said, true, UTF_8)) {
      assertThat(MemcachedLoad.run(out, arguments)).as(() -> said.toString(UTF_8)).isZero();
    }
    Matcher done = Pattern.compile("requests=(\\d+)").matcher(said.toString(UTF_8));
    assertThat(done.find() && Long.parseLong(done.group(1)) >= requests)
        .as(() -> said.toString(UTF_8))
        .isTrue();
  }
}
