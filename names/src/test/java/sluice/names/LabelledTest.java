package sluice.names;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LabelledTest {
  @Test
  void shouldFindEveryConstantByItsName() {
    for (HashFunction each : HashFunction.values()) {
      assertThat(Labelled.named(HashFunction.class, each.label())).isEqualTo(each);
    }
  }

  @Test
  void shouldSayWhichNamesThereAre() {
    assertThatThrownBy(() -> Labelled.named(Dialect.class, "ascii"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("found ascii, expected one of text, meta, binary");
  }

  @Test
  void shouldHaveEachNameOnce() {
    for (Labelled[] constants :
        new Labelled[][] {
          Command.values(),
          Verb.values(),
          Dialect.values(),
          HashFunction.values(),
          Distribution.values()
        }) {
      Set<String> labels = new HashSet<>(Arrays.stream(constants).map(Labelled::label).toList());
      assertThat(labels).hasSameSizeAs(constants);
    }
  }
}
