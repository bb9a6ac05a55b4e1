package sluice.config.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import sluice.config.problems.Problems;
import sluice.config.yaml.References;
import sluice.config.yaml.YamlReader;

class FieldsTest {
  private static final Key<Integer> COUNT =
      Key.optional("count", Quantities.integer(1, 9), "How many.").or("3");
  private static final Key<List<Checked<Long>>> TIMES =
      Key.optional(
          "times", new Type.Items<>("time", Quantities.duration("1s", "1h"), false), "When.");
  private static final Key<Integer> ELSEWHERE =
      Key.optional("count", Quantities.integer(1, 9), "A key of the same name.");

  private final Problems problems = new Problems("f");

  private Fields fields(String yaml) {
    References references = new References(name -> null, Path.of(""), problems, new ArrayList<>());
    return Fields.of(
        new Validator(problems, references)
            .check(YamlReader.read(yaml, problems).orElseThrow(), Type.section(COUNT, TIMES), ""));
  }

  @Test
  void shouldHaveWhatItsKeysMakeOfTheFile() {
    Fields fields = fields("{times: [1s, 2m]}");
    assertThat(fields.value(COUNT)).isEqualTo(3);
    assertThat(fields.isWritten(COUNT)).isFalse();
    assertThat(fields.values(TIMES)).containsExactly(1_000L, 120_000L);
    assertThat(problems.isEmpty()).isTrue();
  }

  @Test
  void shouldLeaveOutWhatWasRefused() {
    Fields fields = fields("{count: 10, times: [1s, 2], other: 1}");
    assertThat(fields.optional(COUNT)).isEmpty();
    assertThat(fields.get(COUNT).isRefused()).isTrue();
    assertThat(fields.values(TIMES)).containsExactly(1_000L);
    assertThat(fields.items(TIMES)).hasSize(2);
    assertThat(fields.all()).filteredOn(Checked::isRefused).hasSize(2);
    assertThat(problems.inOrder()).hasSize(3);
  }

  @Test
  void shouldKnowItsOwnKeysAlone() {
    Fields fields = fields("{count: 4}");
    assertThatThrownBy(() -> fields.get(ELSEWHERE)).isInstanceOf(IllegalArgumentException.class);
    assertThat(Fields.NONE.get(ELSEWHERE).written()).isFalse();
  }
}
