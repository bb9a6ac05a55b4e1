package sluice.gateway.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import sluice.gateway.metrics.Interval;

class HistoryTest {
  private static final Instant START = Instant.parse("2026-01-02T03:04:05Z");

  private final History history = new History();

  private static Interval requests(long count) {
    return new Interval(5, count, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  }

  private Instant fill(int samples) {
    for (int i = 1; i <= samples; i++) {
      history.add(START.plusSeconds(5L * i), requests(i));
    }
    return START.plusSeconds(5L * samples);
  }

  @Test
  void shouldHaveNothingAtFirst() {
    assertThat(history.within(Duration.ofHours(1), START)).isEmpty();
  }

  @Test
  void shouldHaveTheSamplesOfASpanWithTheOldestFirst() {
    Instant now = fill(20);
    assertThat(history.within(Duration.ofSeconds(20), now))
        .extracting(sample -> sample.figures().requests())
        .containsExactly(17L, 18L, 19L, 20L);
    assertThat(history.within(Duration.ofHours(1), now)).hasSize(20);
  }

  @Test
  void shouldKeepAnHourAndNoMore() {
    Instant now = fill(3 * History.CAPACITY + 7);
    assertThat(history.within(Duration.ofDays(1), now))
        .hasSize(History.CAPACITY)
        .first()
        .extracting(sample -> sample.figures().requests())
        .isEqualTo(2L * History.CAPACITY + 8);
    assertThat(history.within(Duration.ofHours(1), now)).hasSize(3600 / 5);
  }
}
