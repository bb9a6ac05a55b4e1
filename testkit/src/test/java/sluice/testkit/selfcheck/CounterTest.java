package sluice.testkit.selfcheck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** What a counter can be by what was answered. */
final class CounterTest {
  private static Counter counter() {
    Counter counter = new Counter("k", false);
    counter.created(100);
    return counter;
  }

  private static void mayBe(Counter counter, long number) {
    assertThatCode(() -> counter.read(number)).doesNotThrowAnyException();
  }

  private static void mayNotBe(Counter counter, long number) {
    assertThatThrownBy(() -> counter.read(number)).isInstanceOf(WrongReply.class);
  }

  @Test
  void shouldBeWhatWasAcknowledged() {
    Counter counter = counter();
    counter.counted(5, 105);
    counter.counted(-20, 85);
    mayBe(counter, 85);
    mayNotBe(counter, 105);
    assertThatThrownBy(() -> counter.counted(1, 85)).isInstanceOf(WrongReply.class);
    assertThatThrownBy(counter::missed).isInstanceOf(WrongReply.class);
  }

  @Test
  void shouldHaveBeenCountedOnceOrNotAtAllWhereThatFailed() {
    Counter counter = counter();
    counter.unknown(7);
    mayBe(counter, 100);
    mayBe(counter, 107);
    mayNotBe(counter, 114); // twice
    counter.counted(3, 103);
    mayBe(counter, 110); // late
    counter.unknown(-50);
    mayBe(counter, 60);
    mayBe(counter, 53);
    mayNotBe(counter, 50);
  }

  @Test
  void shouldBeReplacedSomeRequestsAfterAFailure() {
    Counter counter = counter();
    for (int i = 0; i < 100; i++) {
      assertThat(counter.isWornOut()).isFalse();
    }
    counter.unknown(1);
    int requests = 0;
    while (!counter.isWornOut()) {
      requests++;
    }
    assertThat(requests).isBetween(1, 20);
  }

  @Test
  void shouldNotBeJudgedWhereItWasPerhapsNeverCreated() {
    Counter counter = new Counter("k", false);
    mayNotBe(counter, 1);
    counter.lose();
    mayBe(counter, 1);
    assertThatCode(counter::missed).doesNotThrowAnyException();
    assertThat(counter.isWornOut()).isTrue();
  }

  @Test
  void shouldNotBeJudgedWhereServersMayDifferBehindAFailure() {
    Counter counter = new Counter("k", true);
    counter.created(5);
    mayNotBe(counter, 6);
    counter.unknown(1);
    mayBe(counter, 50);
    assertThat(counter.isWornOut()).isTrue();
  }
}
