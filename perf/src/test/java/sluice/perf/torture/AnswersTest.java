package sluice.perf.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import sluice.perf.torture.Destination.Place;
import sluice.perf.torture.Journal.Asked;
import sluice.perf.torture.Replies.Outcome;
import sluice.perf.torture.Sent.Form;
import sluice.perf.torture.Sent.Write;

/** Which answers of servers are a write's, where there are those of several. */
class AnswersTest {
  private static final Object ONE = "a connection";
  private static final Object OTHER = "another pool's connection";

  private final Journal[] journals = {new Journal(), new Journal()};
  private final Answers answers = new Answers(server -> journals[server]);

  private static Place on(int server) {
    return new Place(server, "k");
  }

  private void deleted(int server, Object connection, Outcome outcome) {
    Sent sent = new Sent(Form.LINE, Write.DELETE, "k", 0, 0, System.nanoTime());
    journals[server].asked(sent, connection);
    journals[server].answered(sent, connection, outcome);
  }

  private Asked askedSince(long begin) {
    return new Asked(Write.DELETE, 0, begin, System.nanoTime());
  }

  private boolean matches(Asked asked, Destination destination) {
    return answers.match(asked, List.of(destination));
  }

  private void shouldMatchTwice(long begin, Destination destination) {
    assertThat(matches(askedSince(begin), destination)).isTrue();
    assertThat(matches(askedSince(begin), destination)).isTrue();
  }

  @Test
  void shouldNeedAllThatTheRuleNeeds() {
    Destination both = new Destination(List.of(List.of(on(0)), List.of(on(1))), 2, 0);
    long begin = System.nanoTime();
    deleted(0, ONE, Outcome.DONE);
    assertThat(matches(askedSince(begin), both)).isFalse();
    deleted(1, OTHER, Outcome.REFUSED);
    assertThat(matches(askedSince(begin), both)).isTrue();
    assertThat(matches(askedSince(begin), both)).isFalse(); // they are taken
  }

  @Test
  void shouldNeedOneThatHasDoneIt() {
    Destination both = new Destination(List.of(List.of(on(0)), List.of(on(1))), 1, 0);
    long begin = System.nanoTime();
    deleted(0, ONE, Outcome.REFUSED);
    deleted(1, OTHER, Outcome.FAILED);
    assertThat(matches(askedSince(begin), both)).isFalse();
    deleted(1, OTHER, Outcome.DONE);
    assertThat(matches(askedSince(begin), both)).isTrue();
  }

  /** The second pool's answer to the first comes behind the first pool's to the second. */
  @Test
  void shouldTellTheWritesOfTwoPoolsOnOneServerApart() {
    Destination both = new Destination(List.of(List.of(on(0)), List.of(on(0))), 2, 0);
    long begin = System.nanoTime();
    deleted(0, ONE, Outcome.DONE);
    deleted(0, ONE, Outcome.DONE);
    deleted(0, OTHER, Outcome.REFUSED);
    deleted(0, OTHER, Outcome.REFUSED);
    shouldMatchTwice(begin, both);
    assertThat(matches(askedSince(begin), both)).isFalse();
  }

  /** What is not needed may be the answer to the next one. */
  @Test
  void shouldTakeNoMoreThanAreNeeded() {
    List<Place> anywhere = List.of(on(1), on(0));
    Destination majority = new Destination(List.of(List.of(on(0)), List.of(on(0)), anywhere), 2, 0);
    long begin = System.nanoTime();
    deleted(0, ONE, Outcome.DONE);
    deleted(0, OTHER, Outcome.REFUSED);
    deleted(0, ONE, Outcome.DONE);
    deleted(0, OTHER, Outcome.REFUSED);
    shouldMatchTwice(begin, majority);
  }

  @Test
  void shouldNotTakeWhatWasAskedBeforeOrAnsweredAfterwards() {
    Destination one = new Destination(List.of(List.of(on(0))), 1, 0);
    deleted(0, ONE, Outcome.DONE);
    Asked asked = askedSince(System.nanoTime());
    assertThat(matches(asked, one)).isFalse();
    deleted(0, ONE, Outcome.DONE);
    assertThat(matches(asked, one)).isFalse();
  }

  /**
   * Of two deletes under way at once, the second met a new configuration; the first is known last.
   */
  @Test
  void shouldNotTakeTheAnswerToTheNextThatMetAnotherSetting() {
    Destination before = new Destination(List.of(List.of(on(0))), 1, 0);
    Destination now = new Destination(List.of(List.of(on(1))), 1, 0);
    long first = System.nanoTime();
    deleted(0, ONE, Outcome.DONE);
    long second = System.nanoTime();
    deleted(1, OTHER, Outcome.DONE);
    assertThat(answers.match(askedSince(first), List.of(now, before))).isTrue();
    assertThat(answers.match(askedSince(second), List.of(now, before))).isTrue();
    assertThat(answers.match(askedSince(first), List.of(now, before))).isFalse();
  }

  @Test
  void shouldTakeNothingIfNoSettingHasAsManyAsItNeeds() {
    Destination both = new Destination(List.of(List.of(on(0)), List.of(on(1))), 2, 0);
    Destination one = new Destination(List.of(List.of(on(0))), 1, 0);
    long begin = System.nanoTime();
    deleted(0, ONE, Outcome.DONE);
    assertThat(answers.match(askedSince(begin), List.of(both))).isFalse();
    assertThat(journals[0].all("k")).hasSize(1);
    assertThat(answers.match(askedSince(begin), List.of(both, one))).isTrue();
    assertThat(answers.match(askedSince(begin), List.of(both, one))).isFalse();
  }
}
