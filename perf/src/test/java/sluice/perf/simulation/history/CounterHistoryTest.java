package sluice.perf.simulation.history;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import sluice.perf.simulation.history.CounterHistory.Count;

class CounterHistoryTest {
  private static final Object ANN = "ann";
  private static final Object BOB = "bob";
  private static final long INITIAL = CounterHistory.INITIAL;

  private final CounterHistory history = new CounterHistory(Promise.ORDER);

  private static long plus(long number, Count... counts) {
    long sum = number;
    for (Count count : counts) {
      sum += count.isUp() ? count.delta() : -count.delta();
    }
    return sum;
  }

  @Test
  void shouldKnowWhichChangesANumberHas() {
    Count first = history.count(ANN, 10);
    Count second = history.count(BOB, 20);
    assertThat(first.isUp()).isNotEqualTo(second.isUp());
    first.done(30);
    assertThat(history.judge(first, plus(INITIAL, first), 30)).isNull();
    Step read = history.read(ANN, 40);
    assertThat(history.judge(read, plus(INITIAL, first), 41)).isNull();
    assertThat(history.judge(read, INITIAL, 41)).contains("lacks");
    assertThat(history.judge(read, plus(INITIAL, first, second), 42)).isNull();
    assertThat(history.judge(history.read(BOB, 43), plus(INITIAL, first), 44)).contains("lacks");
  }

  @Test
  void shouldFindAChangeThatWasCarriedOutTwiceOrNeverSent() {
    Count up = history.count(ANN, 10);
    Count down = history.count(ANN, 10);
    Step read = history.read(ANN, 20);
    assertThat(history.judge(read, plus(INITIAL, up, up), 21)).isNotNull();
    assertThat(history.judge(read, plus(INITIAL, down, down), 21)).isNotNull();
    assertThat(history.judge(read, plus(INITIAL, up, down), 21)).isNull();
    assertThat(history.judge(read, plus(INITIAL, up, down) + 16, 21)).isNotNull();
    assertThat(history.judge(read, 5, 21)).isNotNull();
  }

  @Test
  void shouldFindAReplyToAChangeWithoutIt() {
    Count up = history.count(ANN, 10);
    assertThat(history.judge(up, INITIAL, 20)).contains("lacks");
  }

  @Test
  void shouldFindNumbersInNoOrder() {
    Count one = history.count(ANN, 10);
    Count other = history.count(BOB, 10);
    assertThat(history.judge(history.read(ANN, 10), plus(INITIAL, one), 20)).isNull();
    assertThat(history.judge(history.read(BOB, 10), plus(INITIAL, other), 20)).contains("neither");
    CounterHistory pools = new CounterHistory(Promise.ANSWERED);
    Count east = pools.count(ANN, 10);
    Count west = pools.count(BOB, 10);
    assertThat(pools.judge(pools.read(ANN, 10), plus(INITIAL, east), 20)).isNull();
    assertThat(pools.judge(pools.read(BOB, 10), plus(INITIAL, west), 20)).isNull();
  }

  @Test
  void shouldAllowAFailedChangeOnce() {
    Count failed = history.count(ANN, 10);
    failed.fails();
    assertThat(history.judge(history.read(BOB, 20), INITIAL, 21)).isNull();
    assertThat(history.judge(history.read(BOB, 22), plus(INITIAL, failed), 23)).isNull();
    assertThat(history.judge(history.read(BOB, 24), INITIAL, 25)).contains("lacks");
    CounterHistory cached = new CounterHistory(Promise.ORDER_UNLESS_FAILED);
    Count late = cached.count(ANN, 10);
    late.fails();
    assertThat(cached.judge(cached.read(BOB, 22), plus(INITIAL, late), 23)).isNull();
    assertThat(cached.judge(cached.read(BOB, 24), INITIAL, 25)).isNull();
  }

  @Test
  void shouldEndWithTheLastDigit() {
    long number = INITIAL;
    while (!history.isSpent()) {
      Count count = history.count(ANN, 10);
      number = plus(number, count);
      count.done(20);
      assertThat(history.judge(count, number, 20)).isNull();
    }
    assertThat(number).isPositive();
  }
}
