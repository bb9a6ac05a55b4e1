package sluice.gateway.route.hash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import sluice.names.HashFunction;

class SlowStartTest {
  private static final long GROWTH = 1_000;

  private final AtomicLong clock = new AtomicLong(5_000);

  static Stream<String> distributions() {
    return Rings.distributions().stream();
  }

  private static List<Member> members(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> new Member("pod-" + i, "10.0.0." + i, 11_211, 1))
        .toList();
  }

  private Ring ring(String distribution, List<Member> members, Map<String, Long> joinedAt) {
    return Ring.of(
        HashFunction.FNV1A_64,
        Rings.distribution(distribution),
        "",
        members,
        joinedAt,
        GROWTH,
        clock::get);
  }

  @ParameterizedTest
  @MethodSource("distributions")
  void shouldGiveAMemberThatJoinsMoreAndMoreOfItsKeys(String distribution) {
    byte[][] keys = Keys.any(Keys.COUNT);
    int[] without = Keys.placed(ring(distribution, members(4), Map.of()), keys);
    int[] with = Keys.placed(ring(distribution, members(5), Map.of()), keys);
    Ring growing = ring(distribution, members(5), Map.of("pod-4", clock.get()));
    int[] last = Keys.placed(growing, keys);
    assertThat(moved(without, last, with)).isZero();
    int own = count(with, 4);
    for (int step = 1; step < 10; step++) {
      clock.addAndGet(GROWTH / 10);
      int[] now = Keys.placed(growing, keys);
      assertThat(count(now, 4)).isBetween(own * step / 10 - own / 20, own * step / 10 + own / 20);
      for (int i = 0; i < keys.length; i++) {
        if (now[i] != 4) {
          assertThat(now[i]).as("it waits where it was").isEqualTo(last[i]);
        } else {
          assertThat(with[i]).isEqualTo(4);
        }
      }
      last = now;
    }
    clock.addAndGet(GROWTH / 10);
    assertThat(Keys.placed(growing, keys)).isEqualTo(with);
    clock.addAndGet(-GROWTH);
    assertThat(Keys.placed(growing, keys)).as("it does not look again").isEqualTo(with);
  }

  /** Keys that are elsewhere than in either; what does not belong to the new one has moved. */
  private static long moved(int[] without, int[] now, int[] with) {
    return IntStream.range(0, now.length)
        .filter(i -> with[i] == 4 ? now[i] != without[i] : now[i] != with[i])
        .count();
  }

  private static int count(int[] placed, int member) {
    return (int) IntStream.of(placed).filter(m -> m == member).count();
  }

  @Test
  void shouldLetSeveralGrowEachFromItsOwnTime() {
    byte[][] keys = Keys.any(Keys.COUNT);
    int[] with = Keys.placed(ring("ketama", members(5), Map.of()), keys);
    long now = clock.get();
    Ring growing = ring("ketama", members(5), Map.of("pod-1", now - 500, "pod-4", now - 100));
    int[] placed = Keys.placed(growing, keys);
    assertThat(count(placed, 1)).isBetween(count(with, 1) * 4 / 10, count(with, 1) * 6 / 10);
    assertThat(count(placed, 4)).isBetween(1, count(with, 4) * 2 / 10);
    clock.addAndGet(600);
    assertThat(count(Keys.placed(growing, keys), 1)).isEqualTo(count(with, 1));
    assertThat(count(Keys.placed(growing, keys), 4)).isLessThan(count(with, 4));
  }

  @Test
  void shouldNotWaitWhereEverybodyOrNobodyJoined() {
    byte[][] keys = Keys.any(1_000);
    List<Member> members = members(2);
    int[] with = Keys.placed(ring("ketama", members, Map.of()), keys);
    long now = clock.get();
    Map<String, Long> both = Map.of("pod-0", now, "pod-1", now);
    assertThat(Keys.placed(ring("ketama", members, both), keys)).isEqualTo(with);
    assertThat(Keys.placed(ring("ketama", members, Map.of("gone", now)), keys)).isEqualTo(with);
    Ring one = ring("ketama", members, Map.of("pod-0", now));
    assertThat(count(Keys.placed(one, keys), 1)).as("the one there was").isEqualTo(1_000);
  }
}
