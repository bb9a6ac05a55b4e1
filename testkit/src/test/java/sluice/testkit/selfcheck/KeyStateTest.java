package sluice.testkit.selfcheck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** What a key can hold for who writes it, and for who reads it meanwhile. */
final class KeyStateTest {
  private static final Write FIRST = write(1);
  private static final Write SECOND = write(2);
  private static final Write THIRD = write(3);

  private static Write write(int sequence) {
    return new Write("k", 0, sequence, 20, false);
  }

  private static KeyState key(KeyState.Memory memory) {
    KeyState key = new KeyState("k", "text", false, memory);
    stored(key, FIRST);
    return key;
  }

  private static void stored(KeyState key, Write write) {
    key.asked(write);
    key.stored(write, 0);
  }

  private static void read(KeyState key, Write write) {
    key.read(write.flags(), write.value(), 0, write.length, 0);
  }

  private static void mayRead(KeyState key, Write write) {
    assertThatCode(() -> read(key, write)).doesNotThrowAnyException();
  }

  private static void mayNotRead(KeyState key, Write write) {
    assertThatThrownBy(() -> read(key, write)).isInstanceOf(WrongReply.class);
  }

  @Test
  void shouldLetOthersReadWhatWasThereAndWhatIsBeingWritten() {
    KeyState key = key(KeyState.Memory.EXACT);
    stored(key, SECOND);
    Witness witness = key.witness();
    key.asked(THIRD);
    key.stored(THIRD, 0);
    mayRead(witness, SECOND);
    mayRead(witness, THIRD);
    mayNotRead(witness, FIRST);
    assertThatThrownBy(witness::missed).isInstanceOf(WrongReply.class);
    mayNotRead(key.witness(), SECOND);
  }

  @Test
  void shouldLetOthersMissWhatIsBeingDeleted() {
    KeyState key = key(KeyState.Memory.EXACT);
    Witness witness = key.witness();
    key.asked(Write.ABSENT);
    assertThatCode(witness::missed).doesNotThrowAnyException();
    assertThat(witness.isOver()).isTrue();
  }

  @Test
  void shouldLearnNothingFromOthers() {
    KeyState key = key(KeyState.Memory.EXACT);
    key.unknown(SECOND);
    mayRead(key.witness(), SECOND);
    mayRead(key, FIRST);
  }

  @Test
  void shouldNotTellTwoValuesApartByBytesThatAreTheSame() {
    Write empty = new Write("k", 0, 4, 0, false);
    Write otherEmpty = new Write("k", 0, 5, 0, false);
    KeyState key = key(KeyState.Memory.EXACT);
    stored(key, empty);
    key.unknown(otherEmpty);
    key.askedToAdd(SECOND, true);
    key.added(SECOND, true);
    key.readWithoutFlags(SECOND.value(), 0, SECOND.length, 0);
    mayRead(key, otherEmpty.with(SECOND, true));
    mayNotRead(key, empty.with(SECOND, true));
  }

  @Test
  void shouldKnowWhatWasReadUnlessItLingers() {
    KeyState exact = key(KeyState.Memory.EXACT);
    exact.unknown(SECOND);
    mayRead(exact, SECOND);
    mayNotRead(exact, FIRST);
    KeyState lingering = key(KeyState.Memory.LINGERING);
    lingering.unknown(SECOND);
    mayRead(lingering, SECOND);
    mayRead(lingering, FIRST);
    mayRead(lingering.witness(), FIRST);
  }

  @Test
  void shouldForgetWhatLingersWithTheNextChange() {
    KeyState key = key(KeyState.Memory.LINGERING);
    key.unknown(SECOND);
    stored(key, THIRD);
    mayNotRead(key, FIRST);
    mayRead(key, SECOND); // which may be done at any time
    mayRead(key, THIRD);
  }

  @Test
  void shouldNotTrustARefusalWhereServersMayDiffer() {
    KeyState key = key(KeyState.Memory.LINGERING);
    key.notStored(false, SECOND);
    mayNotRead(key, SECOND);
    key.unknown(SECOND);
    key.notStored(false, THIRD);
    mayRead(key, THIRD);
  }

  @Test
  void shouldKnowWhatIsAddedToWhat() {
    KeyState key = key(KeyState.Memory.EXACT);
    Witness witness = key.witness();
    key.askedToAdd(SECOND, true);
    key.added(SECOND, true);
    mayNotRead(key, FIRST);
    mayNotRead(key, FIRST.with(SECOND, false));
    mayRead(key, FIRST.with(SECOND, true));
    mayRead(witness, FIRST);
    mayRead(witness, FIRST.with(SECOND, true));
    mayNotRead(witness, SECOND);
    assertThatThrownBy(key::notAdded).isInstanceOf(WrongReply.class);
  }

  @Test
  void shouldNotBeAskedForAgainWhenNobodyKnowsWhetherSomethingWasAdded() {
    KeyState key = key(KeyState.Memory.EXACT);
    assertThat(key.isWornOut()).isFalse();
    key.lose();
    assertThat(key.isWornOut()).isTrue();
    mayRead(key, SECOND);
    mayRead(key.witness(), SECOND);
  }
}
