package sluice.perf.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RestsTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long STEP = SECOND / 10;
  private static final long SECONDS = 600;

  @Test
  void shouldLetClientsRestMostOfTheTimeAndMostlyEndRestsTogether() {
    int resting = 0;
    int steps = 0;
    for (int seed = 0; seed < 100; seed++) {
      Rests rests = new Rests(new SplittableRandom(seed), SECONDS);
      for (long now = 0; now < SECONDS * SECOND; now += STEP) {
        long begins = rests.after(now);
        assertThat(begins).isGreaterThanOrEqualTo(now).isLessThan(now + 182 * SECOND);
        steps++;
        resting += begins > now ? 1 : 0;
      }
    }
    assertThat(resting).isBetween(steps * 9 / 10, steps * 998 / 1000);
  }

  @Test
  void shouldMoveAFaultToATimeInWhichClientsSend() {
    Rests rests = new Rests(new SplittableRandom(1), SECONDS);
    for (long now = 0; now < SECONDS * SECOND; now += STEP) {
      long other = rests.whileClientsSend(now);
      assertThat(other).isGreaterThanOrEqualTo(now).isLessThan(now + 182 * SECOND);
    }
  }

  @Test
  void shouldHaveNoneInAShortSimulation() {
    assertThat(Rests.isLong(120)).isFalse();
    Rests rests = new Rests(new SplittableRandom(1), 120);
    for (long now = 0; now < 120 * SECOND; now += STEP) {
      assertThat(rests.after(now)).isEqualTo(now);
    }
  }
}
