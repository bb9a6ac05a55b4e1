package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.gateway.fixtures.RealMemcached;
import sluice.testkit.Patience;

/**
 * A server that is killed under load: errors until that is noticed, then none; when it is back, so
 * is its share, and nobody stormed it meanwhile.
 */
class KilledServerTest {
  private static final int CLIENTS = 4;

  /** A connection that could not be made is one failure, and so is each refused request. */
  private static final long DETECTION_NANOS = TimeUnit.SECONDS.toNanos(3);

  private record Failure(long at, String answer) {}

  /** Writes and reads keys of its own, one after the other, and looks at every answer. */
  private static final class Load implements AutoCloseable {
    private final List<Thread> threads = new ArrayList<>();
    private final ConcurrentLinkedQueue<Failure> failures = new ConcurrentLinkedQueue<>();
    private final AtomicLong answered = new AtomicLong();
    private volatile Throwable broken;
    private volatile boolean stopped;

    Load(InetSocketAddress gateway) {
      for (int i = 0; i < CLIENTS; i++) {
        int number = i;
        Thread thread = new Thread(() -> run(gateway, number), "load " + i);
        thread.start();
        threads.add(thread);
      }
    }

    private void run(InetSocketAddress gateway, int number) {
      try (RawClient client = new RawClient(gateway)) {
        for (int i = 0; !stopped; i++) {
          String key = "k" + number + "-" + i % 200;
          String stored = client.ask("set " + key + " 0 0 4\r\nabcd\r\n");
          if (stored.equals("STORED")) {
            answered.incrementAndGet();
          } else {
            failures.add(new Failure(System.nanoTime(), stored));
          }
          String line = client.ask("get " + key + "\r\n");
          if (line.startsWith("VALUE ")) {
            assertThat(line).isEqualTo("VALUE " + key + " 0 4");
            assertThat(client.line()).isEqualTo("abcd");
            assertThat(client.line()).isEqualTo("END");
            answered.incrementAndGet();
          } else if (line.equals("END")) {
            answered.incrementAndGet(); // its server has changed
          } else {
            failures.add(new Failure(System.nanoTime(), line));
          }
        }
      } catch (IOException | AssertionError e) {
        broken = e;
      }
    }

    void end() {
      stopped = true;
      for (Thread thread : threads) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
      assertThat(broken).isNull();
    }

    @Override
    public void close() {
      end();
    }
  }

  private static double attempts(RunningGateway gateway, int port) {
    return gateway
        .gateway()
        .scrape()
        .lines()
        .filter(line -> line.startsWith("sluice_server_connection_attempts_total"))
        .filter(line -> line.contains(":" + port + "\""))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf("} ") + 2)))
        .sum();
  }

  private static long sets(RawClient direct) throws IOException {
    long sets = -1;
    String line = direct.ask("stats\r\n");
    while (!line.equals("END")) {
      if (line.startsWith("STAT cmd_set ")) {
        sets = Long.parseLong(line.substring("STAT cmd_set ".length()));
      }
      line = direct.line();
    }
    return sets;
  }

  private static void kill(AutoCloseable server) throws Exception {
    server.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"ejection", "failover"})
  void shouldCostErrorsOnlyUntilItIsNoticed(String way) throws Exception {
    boolean failover = way.equals("failover");
    try (RealMemcached one = RealMemcached.start();
        RealMemcached two = RealMemcached.start();
        RealMemcached gutter = RealMemcached.start();
        RealMemcached killed = RealMemcached.start()) {
      int port = killed.address().getPort();
      String yaml =
          """
          admin: {bind: 127.0.0.1:0}
          process: {eventLoops: 2}
          listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
          routes: {cache: [{pool: main%s}]}
          pools:
            main:
              servers: ["127.0.0.1:%d", "127.0.0.1:%d", "127.0.0.1:%d"]
              connections: {probeAfter: 200ms, connectTimeout: 10s}
              timeout: 10s
              health: {failures: 3, probe: 200ms, ejectFor: 500ms..1s}
            gutter: {servers: ["127.0.0.1:%d"], timeout: 10s}
          """
              .formatted(
                  failover ? ", failover: [gutter]" : "",
                  one.address().getPort(),
                  two.address().getPort(),
                  port,
                  gutter.address().getPort());
      try (RunningGateway gateway = RunningGateway.of(yaml);
          Load load = new Load(gateway.address())) {
        assertThat(Patience.soon(() -> load.answered.get() > 500)).isTrue();
        assertThat(load.failures).isEmpty();
        kill(killed);
        long since = System.nanoTime();
        double before = attempts(gateway, port);
        TimeUnit.SECONDS.sleep(5);
        for (Failure failure : load.failures) {
          assertThat(failure.at() - since).as(failure.answer()).isLessThan(DETECTION_NANOS);
        }
        // Each of two loops one a probeAfter until it is ejected, then one a probe in all.
        assertThat(attempts(gateway, port) - before).isBetween(1.0, 80.0);
        long answered = load.answered.get();
        assertThat(Patience.soon(() -> load.answered.get() > answered + 200)).isTrue();

        long failed = load.failures.size();
        try (RealMemcached again = RealMemcached.start("-p", Integer.toString(port));
            RawClient direct = new RawClient(again.address())) {
          assertThat(again.address().getPort()).isEqualTo(port);
          assertThat(
                  Patience.soon(
                      () -> {
                        try {
                          return sets(direct) > 100;
                        } catch (IOException e) {
                          throw new java.io.UncheckedIOException(e);
                        }
                      }))
              .isTrue();
          assertThat(load.failures).as("since it is back").hasSize((int) failed);
          load.end();
        }
      }
    }
  }
}
