package sluice.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.ExchangePool;
import sluice.gateway.exchange.Grammar;
import sluice.names.Command;

class OverdueTest {
  private static final long LIMIT = 30_000;

  private final ExchangePool exchanges = new ExchangePool();
  private final Overdue overdue = new Overdue();

  private Exchange begun(long now) {
    return exchanges.take().start(null, Command.GET, Grammar.VALUES, Exchange.HIDE_NOTHING, now);
  }

  @Test
  void shouldTellOfARequestThatStandsStillForTooLong() {
    Exchange waiting = begun(5);
    assertThat(overdue.look(waiting, 100, 1_000)).isFalse();
    assertThat(overdue.look(waiting, 100, 20_000)).isTrue();
    assertThat(overdue.look(waiting, 100, 30_000)).isTrue();
    assertThat(overdue.lastsFor(LIMIT, 1_000 + LIMIT)).isFalse();
    assertThat(overdue.lastsFor(LIMIT, 1_001 + LIMIT)).isTrue();
  }

  @Test
  void shouldNotTellOfOneThatWasSeenOnceWhileTheLoopStoodStill() {
    Exchange waiting = begun(5);
    overdue.look(waiting, 0, 1_000);
    overdue.look(waiting, 0, 1_000 + 10 * LIMIT);
    assertThat(overdue.lastsFor(LIMIT, 1_000 + 10 * LIMIT)).isFalse();
    overdue.look(waiting, 0, 1_000 + 10 * LIMIT);
    assertThat(overdue.lastsFor(LIMIT, 1_000 + 10 * LIMIT)).isTrue();
  }

  @Test
  void shouldBeginAnewWhenItsReplyGoesOn() {
    Exchange waiting = begun(5);
    for (int i = 0; i < 4; i++) {
      assertThat(overdue.look(waiting, 10L * i, i * LIMIT)).isFalse();
      overdue.look(waiting, 10L * i, i * LIMIT);
      overdue.look(waiting, 10L * i, i * LIMIT);
      assertThat(overdue.lastsFor(LIMIT, (i + 1) * LIMIT)).isFalse();
    }
  }

  @Test
  void shouldTakeAnotherRequestForAnotherAlsoInAnObjectThatIsUsedAgain() {
    Exchange waiting = begun(5);
    overdue.look(waiting, 0, 1_000);
    waiting.start(null, Command.GET, Grammar.VALUES, Exchange.HIDE_NOTHING, 6);
    assertThat(overdue.look(waiting, 0, 2_000 + LIMIT)).isFalse();
    assertThat(overdue.look(begun(6), 0, 2_000 + LIMIT)).isFalse();
    assertThat(overdue.look(null, 0, 2_000 + LIMIT)).isFalse();
    assertThat(overdue.look(null, 0, 2_000 + LIMIT)).isFalse();
    assertThat(overdue.lastsFor(LIMIT, 3_000 + 2 * LIMIT)).isFalse();
  }
}
