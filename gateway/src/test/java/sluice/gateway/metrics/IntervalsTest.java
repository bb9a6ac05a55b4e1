package sluice.gateway.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import sluice.names.Command;

class IntervalsTest {
  private final AtomicLong clock = new AtomicLong();
  private final LoopMetrics one = new LoopMetrics("0");
  private final LoopMetrics two = new LoopMetrics("1");
  private final Intervals intervals = new Intervals(List.of(one, two), clock::get);

  private Interval next() {
    clock.addAndGet(5_000_000_000L);
    return intervals.next();
  }

  @Test
  void shouldSayWhatHappenedSinceTheLastIntervalOnAllLoops() {
    one.listener("a").request(Command.GET, Outcome.OK, 2_000, 1_000);
    next();
    one.listener("a").connectionOpened();
    one.listener("a").request(Command.GET, Outcome.MISS, 2_000_000, 1_000_000);
    two.listener("b").request(Command.SET, Outcome.SERVER_DOWN, 2_000_000, 1_000_000);
    two.listener("b").request(Command.SET, Outcome.CLIENT_GONE);
    two.bytes(Direction.CLIENT_IN, 70);
    two.bytes(Direction.CLIENT_OUT, 7);
    two.requestStarted();
    Interval interval = next();
    assertThat(interval.seconds()).isEqualTo(5);
    assertThat(interval.requests()).isEqualTo(3);
    assertThat(interval.errors()).isEqualTo(1);
    assertThat(interval.misses()).isEqualTo(1);
    assertThat(interval.bytesIn()).isEqualTo(70);
    assertThat(interval.bytesOut()).isEqualTo(7);
    assertThat(interval.inFlight()).isEqualTo(1);
    assertThat(interval.connections()).isEqualTo(1);
    assertThat(interval.requestP50()).isBetween(0.002, 0.00225);
    assertThat(interval.gatewayP99()).isBetween(0.001, 0.001125);
  }

  @Test
  void shouldHaveNoQuantilesWithoutRequests() {
    one.listener("a").request(Command.GET, Outcome.OK, 2_000, 1_000);
    next();
    Interval interval = next();
    assertThat(interval.requests()).isZero();
    assertThat(interval.requestP99()).isNaN();
    assertThat(interval.gatewayP50()).isNaN();
  }
}
