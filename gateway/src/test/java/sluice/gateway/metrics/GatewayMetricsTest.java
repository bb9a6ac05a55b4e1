package sluice.gateway.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.names.Command;

class GatewayMetricsTest {
  private static final int LOOPS = 3;
  private static final int REQUESTS = 200_000;

  private final AtomicLong clock = new AtomicLong();
  private final GatewayMetrics metrics = new GatewayMetrics(clock::get);

  @AfterEach
  void close() {
    metrics.close();
  }

  @Test
  void shouldAddUpWhatSeveralLoopsCountWhileTheyCount() throws InterruptedException {
    CountDownLatch done = new CountDownLatch(LOOPS);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < LOOPS; i++) {
      LoopMetrics loop = metrics.newLoop();
      threads.add(
          new Thread(
              () -> {
                carryTraffic(loop);
                done.countDown();
              }));
    }
    threads.forEach(Thread::start);
    double seen = 0;
    int scrapes = 0;
    while (done.getCount() > 0 || scrapes == 0) {
      double now = scrape().sum("sluice_requests_total");
      assertThat(now).isBetween(seen, (double) LOOPS * REQUESTS);
      seen = now;
      scrapes++;
    }
    for (Thread thread : threads) {
      thread.join();
    }

    Exposition exposition = scrape();
    double total = (double) LOOPS * REQUESTS;
    assertThat(
            exposition.value(
                "sluice_requests_total{command=\"get\",listener=\"cache\",outcome=\"ok\"}"))
        .isEqualTo(total / 2);
    assertThat(
            exposition.value(
                "sluice_requests_total{command=\"get\",listener=\"cache\",outcome=\"miss\"}"))
        .isEqualTo(total / 2);
    assertThat(exposition.value("sluice_request_time_seconds_count{listener=\"cache\"}"))
        .isEqualTo(total);
    assertThat(exposition.value("sluice_request_time_seconds_sum{listener=\"cache\"}"))
        .isCloseTo(total * 100e-6, within(1e-6));
    assertThat(exposition.value("sluice_own_time_seconds_sum"))
        .isCloseTo(total * 5e-6, within(1e-6));
    assertThat(
            exposition.value(
                "sluice_server_time_seconds_count{pool=\"cache\",server=\"10.0.0.1:11211\"}"))
        .isEqualTo(total);
    assertThat(
            exposition.value(
                "sluice_server_protocol_errors_total{pool=\"cache\",server=\"10.0.0.1:11211\"}"))
        .isEqualTo(LOOPS);
    assertThat(
            exposition.value("sluice_late_replies_total{pool=\"cache\",server=\"10.0.0.1:11211\"}"))
        .isEqualTo(2 * LOOPS);
    assertThat(exposition.value("sluice_bytes_total{direction=\"client_in\"}"))
        .isEqualTo(total * 20);
    assertThat(exposition.value("sluice_bytes_total{direction=\"server_out\"}")).isZero();
    assertThat(exposition.value("sluice_connections{listener=\"cache\"}")).isEqualTo(LOOPS);
    assertThat(
            exposition.value(
                "sluice_client_connections_total{listener=\"cache\",outcome=\"accepted\"}"))
        .isEqualTo(2 * LOOPS);
    assertThat(
            exposition.value(
                "sluice_client_connections_total{listener=\"cache\",outcome=\"refused\"}"))
        .isEqualTo(LOOPS);
    assertThat(exposition.value("sluice_in_flight")).isEqualTo(LOOPS);
    assertThat(exposition.value("sluice_buffered_bytes")).isEqualTo(LOOPS * 24);
    assertThat(metrics.inFlight()).isEqualTo(LOOPS);
    assertThat(metrics.bufferedBytes()).isEqualTo(LOOPS * 24L);
  }

  /** Half hits, half misses, 100 µs each of which 5 µs were ours; then leaves something open. */
  private static void carryTraffic(LoopMetrics loop) {
    ListenerMetrics listener = loop.listener("cache");
    ServerMetrics server = loop.server("cache", "10.0.0.1:11211");
    listener.connectionOpened();
    listener.connectionOpened();
    listener.connectionRefused(ConnectionOutcome.REFUSED);
    for (int i = 0; i < REQUESTS; i++) {
      loop.requestStarted();
      loop.bytes(Direction.CLIENT_IN, 20);
      loop.bufferedBytes(20);
      server.serverTime(95_000);
      listener.request(Command.GET, i % 2 == 0 ? Outcome.OK : Outcome.MISS, 100_000, 5_000);
      loop.bufferedBytes(-20);
      loop.requestEnded();
    }
    listener.connectionClosed();
    loop.requestStarted();
    loop.bufferedBytes(24);
    server.protocolError();
    server.lateReplyDropped();
    server.lateReplyDropped();
  }

  @Test
  void shouldExposeOnlyRequestsThatHappened() {
    LoopMetrics loop = metrics.newLoop();
    loop.listener("idle");
    loop.listener("busy").request(Command.SET, Outcome.TIMEOUT);
    assertThat(scrape().series())
        .filteredOn(series -> series.startsWith("sluice_requests_total"))
        .containsExactly(
            "sluice_requests_total{command=\"set\",listener=\"busy\",outcome=\"timeout\"}");
    assertThat(scrape().value("sluice_request_time_seconds_count{listener=\"busy\"}")).isZero();
  }

  @Test
  void shouldKeepEveryCommandAndOutcomeApart() {
    ListenerMetrics listener = metrics.newLoop().listener("cache");
    int count = 0;
    for (Command command : Command.values()) {
      for (Outcome outcome : Outcome.values()) {
        count++;
        for (int i = 0; i < count; i++) {
          listener.request(command, outcome);
        }
      }
    }
    Exposition exposition = scrape();
    count = 0;
    for (Command command : Command.values()) {
      for (Outcome outcome : Outcome.values()) {
        count++;
        assertThat(
                exposition.value(
                    "sluice_requests_total{command=\"%s\",listener=\"cache\",outcome=\"%s\"}"
                        .formatted(command.label(), outcome.label())))
            .isEqualTo(count);
        assertThat(listener.requests(command, outcome)).isEqualTo(count);
      }
    }
  }

  @Test
  void shouldGiveTheSameCountersForTheSameName() {
    LoopMetrics loop = metrics.newLoop();
    assertThat(loop.listener("cache")).isSameAs(loop.listener("cache"));
    assertThat(loop.server("cache", "a:1")).isSameAs(loop.server("cache", "a:1"));
    assertThat(loop.server("cache", "a:1")).isNotSameAs(loop.server("other", "a:1"));
  }

  @Test
  void shouldForgetAServerThatLeft() {
    LoopMetrics loop = metrics.newLoop();
    loop.server("cache", "a:1").serverTime(1_000);
    loop.server("cache", "b:1").serverTime(1_000);
    loop.forgetServer("cache", "a:1");
    assertThat(scrape().series())
        .noneMatch(series -> series.contains("a:1"))
        .anyMatch(series -> series.contains("b:1"));
  }

  @Test
  void shouldTellWhichServersAreUpAndHowReloadsWent() {
    metrics.serverStates(
        () ->
            Map.of(
                new ServerName("cache", "a:1"), new ServerCondition(true, 3),
                new ServerName("cache", "b:1"), new ServerCondition(false, 0)));
    metrics.reloaded(ReloadResult.REFUSED);
    metrics.reloaded(ReloadResult.REFUSED);
    Exposition exposition = scrape();
    assertThat(exposition.value("sluice_server_state{pool=\"cache\",server=\"a:1\"}")).isOne();
    assertThat(exposition.value("sluice_server_state{pool=\"cache\",server=\"b:1\"}")).isZero();
    assertThat(exposition.value("sluice_server_ejections_total{pool=\"cache\",server=\"a:1\"}"))
        .isEqualTo(3);
    assertThat(exposition.value("sluice_reloads_total{result=\"refused\"}")).isEqualTo(2);
    assertThat(exposition.value("sluice_reloads_total{result=\"applied\"}")).isZero();
  }

  /** Two data points with the same labels would make every later scrape fail. */
  @Test
  void shouldAddUpTheConnectionsOfAListenerWhoseProtocolHasChanged() {
    LoopMetrics loop = metrics.newLoop();
    loop.listener("node").connectionOpened(); // a client that has not left yet
    loop.internode("node").linkOpened(LinkType.SMALL);
    assertThat(scrape().value("sluice_connections{listener=\"node\"}")).isEqualTo(2);
  }

  @Test
  void shouldTellTheMemoryOfRequestsInFlight() {
    assertThat(scrape().value("sluice_memory_used_bytes{area=\"requests\"}")).isZero();
    metrics.requestMemory(() -> 700, 1_000);
    Exposition exposition = scrape();
    assertThat(exposition.value("sluice_memory_used_bytes{area=\"requests\"}")).isEqualTo(700);
    assertThat(exposition.value("sluice_memory_limit_bytes{area=\"requests\"}")).isEqualTo(1_000);
  }

  @Test
  void shouldEscapeNamesThatNeedIt() {
    metrics.newLoop().listener("a\"b\\c\nd").connectionOpened();
    assertThat(scrape().value("sluice_connections{listener=\"a\\\"b\\\\c\\nd\"}")).isOne();
  }

  @Test
  void shouldTellQuantilesOfTheRecentPastOnly() {
    String median = "sluice_request_time_quantile_seconds{listener=\"cache\",quantile=\"0.5\"}";
    ListenerMetrics listener = metrics.newLoop().listener("cache");
    assertThat(scrape().series()).doesNotContain(median);

    listener.request(Command.GET, Outcome.OK, 1_000_000, 0);
    assertThat(scrape().value(median)).isBetween(1e-3, 1.126e-3);
    for (int step = 0; step < 2; step++) {
      clock.addAndGet(RecentTimes.STEP_NANOS);
      assertThat(scrape().value(median)).isBetween(1e-3, 1.126e-3);
    }

    listener.request(Command.GET, Outcome.OK, 8_000_000, 0);
    assertThat(scrape().value(median)).as("only what is new").isBetween(8e-3, 9e-3);
    assertThat(scrape().value("sluice_request_time_seconds_count{listener=\"cache\"}"))
        .as("the histogram keeps everything")
        .isEqualTo(2);
    clock.addAndGet(RecentTimes.STEP_NANOS);
    scrape();
    clock.addAndGet(RecentTimes.STEP_NANOS);
    scrape();
    assertThat(scrape().series()).as("nothing lately").doesNotContain(median);
  }

  private Exposition scrape() {
    return Exposition.parse(metrics.scrape());
  }
}
