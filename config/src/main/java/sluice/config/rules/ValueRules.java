package sluice.config.rules;

import java.util.List;
import java.util.Optional;
import sluice.config.problems.Problems;
import sluice.config.schema.Checked;
import sluice.config.schema.Checked.Fields;

/** What {@code compression} and {@code values} must not say. */
final class ValueRules {
  private final Problems problems;

  ValueRules(Problems problems) {
    this.problems = problems;
  }

  void check(Fields file) {
    for (Checked pool : file.get("pools").named().values()) {
      if (pool.fields().get("compression").written()) {
        compression(pool.fields().section("compression"));
      }
      if (pool.fields().get("values").written()) {
        values(pool.fields().get("values"));
      }
    }
  }

  private void refuse(Checked at, String found, String expected) {
    problems.add(at.line(), at.column(), at.path(), found, expected);
  }

  private void compression(Fields compression) {
    Checked flag = compression.get("flag");
    Checked already = compression.get("alreadyCompressed");
    boolean both = flag.value().isPresent() && already.value().isPresent();
    if (both && (compression.number("flag") & compression.number("alreadyCompressed")) != 0) {
      Checked at = already.written() ? already : flag;
      Checked other = already.written() ? flag : already;
      refuse(at, at.shown(), "no bit of " + other.path() + ", " + other.shown());
    }
  }

  private void values(Checked checked) {
    Fields values = checked.fields();
    if (checked.value().isPresent()
        && values.byKey().values().stream().noneMatch(Checked::written)) {
      refuse(checked, "nothing", "replace or plain");
    }
    List<Checked> replace = values.get("replace").items();
    for (int i = 0; i < replace.size(); i++) {
      Checked find = replace.get(i).fields().get("find");
      Optional<Checked> earlier =
          replace.subList(0, i).stream()
              .map(r -> r.fields().get("find"))
              .filter(e -> isBeginningOf(e, find))
              .findFirst();
      earlier.ifPresent(
          e -> refuse(find, find.shown(), "text that " + e.path() + " is not the beginning of"));
    }
  }

  /** Then the later one is never found: of two that begin at one place the first is taken. */
  private static boolean isBeginningOf(Checked earlier, Checked later) {
    return earlier.value().isPresent()
        && later.value().isPresent()
        && ((String) later.value().get()).startsWith((String) earlier.value().get());
  }
}
