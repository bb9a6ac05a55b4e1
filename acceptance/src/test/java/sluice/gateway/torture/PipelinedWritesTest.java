package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.uring.IoUring;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.gateway.fixtures.RealMemcached;

/**
 * Clients that send ten sets at a time, with reads between them. Their requests go to the server in
 * pieces of several read buffers, which each transport sends in a way of its own. The server must
 * hold what was stored.
 */
class PipelinedWritesTest {
  private static final int CLIENTS = 6;
  private static final int WRITES = 2_000;
  private static final int IN_FLIGHT = 10;
  private static final int[] REPEATED = {100, 20, 400};

  @ParameterizedTest
  @CsvSource({"nio, 1", "nio, 2", "epoll, 2", "io_uring, 2"})
  void shouldStoreWhatIsAcknowledged(String transport, int loops) throws Exception {
    assumeTrue(
        !transport.equals("io_uring") || IoUring.isAvailable(),
        "this kernel, or its seccomp profile, allows no io_uring");
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    try (RealMemcached server = RealMemcached.start();
        RunningGateway gateway =
            RunningGateway.of(
                Scenario.yaml("{pool: main}", Scenario.pool("main", "", server.address()))
                    .replace(
                        "eventLoops: 1", "eventLoops: " + loops + ", transport: " + transport))) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        int number = i;
        Callable<Void> client =
            () -> {
              write(gateway, number);
              return null;
            };
        all.add(threads.submit(client));
      }
      for (Future<?> each : all) {
        each.get();
      }
      try (RawClient reader = new RawClient(server.address())) {
        for (int client = 0; client < CLIENTS; client++) {
          for (int i = 0; i < WRITES; i++) {
            String value = value(client, i);
            assertThat(reader.send("get " + key(client, i) + "\r\n").line())
                .isEqualTo("VALUE " + key(client, i) + " 0 " + value.length());
            assertThat(reader.line()).isEqualTo(value);
            assertThat(reader.line()).isEqualTo("END");
          }
        }
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static String key(int client, int i) {
    return "k" + client + "-" + i;
  }

  private static String value(int client, int i) {
    return Integer.toString(i).repeat(REPEATED[(client + i) % REPEATED.length]);
  }

  private static void write(RunningGateway gateway, int number) throws Exception {
    try (RawClient client = new RawClient(gateway.address())) {
      for (int i = 0; i < WRITES; i += IN_FLIGHT) {
        StringBuilder requests = new StringBuilder();
        for (int j = i; j < i + IN_FLIGHT; j++) {
          String value = value(number, j);
          // The read between two writes leaves with those of other clients, so the writes are
          // apart.
          requests.append(
              "set %s 0 0 %d\r\n%s\r\nget none\r\n"
                  .formatted(key(number, j), value.length(), value));
        }
        client.send(requests.toString());
        for (int j = i; j < i + IN_FLIGHT; j++) {
          assertThat(client.line()).as("%s", key(number, j)).isEqualTo("STORED");
          assertThat(client.line()).isEqualTo("END");
        }
      }
    }
  }
}
