package sluice.config.rules;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import sluice.config.problems.Nearest;
import sluice.config.problems.Problems;
import sluice.config.schema.Checked;
import sluice.config.schema.Key;

/** Refuses names that nothing has, and what is listed twice. */
final class References {
  private References() {}

  static void require(
      Checked<String> name, Set<String> defined, Key<?> section, Problems problems) {
    if (name.value().isEmpty() || defined.contains(name.value().get())) {
      return;
    }
    String suggestion =
        name.written()
            ? Nearest.to(name.value().get(), defined)
                .map(n -> " (did you mean " + n + "?)")
                .orElse("")
            : "";
    name.refuse(problems, "the name of one of the '" + section.name() + "'" + suggestion);
  }

  static <T> void requireOnce(List<Checked<T>> items, Problems problems) {
    Map<T, Checked<T>> seen = new HashMap<>();
    for (Checked<T> item : items) {
      item.value()
          .map(value -> seen.putIfAbsent(value, item))
          .ifPresent(
              earlier ->
                  item.refuse(problems, "each only once: " + earlier.path() + " is the same"));
    }
  }
}
