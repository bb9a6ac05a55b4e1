package sluice.perf.simulation.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.junit.jupiter.api.Test;
import sluice.perf.simulation.history.ValueHistory.Change;

class ValueHistoryTest {
  private static final Object ANN = "ann";
  private static final Object BOB = "bob";

  private final ValueHistory history = new ValueHistory(Promise.ORDER, false);

  @Test
  void shouldFindAValueThatAnAnsweredWriteReplaced() {
    history.write(ANN, 10, "a", 1).done(20);
    history.write(BOB, 30, "b", 2).done(40);
    Step read = history.read(ANN, 50);
    assertThat(history.judgeValue(read, "a", 1, 60)).contains("replaced: a write of a");
    assertThat(history.judgeValue(read, "b", 2, 60)).isNull();
    assertThat(history.judgeNothing(read, 60)).contains("found nothing");
  }

  @Test
  void shouldAllowBothValuesOfWritesAtOnce() {
    history.write(ANN, 10, "a", 1).done(30);
    history.write(BOB, 20, "b", 2).done(40);
    assertThat(history.judgeValue(history.read(ANN, 50), "a", 1, 60)).isNull();
    assertThat(history.judgeValue(history.read(ANN, 50), "b", 2, 60)).isNull();
  }

  @Test
  void shouldAllowTheOldValueAndTheNewOneWhileAWriteIsInProgress() {
    history.write(ANN, 10, "a", 1).done(20);
    Change write = history.write(BOB, 30, "b", 2);
    Step early = history.read(ANN, 31);
    assertThat(history.judgeValue(early, "a", 1, 35)).isNull();
    Step read = history.read(ANN, 36);
    assertThat(history.judgeValue(read, "b", 2, 38)).isNull();
    Step late = history.read(ANN, 39);
    assertThat(history.judgeValue(late, "a", 1, 41)).as("b was shown before it began").isNotNull();
    write.done(50);
    assertThat(history.judgeValue(history.read(BOB, 51), "a", 1, 52)).isNotNull();
  }

  @Test
  void shouldAllowAFailedWriteForEver() {
    history.write(ANN, 10, "a", 1).done(20);
    history.write(BOB, 30, "b", 2).fails();
    history.write(ANN, 40, "c", 3).done(50);
    assertThat(history.judgeValue(history.read(ANN, 60), "a", 1, 61)).isNotNull();
    assertThat(history.judgeValue(history.read(ANN, 60), "c", 3, 61)).isNull();
    assertThat(history.judgeValue(history.read(ANN, 62), "b", 2, 63)).isNull();
  }

  @Test
  void shouldKnowTheOrderOfAClientsRequests() {
    Change first = history.write(ANN, 10, "a", 1);
    Step between = history.read(ANN, 10);
    Change second = history.write(ANN, 10, "b", 2);
    Step read = history.read(ANN, 10);
    first.done(20);
    assertThat(history.judgeValue(between, "a", 1, 20)).isNull();
    second.done(20);
    assertThat(history.judgeValue(read, "a", 1, 20)).contains("replaced");
    assertThat(history.judgeNothing(read, 20)).isNotNull();
  }

  @Test
  void shouldNotTakeTheShownFailedWriteForLastingInACache() {
    ValueHistory cached = new ValueHistory(Promise.ORDER_UNLESS_FAILED, false);
    cached.write(ANN, 10, "a", 1).done(20);
    cached.write(BOB, 30, "b", 2).fails();
    assertThat(cached.judgeValue(cached.read(ANN, 60), "b", 2, 61)).isNull();
    assertThat(cached.judgeValue(cached.read(ANN, 62), "a", 1, 63)).isNull();
    history.write(ANN, 10, "a", 1).done(20);
    history.write(BOB, 30, "b", 2).fails();
    assertThat(history.judgeValue(history.read(ANN, 60), "b", 2, 61)).isNull();
    assertThat(history.judgeValue(history.read(ANN, 62), "a", 1, 63)).isNotNull();
  }

  @Test
  void shouldKnowAnsweredChangesAloneOfSeveralPools() {
    ValueHistory pools = new ValueHistory(Promise.ANSWERED, false);
    pools.write(ANN, 10, "a", 1).done(20);
    Change write = pools.write(BOB, 30, "b", 2);
    assertThat(pools.judgeValue(pools.read(ANN, 60), "b", 2, 61)).isNull();
    assertThat(pools.judgeValue(pools.read(ANN, 62), "a", 1, 63)).isNull();
    write.done(70);
    assertThat(pools.judgeValue(pools.read(ANN, 71), "a", 1, 72)).isNotNull();
  }

  @Test
  void shouldJudgeWhetherThereIsAnItem() {
    assertThat(history.judgeSomething(history.read(ANN, 1))).isNotNull();
    assertThat(history.judgeNothing(history.read(ANN, 1), 2)).isNull();
    history.write(ANN, 10, "a", 1).done(20);
    Change delete = history.delete(BOB, 30);
    assertThat(history.judgeSomething(delete)).isNull();
    Step during = history.read(ANN, 31);
    assertThat(history.judgeSomething(during)).isNull();
    assertThat(history.judgeNothing(during, 32)).isNull();
    assertThat(history.judgeSomething(history.read(ANN, 33)))
        .as("the delete was shown")
        .isNotNull();
    delete.done(40);
    assertThat(history.judgeNothing(history.read(ANN, 41), 42)).isNull();
  }

  @Test
  void shouldFindWhatWasNeverWrittenOrWasRefused() {
    history.write(ANN, 10, "a", 1).done(20);
    history.write(BOB, 10, "b", 2).refused();
    Step read = history.read(ANN, 30);
    assertThat(history.judgeValue(read, "c", 1, 31)).contains("no client wrote");
    assertThat(history.judgeValue(read, "b", 2, 31)).contains("refused");
    assertThat(history.judgeValue(read, "a", 2, 31)).contains("found flags 2");
    assertThat(history.judgeAny("b", 2)).isNull();
  }

  @Test
  void shouldAllowAMissBesideAChangeWhereOneCanCauseIt() {
    ValueHistory chunks = new ValueHistory(Promise.ORDER, true);
    chunks.write(ANN, 10, "a", 1).done(20);
    assertThat(chunks.judgeNothing(chunks.read(ANN, 30), 31)).isNotNull();
    Step read = chunks.read(ANN, 40);
    chunks.write(BOB, 41, "b", 2).done(45);
    assertThat(chunks.judgeNothing(read, 50)).isNull();
    assertThat(chunks.judgeNothing(chunks.read(ANN, 51), 52)).isNotNull();
  }

  @Test
  void shouldJudgeACasByTheUniqueOfAnItem() {
    history.write(ANN, 10, "a", 1).done(20);
    assertThat(history.known()).isNull();
    assertThat(history.judgeUnique("a", 7)).isNull();
    assertThat(history.judgeUnique("a", 8)).contains("before 7");
    Change compared = Objects.requireNonNull(history.known());
    assertThat(ValueHistory.unique(compared)).isEqualTo(7);
    Change cas = history.write(BOB, 30, "b", 2);
    assertThat(history.judgeStale(cas, compared)).contains("nothing can have replaced");
    assertThat(history.judgeSwapped(cas, compared)).isNull();
    cas.done(40);
    assertThat(history.judgeUnique("b", 7)).contains("another value");
    Change again = history.write(ANN, 31, "c", 3);
    assertThat(history.judgeSwapped(again, compared)).contains("replaced");
    assertThat(history.judgeStale(again, compared)).isNull();
    again.refused();
    Change late = history.write(ANN, 50, "d", 4);
    assertThat(history.judgeSwapped(late, compared)).contains("replaced");
  }
}
