package sluice.codecs.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SparesTest {
  private final Spares<Integer> spares = new Spares<>(100);

  private void give(int count) {
    for (int i = 0; i < count; i++) {
      assertThat(spares.give(i)).isTrue();
    }
  }

  private void trim() {
    for (int i = spares.surplus(); i > 0; i--) {
      spares.take();
    }
    spares.settle();
  }

  @Test
  void shouldGiveTheLastOneFirstAndNoneWhenThereIsNone() {
    give(40);
    for (int i = 39; i >= 0; i--) {
      assertThat(spares.take()).isEqualTo(i);
    }
    assertThat(spares.take()).isNull();
  }

  @Test
  void shouldKeepNoMoreThanAllowed() {
    give(100);
    assertThat(spares.give(0)).isFalse();
    assertThat(spares.count()).isEqualTo(100);
  }

  @Test
  void shouldShrinkToWhatIsNeededUnderSteadyLoad() {
    give(100);
    spares.settle();
    for (int round = 0; round < 20; round++) {
      for (int i = 0; i < 10; i++) {
        spares.take();
      }
      give(10);
      trim();
    }
    assertThat(spares.count()).isEqualTo(10);
    for (int i = 0; i < 10; i++) {
      assertThat(spares.take()).isNotNull();
    }
  }

  @Test
  void shouldKeepAllThatAreNeededAtOnce() {
    give(50);
    spares.settle();
    for (int i = 0; i < 50; i++) {
      spares.take();
    }
    give(50);
    assertThat(spares.surplus()).isZero();
  }
}
