package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.gateway.fixtures.RealMemcached;
import sluice.testkit.Patience;

/** Clients that stop inside a line, which together would take all the memory of the process. */
class UnfinishedLinesTest extends ClosingTest {
  private static final int MIB = 1024 * 1024;
  private static final int VALUE = 900_000;
  private static final int CLIENTS = 100;
  private static final int MOST_LEFT = 66;
  private static final Pattern CONNECTIONS =
      Pattern.compile("^sluice_connections\\{[^}]*} ([0-9.eE+]+)", Pattern.MULTILINE);
  private static final String KEY = "k".repeat(200);

  private RunningGateway start(int loops, String memory, String listener) {
    RealMemcached server = closing(RealMemcached.start("-m", "64"));
    return closing(
        RunningGateway.of(
            """
            admin: {bind: 127.0.0.1:0}
            process: {eventLoops: %d, memory: %s}
            listeners: {cache: {bind: 127.0.0.1:0, route: cache%s}}
            routes: {cache: [{pool: cache}]}
            pools: {cache: {servers: ["127.0.0.1:%d"], timeout: 10s}}
            """
                .formatted(loops, memory, listener, server.address().getPort())));
  }

  private static String get(int length) {
    return "get " + (KEY + ' ').repeat(length / (KEY.length() + 1));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void shouldNotTakeTheMemoryOfOthers(int loops) throws Exception {
    RunningGateway gateway = start(loops, "16MiB", "");
    RawClient writes = client(gateway.address());
    assertThat(writes.ask("set large 0 0 " + VALUE + "\r\n" + "v".repeat(VALUE) + "\r\n"))
        .isEqualTo("STORED");
    ExecutorService threads = Executors.newCachedThreadPool();
    List<Future<?>> stopping = new ArrayList<>();
    for (int i = 0; i < 24; i++) {
      RawClient stops = client(gateway.address());
      stopping.add(
          threads.submit(
              () -> {
                try {
                  stops.send(get(VALUE)); // and nothing more
                } catch (IOException e) {
                  // closed, which is what is wanted
                }
              }));
    }
    assertThat(Patience.soon(() -> gateway.bufferedBytes() > 2 * MIB)).isTrue();
    AtomicLong most = new AtomicLong();
    List<Future<String>> readers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      RawClient reads = client(gateway.address());
      readers.add(
          threads.submit(
              () -> {
                for (int times = 0; times < 20; times++) {
                  reads.ask("get large\r\n");
                  reads.read(VALUE + 2);
                  reads.line();
                  most.accumulateAndGet(gateway.gateway().bufferedBytes(), Math::max);
                }
                return reads.ask(get(VALUE) + "large\r\n");
              }));
    }
    for (Future<String> reader : readers) {
      assertThat(reader.get(60, TimeUnit.SECONDS)).isEqualTo("VALUE large 0 " + VALUE);
    }
    for (Future<?> each : stopping) {
      each.get(60, TimeUnit.SECONDS); // no one is left unread
    }
    threads.shutdown();
    assertThat(most.get()).isLessThan(16 * MIB);
  }

  /** Each of them has little, below what is reserved. */
  @ParameterizedTest
  @CsvSource({"1, false", "3, false", "1, true"})
  void shouldNotTakeItInSmallParts(int loops, boolean login, @TempDir Path directory)
      throws Exception {
    Path users = Files.writeString(directory.resolve("users.txt"), "alice:secret\n");
    RunningGateway gateway =
        start(loops, "1MiB", login ? ", auth: {users: \"" + users + "\"}" : "");
    String part = login ? "set any 0 0 16000\r\n" + "x".repeat(15_000) : get(15_000);
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(client(gateway.address()));
    }
    assertThat(Patience.soon(() -> connections(gateway) == CLIENTS)).isTrue();
    for (RawClient stops : clients) {
      try {
        stops.send(part);
      } catch (IOException e) {
        // closed, which is what is wanted
      }
    }
    assertThat(Patience.soon(() -> connections(gateway) < MOST_LEFT)).isTrue();
  }

  private static long connections(RunningGateway gateway) {
    Matcher matcher = CONNECTIONS.matcher(gateway.gateway().scrape());
    assertThat(matcher.find()).isTrue();
    return (long) Double.parseDouble(matcher.group(1));
  }
}
