package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.uring.IoUring;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.gateway.fixtures.RealMemcached;
import sluice.gateway.loop.IoUringTransport;

/**
 * Clients that pipeline more than a server connection's outbound buffer holds. The connection is
 * unwritable, and writable again, with requests that were written and not flushed.
 */
class ManyPipelinedReadsTest {
  private static final int CLIENTS = 4;
  private static final int READS = 1_000;
  private static final int ROUNDS = 10;
  private static final String KEY = "k".repeat(180);

  @ParameterizedTest
  @ValueSource(strings = {"nio", "epoll", "io_uring"})
  void shouldAnswerEachOnce(String transport) throws Exception {
    assumeTrue(
        !transport.equals("io_uring") || IoUring.isAvailable(),
        "this kernel, or its seccomp profile, allows no io_uring");
    ExecutorService threads = Executors.newFixedThreadPool(2 * CLIENTS);
    try (RealMemcached server = RealMemcached.start();
        RunningGateway gateway =
            RunningGateway.of(
                Scenario.yaml("{pool: main}", Scenario.pool("main", "", server.address()))
                    .replace("eventLoops: 1", "eventLoops: 1, transport: " + transport))) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        int number = i;
        Callable<Void> client =
            () -> {
              read(gateway, number, threads);
              return null;
            };
        all.add(threads.submit(client));
      }
      for (Future<?> each : all) {
        each.get();
      }
      assertThat(gateway.gateway().scrape())
          .doesNotContainPattern("sluice_server_protocol_errors_total\\{.*\\} [1-9]");
    } finally {
      threads.shutdownNow();
    }
  }

  private static void read(RunningGateway gateway, int number, ExecutorService threads)
      throws Exception {
    try (RawClient client = new RawClient(gateway.address())) {
      for (int round = 0; round < ROUNDS; round++) {
        StringBuilder requests = new StringBuilder();
        for (int i = 0; i < READS; i++) {
          requests.append("get ").append(number).append('-').append(i).append(KEY).append("\r\n");
        }
        Future<RawClient> sent = threads.submit(() -> client.send(requests.toString()));
        for (int i = 0; i < READS; i++) {
          assertThat(client.line()).isEqualTo("END");
        }
        sent.get();
      }
    }
  }

  /** Vert.x must not put handlers in front of Sluice's: they would flush by themselves. */
  @Test
  void shouldSupportFileRegions() throws IOException {
    assertThat(new IoUringTransport().implementation().supportFileRegion()).isTrue();
  }
}
