package sluice.gateway.dispatch.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** When a read is sent twice, and how many are. */
class HedgeNumbersTest {
  private static final long SEED = 20261125;

  @Test
  void shouldComeNearThePercentile() {
    Random random = new Random(SEED);
    long[] times = random.longs(20_000, 1_000_000, 21_000_000).toArray();
    Percentile p95 = new Percentile(95, 1000, 10_000_000);
    Percentile p50 = new Percentile(50, 1000, 10_000_000);
    double sum95 = 0;
    double sum50 = 0;
    for (long time : times) {
      p95.add(time);
      p50.add(time);
      sum95 += p95.nanos();
      sum50 += p50.nanos();
    }
    Arrays.sort(times);
    assertThat(sum95 / times.length / times[times.length * 95 / 100]).isCloseTo(1, within(0.1));
    assertThat(sum50 / times.length / times[times.length / 2]).isCloseTo(1, within(0.1));
  }

  @Test
  void shouldFollowAPoolThatBecomesSlowAndFastAgain() {
    Percentile p95 = new Percentile(95, 1000, 1_000_000);
    for (int i = 0; i < 300; i++) {
      p95.add(100_000_000);
    }
    assertThat(p95.nanos()).isBetween(90_000_000L, 110_000_000L);
    for (int i = 0; i < 5000; i++) {
      p95.add(2_000_000);
    }
    assertThat(p95.nanos()).isBetween(1_800_000L, 2_200_000L);
  }

  @Test
  void shouldNeverBeBelowTheLeast() {
    Percentile p1 = new Percentile(1, 1_000_000, 500);
    for (int i = 0; i < 10_000; i++) {
      p1.add(0);
    }
    assertThat(p1.nanos()).isEqualTo(1_000_000);
  }

  @Test
  void shouldAllowItsShareAndATenAtOnce() {
    Allowance allowance = new Allowance(0.05);
    int allowed = 0;
    for (int i = 0; i < 10_000; i++) {
      allowance.add();
      allowed += allowance.take() ? 1 : 0;
    }
    assertThat(allowed).isBetween(500, 511);
    for (int i = 0; i < 1000; i++) {
      allowance.add();
    }
    int atOnce = 0;
    while (allowance.take()) {
      atOnce++;
    }
    assertThat(atOnce).isEqualTo(10);
  }

  @Test
  void shouldAllowAllIfAllMayBeSentTwice() {
    Allowance allowance = new Allowance(1);
    for (int i = 0; i < 100; i++) {
      assertThat(allowance.take()).isTrue();
    }
  }

  @Test
  void shouldAllowNothingWithoutAShare() {
    Allowance allowance = new Allowance(0);
    allowance.add();
    assertThat(allowance.take()).isFalse();
  }
}
