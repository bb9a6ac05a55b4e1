package sluice.config.rules;

import java.util.List;
import sluice.config.files.DictionaryFiles;
import sluice.config.problems.Problems;
import sluice.config.schema.Checked;
import sluice.config.schema.Fields;
import sluice.config.sections.CompressionSection;
import sluice.config.sections.PoolSection;
import sluice.config.sections.ValuesSection;

/** Checks of {@code compression} and {@code values}. */
final class ValueRules {
  private final Problems problems;
  private final DictionaryFiles dictionaryFiles;

  /**
   * @param dictionaryFiles reads the files that {@code compression} sections name
   */
  ValueRules(Problems problems, DictionaryFiles dictionaryFiles) {
    this.problems = problems;
    this.dictionaryFiles = dictionaryFiles;
  }

  void check(Fields file) {
    for (Checked<Fields> checked : file.named(FileSection.POOLS).values()) {
      Fields pool = Fields.of(checked);
      pool.written(PoolSection.COMPRESSION).ifPresent(this::compression);
      if (pool.isWritten(PoolSection.VALUES)) {
        values(pool.get(PoolSection.VALUES));
      }
    }
  }

  private void compression(Fields compression) {
    Checked<Integer> flag = compression.get(CompressionSection.FLAG);
    Checked<Integer> already = compression.get(CompressionSection.ALREADY_COMPRESSED);
    if ((flag.value().orElse(0) & already.value().orElse(0)) != 0) {
      Checked<Integer> at = already.written() ? already : flag;
      Checked<Integer> other = already.written() ? flag : already;
      at.refuse(problems, "no bit of " + other.path() + ", " + other.shown());
    }
    dictionaryFiles.all(compression.items(CompressionSection.DICTIONARIES));
  }

  private void values(Checked<Fields> checked) {
    Fields values = Fields.of(checked);
    if (checked.value().isPresent() && values.all().stream().noneMatch(Checked::written)) {
      checked.refuse(problems, "nothing", "replace or plain");
    }
    List<Checked<String>> finds =
        values.items(ValuesSection.REPLACE).stream()
            .map(replacement -> Fields.of(replacement).get(ValuesSection.FIND))
            .toList();
    for (int i = 0; i < finds.size(); i++) {
      Checked<String> find = finds.get(i);
      finds.subList(0, i).stream()
          .filter(earlier -> isBeginningOf(earlier, find))
          .findFirst()
          .ifPresent(
              earlier -> find.refuse(problems, "text that does not begin with " + earlier.path()));
    }
  }

  /**
   * In that case, the later one is never found: of two matches at one place, the first listed is
   * used.
   */
  private static boolean isBeginningOf(Checked<String> earlier, Checked<String> later) {
    return earlier.value().isPresent()
        && later.value().filter(text -> text.startsWith(earlier.value().get())).isPresent();
  }
}
