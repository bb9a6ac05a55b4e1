package sluice.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ArrivalsTest {
  private static final int RATE = 1500;
  private static final long START = -7_000_000_000L; // System.nanoTime may count from anywhere

  private static long[] first(int count, String name) {
    Arrivals arrivals = new Arrivals(name, RATE, START);
    return LongStream.generate(arrivals::next).limit(count).toArray();
  }

  @Test
  void shouldBeOneInEachInterval() {
    long[] moments = first(15_000, "text");
    for (int i = 0; i < moments.length; i++) {
      double interval = (moments[i] - START) / (1e9 / RATE);
      assertThat(interval).as("request %d", i).isBetween(i - 1e-5, i + 1.0);
    }
  }

  /** A tick of the kernel's clock sees what is done in the same part of each of its periods. */
  @Test
  void shouldBeatNoRhythmThatTicksCouldFallInWith() {
    for (int ticksPerSecond : new int[] {100, 250, 300, 500, 1000}) {
      long period = 1_000_000_000L / ticksPerSecond;
      Integer[] inPart = new Integer[20];
      Arrays.fill(inPart, 0);
      for (long moment : first(20_000, "text")) {
        inPart[(int) ((moment - START) % period * inPart.length / period)]++;
      }
      // 1,000 each, give or take
      assertThat(inPart)
          .as("ticks: %d/s", ticksPerSecond)
          .allSatisfy(n -> assertThat(n).isBetween(800, 1200));
    }
  }

  @Test
  void shouldBeTheSameInEveryRunAndOthersForOtherLoads() {
    assertThat(first(1000, "text")).isEqualTo(first(1000, "text"));
    long[] other = first(1000, "meta");
    int near = 0;
    for (int i = 0; i < other.length; i++) {
      near += Math.abs(other[i] - first(1000, "text")[i]) < 10_000 ? 1 : 0;
    }
    assertThat(near).isLessThan(100); // some 3 of 100 by chance
  }

  @Test
  void shouldCountTheIntervalsThatAreOver() {
    Arrivals arrivals = new Arrivals("text", RATE, START);
    assertThat(arrivals.until(START + 1_000_000_000L)).isEqualTo(RATE);
    assertThat(arrivals.until(START + 1_000_000)).isEqualTo(1);
    assertThat(arrivals.until(START + 600_000)).isZero();
  }
}
