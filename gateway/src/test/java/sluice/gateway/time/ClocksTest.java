package sluice.gateway.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class ClocksTest {
  private static final class Fixed extends SimulatedThread {
    private final RandomGenerator random = new SplittableRandom(7);

    Fixed(Runnable work) {
      super(work, "fixed");
    }

    @Override
    protected long nanoTime() {
      return Long.MIN_VALUE + 5;
    }

    @Override
    protected long currentTimeMillis() {
      return -1;
    }

    @Override
    protected RandomGenerator random() {
      return random;
    }
  }

  private static List<Object> onFixed() throws InterruptedException {
    List<Object> read = new ArrayList<>();
    Thread thread =
        new Fixed(
            () -> {
              read.add(Clocks.nanos());
              read.add(Clocks.millis());
              read.add(Clocks.seconds());
              read.add(Clocks.now());
              read.add(Clocks.utc().instant());
              read.add(Chance.nextDouble());
              read.add(Chance.nextLong());
              read.add(Chance.nextLong(10));
              read.add(Chance.nextUnique());
            });
    thread.start();
    thread.join();
    return read;
  }

  @Test
  void shouldReadTheThreadsOwnTimeAndNumbers() throws Exception {
    List<Object> read = onFixed();
    assertThat(read)
        .startsWith(
            Long.MIN_VALUE + 5, -1L, -1L, Instant.ofEpochMilli(-1), Instant.ofEpochMilli(-1));
    assertThat(onFixed()).isEqualTo(read);
  }

  @Test
  void shouldTellTheLaterTimeAlsoWhenTheCountOverflowsBetweenThem() {
    assertThat(Clocks.later(1, 2)).isEqualTo(2);
    assertThat(Clocks.later(2, 1)).isEqualTo(2);
    assertThat(Clocks.later(Long.MAX_VALUE, Long.MIN_VALUE)).isEqualTo(Long.MIN_VALUE);
    assertThat(Clocks.later(Long.MIN_VALUE, Long.MAX_VALUE)).isEqualTo(Long.MIN_VALUE);
  }

  @Test
  void shouldReadTheSystemsTimeElsewhere() {
    long before = System.nanoTime();
    assertThat(Clocks.nanos() - before).isNotNegative();
    assertThat(Clocks.now()).isAfterOrEqualTo(Instant.ofEpochMilli(0));
    assertThat(Clocks.utc().instant()).isAfter(Instant.parse("2020-01-01T00:00:00Z"));
    assertThat(Chance.nextUnique()).isNotEqualTo(Chance.nextUnique());
    assertThat(Chance.nextDouble()).isBetween(0.0, 1.0);
  }

  /** A thread whose time of day the test sets. */
  private static final class Stepping extends SimulatedThread {
    private long nanos = Long.MAX_VALUE - 5; // it may overflow
    private long millis = 1_000_000;

    Stepping(Consumer<Stepping> work) {
      super(() -> work.accept((Stepping) Thread.currentThread()), "stepping");
    }

    @Override
    protected long nanoTime() {
      return nanos;
    }

    @Override
    protected long currentTimeMillis() {
      return millis;
    }

    @Override
    protected RandomGenerator random() {
      return new SplittableRandom(7);
    }
  }

  @Test
  void shouldNotFollowStepsOfTheTimeOfDay() throws Exception {
    List<Object> read = new ArrayList<>();
    Thread thread =
        new Stepping(
            time -> {
              InstantSource steady = Clocks.steady();
              read.add(steady.millis());
              time.millis -= 60_000;
              time.nanos += 2_500_000;
              read.add(steady.millis());
              time.millis += 7_200_000;
              read.add(steady.instant());
              read.add(Clocks.steady().millis());
            });
    thread.start();
    thread.join();
    assertThat(read)
        .containsExactly(1_000_000L, 1_000_002L, Instant.ofEpochMilli(1_000_002), 8_140_000L);
  }
}
