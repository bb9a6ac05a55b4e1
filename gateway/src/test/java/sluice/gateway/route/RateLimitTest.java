package sluice.gateway.route;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RateLimitTest {
  private static final long SECOND = 1_000_000_000L;

  @ParameterizedTest
  @CsvSource({"1, 1", "10, 3", "100, 100", "3, 1000", "999983, 7", "1000000, 1000000"})
  void shouldLetTheRatePassAndTheBurstAfterAPause(int rate, int burst) {
    RateLimit limit = new RateLimit("r", rate, burst);
    long now = System.nanoTime();
    int passed = 0;
    while (limit.take(1, now)) {
      passed++;
    }
    assertThat(passed).isEqualTo(burst);
    assertThat(limit.take(1, now)).isFalse();
    int steps = 1_000;
    long later = now;
    long inTime = 0;
    for (int i = 1; i <= steps; i++) {
      later = now + i * (10 * SECOND / steps);
      while (limit.take(1, later)) {
        inTime++;
      }
    }
    // What ten seconds bring, unless the bucket is too small for what comes between two steps.
    long most = Math.min(10L * rate, (long) steps * burst);
    assertThat(inTime).isBetween(most * 999 / 1000 - 1, 10L * rate + 1);
    int after = 0;
    while (limit.take(1, later + 10_000 * SECOND)) {
      after++;
    }
    assertThat(after).isEqualTo(burst);
  }

  @Test
  void shouldTakeForManyAtOnceOrForNone() {
    RateLimit limit = new RateLimit("r", 1, 10);
    long now = System.nanoTime();
    assertThat(limit.take(7, now)).isTrue();
    assertThat(limit.take(4, now)).isFalse();
    assertThat(limit.take(3, now)).isTrue();
    assertThat(limit.take(1, now)).isFalse();
    limit.putBack(3);
    assertThat(limit.take(3, now)).isTrue();
  }

  @Test
  void shouldBePaidLaterForMoreThanItHolds() {
    RateLimit limit = new RateLimit("r", 10, 10);
    long now = System.nanoTime();
    assertThat(limit.take(1, now)).isTrue();
    assertThat(limit.take(100, now)).isFalse(); // not full
    assertThat(limit.take(100, now + SECOND)).isTrue();
    assertThat(limit.take(1, now + 9 * SECOND)).isFalse();
    assertThat(limit.take(1, now + 11 * SECOND)).isTrue();
  }

  @Test
  void shouldNeverTakeForMoreThanTenTimesWhatItHolds() {
    RateLimit limit = new RateLimit("r", 10, 10);
    long now = System.nanoTime();
    assertThat(limit.take(101, now)).isFalse();
    assertThat(limit.take(Integer.MAX_VALUE, now)).isFalse();
    assertThat(limit.take(10, now)).isTrue(); // nothing was taken before
    assertThat(new RateLimit("r", 10, 10_000_000).take(Integer.MAX_VALUE, now)).isFalse();
    assertThat(new RateLimit("r", 1, Integer.MAX_VALUE).take(Integer.MAX_VALUE, now)).isTrue();
  }

  @Test
  void shouldLetNoMoreThanTheBurstPassWhoeverAsks() throws Exception {
    RateLimit limit = new RateLimit("r", 1, 10_000);
    long now = System.nanoTime();
    var passed = new java.util.concurrent.atomic.AtomicInteger();
    Thread[] threads = new Thread[4];
    for (int i = 0; i < threads.length; i++) {
      threads[i] =
          new Thread(
              () -> {
                for (int j = 0; j < 5_000; j++) {
                  if (limit.take(1, now)) {
                    passed.incrementAndGet();
                  }
                }
              });
      threads[i].start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(passed.get()).isEqualTo(10_000);
  }
}
