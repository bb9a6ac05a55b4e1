package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import sluice.testkit.Patience;

/**
 * Clients that read a chunked value while they are sending another value. Both take memory that is
 * reserved, and together they must not take more than there is.
 */
class SplitReadsOfWritersTest {
  private static final int CEILING = 2 << 20;
  private static final int LENGTH = 1 << 20;
  private static final String VALUE = "v".repeat(LENGTH);
  private static final int CLIENTS = 40;
  private static final int GONE = 60;
  private static final int SENT = 60_000;

  private static final String CONFIGURATION =
      """
      process: {eventLoops: 1, memory: 2MiB}
      listeners: {cache: {bind: 127.0.0.1:0, route: cache, limits: {itemSize: 2MiB, stall: 20s}}}
      routes: {cache: [{pool: cache, split: 64KiB}]}
      pools: {cache: {servers: ["%s"], timeout: 20s}}
      """;

  private final ExecutorService executor = Executors.newFixedThreadPool(CLIENTS);

  private final Scenario scenario = new Scenario();
  private RunningGateway gateway;
  private RawClient first;

  @BeforeEach
  void storeBig() throws IOException {
    gateway =
        RunningGateway.of(CONFIGURATION.formatted(Scenario.name(scenario.memcached().address())));
    first = scenario.client(gateway.address());
    assertThat(first.ask("set big 0 0 " + LENGTH + "\r\n" + VALUE + "\r\n")).isEqualTo("STORED");
    assertThat(Patience.soon(() -> gateway.bufferedBytes() == 0)).isTrue();
  }

  @AfterEach
  void end() {
    executor.shutdownNow();
    gateway.close();
    scenario.close();
  }

  /** Reads the first reply, and only then sends the rest of the value. */
  private static void finish(RawClient client) {
    try {
      assertThat(client.line()).isEqualTo("VALUE big 0 " + LENGTH);
      assertThat(client.line()).isEqualTo(VALUE);
      assertThat(client.line()).isEqualTo("END");
      client.send("w".repeat(SENT - 1000) + "\r\n");
      assertThat(client.line()).isEqualTo("STORED");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Clients reset their connections after their values have arrived, and before their reads have
   * memory. The values must not have the memory that the reads before them need: then the gateway
   * would drop the values after a while.
   */
  @Test
  void shouldCarryOutTheRequestsOfClientsThatAreGone() throws Exception {
    String small = "w".repeat(15_000);
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < GONE; i++) {
      RawClient client = new RawClient(gateway.address());
      client.send("get big\r\nset k" + i + " 0 0 " + small.length() + "\r\n" + small + "\r\n");
      clients.add(client);
    }
    assertThat(Patience.soon(() -> gateway.inFlight() > GONE / 2)).isTrue();
    for (RawClient client : clients) {
      client.reset();
    }
    assertThat(Patience.soon(() -> gateway.inFlight() == 0)).isTrue();
    assertThat(Patience.soon(() -> gateway.bufferedBytes() == 0)).isTrue();
    assertThat(gateway.gateway().scrape())
        .contains("sluice_dropped_requests_total{reason=\"timeout\"} 0.0");
    assertThat(Scenario.get(first, "big")).isEqualTo(VALUE);
  }

  @Test
  void shouldStayBelowTheCeilingAndAnswerAll() throws Exception {
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      RawClient client = scenario.client(gateway.address());
      client.send("get big\r\nset k" + i + " 0 0 " + SENT + "\r\n" + "w".repeat(1000));
      clients.add(client);
    }
    assertThat(Patience.soon(() -> gateway.bufferedBytes() > LENGTH)).isTrue();
    long most = 0;
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(500);
    while (System.nanoTime() < until) {
      most = Math.max(most, gateway.bufferedBytes());
    }
    assertThat(most).isLessThan(CEILING + LENGTH);

    List<CompletableFuture<Void>> ends =
        clients.stream()
            .map(client -> CompletableFuture.runAsync(() -> finish(client), executor))
            .toList();
    for (CompletableFuture<Void> end : ends) {
      end.get(60, TimeUnit.SECONDS);
    }
    assertThat(Patience.soon(() -> gateway.bufferedBytes() == 0)).isTrue();
  }
}
