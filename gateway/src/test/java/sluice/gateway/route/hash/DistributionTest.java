package sluice.gateway.route.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How keys move between servers, and how many each has. */
class DistributionTest {
  private static final byte[][] KEYS = Keys.any(40_000);

  private static List<Member> members(int... weights) {
    List<Member> members = new ArrayList<>();
    for (int i = 0; i < weights.length; i++) {
      members.add(new Member("server-" + i, "10.0.0." + i, 11_212, weights[i]));
    }
    return members;
  }

  /** The names of the members that the keys are placed on. */
  private static List<String> placed(String distribution, List<Member> members) {
    Ring ring = Rings.of("fnv1a_64", distribution, "", members);
    List<String> names = new ArrayList<>();
    for (int server : Keys.placed(ring, KEYS)) {
      names.add(members.get(server).name());
    }
    return names;
  }

  /** Of the keys, the share that moved though they were not and are not on the changed member. */
  private static double needlesslyMoved(List<String> before, List<String> after, String changed) {
    int moved = 0;
    for (int i = 0; i < before.size(); i++) {
      String from = before.get(i);
      String to = after.get(i);
      if (!from.equals(to) && !from.equals(changed) && !to.equals(changed)) {
        moved++;
      }
    }
    return (double) moved / before.size();
  }

  private static double share(List<String> placed, String name) {
    return placed.stream().filter(name::equals).count() / (double) placed.size();
  }

  @ParameterizedTest(name = "{0}, server {1} of the weights {2}")
  @CsvSource({
    "jump, 7, 1 1 1 1 1 1 1 1",
    "jump, 7, 3 1 2 5 1 1 4 2",
    "rendezvous, 0, 1 1 1 1 1 1 1 1",
    "rendezvous, 3, 1 1 1 1 1 1 1 1",
    "rendezvous, 3, 3 1 2 5 1 1 4 2",
    "rendezvous, 7, 3 1 2 5 1 1 4 2",
    "ketama, 3, 1 1 1 1 1 1 1 1", // other weights change the others' points with the mean
    "ketama_libmemcached, 3, 1 1 1 1 1 1 1 1"
  })
  void shouldMoveOnlyTheKeysOfAServerThatComesOrGoes(
      String distribution, int changed, String weights) {
    List<Member> all =
        members(Arrays.stream(weights.split(" ", -1)).mapToInt(Integer::parseInt).toArray());
    List<Member> rest = new ArrayList<>(all);
    Member gone = rest.remove(changed);
    List<String> with = placed(distribution, all);
    List<String> without = placed(distribution, rest);
    assertThat(needlesslyMoved(with, without, gone.name())).isZero();
    assertThat(share(with, gone.name())).isPositive();
    assertThat(share(without, gone.name())).isZero();
  }

  @Test
  void shouldMoveFewOtherKeysWithMaglev() {
    List<Member> rest = members(1, 1, 1, 1, 1, 1, 1, 1);
    List<String> with = placed("maglev", rest);
    Member gone = rest.remove(3);
    assertThat(needlesslyMoved(with, placed("maglev", rest), gone.name())).isBetween(0.0, 0.03);
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(strings = {"jump", "rendezvous"})
  void shouldMoveKeysOnlyToTheServerWhoseWeightGrows(String distribution) {
    List<Member> members = members(2, 1, 3);
    List<String> before = placed(distribution, members);
    members.set(2, new Member("server-2", "10.0.0.2", 11_212, 5));
    List<String> after = placed(distribution, members);
    for (int i = 0; i < KEYS.length; i++) {
      assertThat(after.get(i)).isIn(before.get(i), "server-2");
    }
    assertThat(share(after, "server-2")).isGreaterThan(share(before, "server-2"));
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(strings = {"rendezvous", "maglev", "ketama", "modula"})
  void shouldNotCareForTheOrderOfTheList(String distribution) {
    List<Member> members = members(1, 2, 3, 4);
    List<Member> shuffled = List.of(members.get(2), members.get(0), members.get(3), members.get(1));
    assertThat(placed(distribution, shuffled)).isEqualTo(placed(distribution, members));
  }

  @ParameterizedTest(name = "{0} within {1}")
  @CsvSource({
    "jump, 0.01",
    "rendezvous, 0.01",
    "maglev, 0.01",
    "modula, 0.01",
    "ketama, 0.06",
    "ketama_libmemcached, 0.06",
    "ketama_libmemcached_weighted, 0.06"
  })
  void shouldGiveEachServerItsShare(String distribution, double tolerance) {
    int[] weights = {1, 2, 3, 4};
    List<String> placed = placed(distribution, members(weights));
    for (int i = 0; i < weights.length; i++) {
      assertThat(share(placed, "server-" + i)).isCloseTo(weights[i] / 10.0, within(tolerance));
    }
  }

  @Test
  void shouldIgnoreWeightsWhereLibmemcachedDoes() {
    List<String> placed = placed("modula_libmemcached", members(1, 9));
    assertThat(share(placed, "server-0")).isCloseTo(0.5, within(0.01));
  }

  @ParameterizedTest(name = "{0} of {1}")
  @CsvSource({
    // answers of the paper's code, as other implementations' tests have them
    "1, 1, 0",
    "42, 57, 43",
    "3735883980, 1, 0",
    "3735883980, 666, 361",
    "256, 1024, 520"
  })
  void shouldJumpToKnownBuckets(long key, int buckets, int expected) {
    assertThat(Jump.bucket(key, buckets)).isEqualTo(expected);
  }

  @Test
  void shouldGiveEverySlotOfALargeMaglevTableAway() {
    int[] weights = new int[1_000];
    for (int i = 0; i < weights.length; i++) {
      weights[i] = 1 + i % 2;
    }
    List<Member> members = members(weights);
    Maglev maglev = new Maglev(members);
    int[] hits = new int[weights.length];
    for (int i = 0; i < 3_000_000; i++) {
      hits[maglev.memberOf(i)]++;
    }
    for (int i = 0; i < weights.length; i++) {
      assertThat(hits[i]).isCloseTo(2_000 * weights[i], within(400 * weights[i]));
    }
  }
}
