package sluice.perf.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import sluice.perf.simulation.Bucket.Taking;

class BucketTest {
  private static final long SECOND = 1_000_000_000L;
  private static final int BURST = 5;

  /** One token is there again, by more than the error that is allowed. */
  private static final long ONE_IS_BACK = 3 * SECOND / 2 + 1_000;

  private final Bucket bucket = new Bucket(new Limit(Limit.CACHE, 1, "k:", 2, BURST));
  private final Object client = new Object();

  @BeforeEach
  void shouldLetTheBurstPass() {
    for (int i = 0; i < BURST; i++) {
      assertThat(pass(1, SECOND)).isNull();
    }
  }

  private String pass(int requests, long now) {
    return bucket.passed(bucket.begins(client, requests, false, now), now);
  }

  private String reject(int requests, long now) {
    return bucket.rejected(bucket.begins(client, requests, false, now), now);
  }

  @Test
  void shouldFindARequestBeyondTheBurst() {
    assertThat(pass(1, SECOND)).contains("6 requests to k: passed within 0.000000 s, and 5.000");
  }

  @Test
  void shouldAllowTheRate() {
    assertThat(pass(2, 2 * SECOND)).isNull();
    assertThat(pass(1, 2 * SECOND)).isNotNull();
  }

  @Test
  void shouldAllowOneReadOfMoreThanTheBucketHolds() {
    assertThat(pass(BURST + 3, 4 * SECOND)).isNull();
    assertThat(pass(1, 4 * SECOND)).isNotNull();
  }

  @Test
  void shouldExpectThatAReadOfMoreThanTenTimesTheBurstIsRejected() {
    assertThat(reject(10 * BURST, 100 * SECOND)).contains("at least 5.000 of 5");
    assertThat(reject(10 * BURST + 1, 100 * SECOND)).isNull();
    assertThat(pass(10 * BURST + 1, 200 * SECOND)).contains("51 requests to k: passed at once");
  }

  @Test
  void shouldFindARejectionThoughThereIsEnough() {
    assertThat(reject(1, SECOND)).isNull();
    assertThat(reject(1, ONE_IS_BACK)).contains("at least 1.000 of 5");
    assertThat(reject(3, 2 * SECOND)).isNull();
    assertThat(reject(BURST + 3, 4 * SECOND)).contains("at least 5.000 of 5");
  }

  /** A client that always takes what has come back keeps the bucket empty for minutes. */
  @Test
  void shouldRememberForAsLongAsTheBucketIsNotFull() {
    for (int second = 2; second <= 150; second++) {
      assertThat(pass(2, second * SECOND)).isNull();
    }
    assertThat(reject(1, 150 * SECOND)).isNull();
    assertThat(reject(1, 151 * SECOND)).contains("at least 2.000 of 5");
  }

  @Test
  void shouldTakeNothingForARejectedRequest() {
    assertThat(reject(1, SECOND)).isNull();
    assertThat(reject(1, SECOND)).isNull();
    assertThat(pass(2, 2 * SECOND)).isNull();
  }

  @Test
  void shouldCountRequestsOfOthersThatMayHavePassed() {
    Taking other = bucket.begins(new Object(), 1, false, ONE_IS_BACK);
    assertThat(reject(1, ONE_IS_BACK)).isNull();
    bucket.untouched(other);
    Taking behind = bucket.begins(client, 1, false, ONE_IS_BACK);
    bucket.begins(client, 1, false, ONE_IS_BACK);
    assertThat(bucket.rejected(behind, 2 * SECOND)).as("later ones of a client").isNotNull();
  }

  @Test
  void shouldCountWhatIsUnknownForRejectionsAlone() {
    bucket.unknown(bucket.begins(client, 1, false, SECOND), 2 * SECOND);
    assertThat(reject(2, 2 * SECOND)).isNull();
    assertThat(pass(2, 2 * SECOND)).isNull();
  }

  @Test
  void shouldBeFullWhenTheGatewayStarts() {
    Taking before = bucket.begins(client, 1, false, SECOND);
    bucket.restart(SECOND);
    assertThat(bucket.rejected(before, SECOND)).isNull();
    assertThat(reject(1, SECOND)).isNotNull();
    assertThat(pass(BURST, SECOND)).isNull();
  }

  /** The next process may decide what another gateway passes on, or has decided it before. */
  @Test
  void shouldNotKnowWhichProcessDecidedWhatAnotherGatewayPassesOn() {
    Taking passes = bucket.begins(client, 1, true, SECOND);
    Taking fails = bucket.begins(client, 1, true, SECOND);
    bucket.restart(SECOND);
    assertThat(bucket.passed(passes, SECOND)).isNull();
    assertThat(bucket.rejected(fails, SECOND)).isNull();
    assertThat(bucket.judgeCount(2)).isNull();
    assertThat(bucket.judgeCount(3)).isNotNull();
    assertThat(pass(BURST, SECOND)).as("both may have been of the process before").isNull();
    assertThat(pass(1, SECOND)).isNotNull();
    assertThat(reject(1, ONE_IS_BACK)).as("or of this one").isNull();
  }

  @Test
  void shouldCountWhatAnotherGatewayPassesOnLater() {
    Taking passedOn = bucket.begins(client, 1, true, SECOND);
    bucket.unknown(passedOn, SECOND);
    bucket.restart(2 * SECOND);
    assertThat(pass(BURST, 20 * SECOND)).isNull();
    assertThat(reject(1, 20 * SECOND + SECOND / 2)).as("if it has come meanwhile").isNull();
    assertThat(reject(1, 40 * SECOND)).isNotNull();
  }

  @Test
  void shouldJudgeTheCountOfRejectedRequests() {
    assertThat(bucket.judgeCount(0)).isNull();
    assertThat(reject(2, SECOND)).isNull();
    assertThat(bucket.judgeCount(0)).contains("0 requests", "2 to 2 were");
    bucket.unknown(bucket.begins(client, 3, false, SECOND), SECOND);
    assertThat(bucket.judgeCount(5)).isNull();
    assertThat(bucket.judgeCount(6)).isNotNull();
  }
}
