package sluice.gateway.client.replies;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.RequestPool;
import sluice.gateway.request.Suppression;
import sluice.names.Command;

class OverdueTest {
  private static final long LIMIT = 30_000;

  private final RequestPool requestPool = new RequestPool();
  private final Overdue overdue = new Overdue();

  private PendingReply begun(long now) {
    return requestPool.take().start(null, Command.GET, ReplyKind.VALUES, Suppression.NOTHING, now);
  }

  @Test
  void shouldTellOfARequestThatStandsStillForTooLong() {
    PendingReply waiting = begun(5);
    assertThat(overdue.look(waiting, 100, 1_000)).isFalse();
    assertThat(overdue.look(waiting, 100, 20_000)).isTrue();
    assertThat(overdue.look(waiting, 100, 30_000)).isTrue();
    assertThat(overdue.lastsFor(LIMIT, 1_000 + LIMIT)).isFalse();
    assertThat(overdue.lastsFor(LIMIT, 1_001 + LIMIT)).isTrue();
  }

  @Test
  void shouldNotTellOfOneThatWasSeenOnceWhileTheLoopStoodStill() {
    PendingReply waiting = begun(5);
    overdue.look(waiting, 0, 1_000);
    overdue.look(waiting, 0, 1_000 + 10 * LIMIT);
    assertThat(overdue.lastsFor(LIMIT, 1_000 + 10 * LIMIT)).isFalse();
    overdue.look(waiting, 0, 1_000 + 10 * LIMIT);
    assertThat(overdue.lastsFor(LIMIT, 1_000 + 10 * LIMIT)).isTrue();
  }

  @Test
  void shouldBeginAnewWhenItsReplyGoesOn() {
    PendingReply waiting = begun(5);
    for (int i = 0; i < 4; i++) {
      assertThat(overdue.look(waiting, 10L * i, i * LIMIT)).isFalse();
      overdue.look(waiting, 10L * i, i * LIMIT);
      overdue.look(waiting, 10L * i, i * LIMIT);
      assertThat(overdue.lastsFor(LIMIT, (i + 1) * LIMIT)).isFalse();
    }
  }

  @Test
  void shouldTakeAnotherRequestForAnotherAlsoInAnObjectThatIsUsedAgain() {
    PendingReply waiting = begun(5);
    overdue.look(waiting, 0, 1_000);
    waiting.start(null, Command.GET, ReplyKind.VALUES, Suppression.NOTHING, 6);
    assertThat(overdue.look(waiting, 0, 2_000 + LIMIT)).isFalse();
    assertThat(overdue.look(begun(6), 0, 2_000 + LIMIT)).isFalse();
    assertThat(overdue.look(null, 0, 2_000 + LIMIT)).isFalse();
    assertThat(overdue.look(null, 0, 2_000 + LIMIT)).isFalse();
    assertThat(overdue.lastsFor(LIMIT, 3_000 + 2 * LIMIT)).isFalse();
  }
}
