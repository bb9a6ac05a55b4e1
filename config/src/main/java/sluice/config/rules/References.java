package sluice.config.rules;

import java.util.Set;
import sluice.config.problems.Nearest;
import sluice.config.problems.Problems;
import sluice.config.schema.Checked;
import sluice.config.schema.Key;

/** Check that refuses names that are not defined; without any, their section was refused. */
final class References {
  private References() {}

  static void require(
      Checked<String> name, Set<String> defined, Key<?> section, Problems problems) {
    boolean judged = name.value().isPresent() && !defined.isEmpty();
    if (!judged || defined.contains(name.value().get())) {
      return;
    }
    String known = name.written() ? Nearest.among(name.value().get(), defined) : "";
    name.refuse(problems, "the name of one of the '" + section.name() + "'" + known);
  }
}
