package sluice.gateway.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.gateway.time.Clocks;

/** Reservations of several event loops under one ceiling. */
class MemoryShareTest {
  private static final long CEILING = 1 << 20;
  private static final int ROUNDS = 4_000;

  /** The threads of two loops go from one step to the next together. */
  private static final class Steps {
    private final AtomicInteger arrived = new AtomicInteger();

    void next(int step) {
      arrived.incrementAndGet();
      for (int spins = 0; arrived.get() < 2 * step; spins++) {
        if (spins < 10_000) {
          Thread.onSpinWait(); // so that they do the next in the same moment
        } else {
          LockSupport.parkNanos(1_000);
        }
      }
    }
  }

  /**
   * There is room for one of two values; or there is room for neither, and one may have it because
   * nobody else has any.
   */
  @ParameterizedTest
  @CsvSource({"600000, true", "2000000, false"})
  void shouldGiveTheLastRoomToOneOfTwoLoops(long value, boolean others) throws Exception {
    MemoryShare[] shares = MemoryShare.of(3, CEILING);
    if (others) {
      shares[2].reserveAnyway(1);
    }
    Steps steps = new Steps();
    boolean[][] reserved = new boolean[2][ROUNDS];
    Thread[] threads = new Thread[2];
    for (int i = 0; i < 2; i++) {
      int loop = i;
      threads[i] =
          new Thread(
              () -> {
                int step = 0;
                for (int round = 0; round < ROUNDS; round++) {
                  steps.next(++step);
                  reserved[loop][round] = shares[loop].reserve(value);
                  steps.next(++step);
                  if (reserved[loop][round]) {
                    shares[loop].add(value); // as whoever holds the value does
                    shares[loop].counted(value);
                    shares[loop].add(-value);
                    shares[loop].unreserve(value);
                  }
                }
              });
      threads[i].start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    for (int round = 0; round < ROUNDS; round++) {
      assertThat(reserved[0][round]).as("round " + round).isNotEqualTo(reserved[1][round]);
    }
    assertThat(shares[0].total()).isZero();
  }

  @ParameterizedTest
  @CsvSource({"0, 2", "1, 1"})
  void shouldKnowThatSomebodyWaits(int one, int other) {
    MemoryShare[] shares = MemoryShare.of(3, CEILING);
    assertThat(shares[2].isAwaited()).isFalse();
    shares[one].await(0, 1);
    shares[other].await(0, 1);
    assertThat(shares[2].isAwaited()).isTrue();
    shares[one].awaitNothing();
    assertThat(shares[2].isAwaited()).isEqualTo(one != other);
    shares[other].awaitNothing();
    assertThat(shares[2].isAwaited()).isFalse();
  }

  /** Small values that come all the time leave room for a large one of another loop in the end. */
  @Test
  void shouldNotLetOtherLoopsOvertakeWhatHasWaitedForLong() {
    MemoryShare[] shares = MemoryShare.of(3, CEILING);
    assertThat(shares[1].reserve(CEILING / 2)).isTrue();
    assertThat(shares[0].reserve(CEILING / 2)).isFalse();
    long large = CEILING / 32;
    shares[0].await(Clocks.nanos(), CEILING / 2);
    assertThat(shares[1].reserve(large)).as("it has not waited for long").isTrue();

    long ago = Clocks.nanos() - TimeUnit.SECONDS.toNanos(1);
    shares[0].await(ago, CEILING / 2);
    assertThat(shares[1].reserve(large)).isFalse();
    assertThat(shares[1].reserve(1)).as("there is room beside it").isTrue();
    shares[2].await(ago - 1, CEILING / 2);
    assertThat(shares[0].reserve(large)).as("another has waited for longer").isFalse();
    assertThat(shares[2].reserve(large)).isTrue();
    shares[2].awaitNothing();
    assertThat(shares[0].reserve(large)).isTrue();
    shares[0].awaitNothing();
    assertThat(shares[1].reserve(large)).isTrue();
  }
}
