package sluice.config.schema;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import sluice.config.problems.Place;
import sluice.config.problems.Problems;

/**
 * Part of the file after it was checked against its type.
 *
 * @param <T> result of the type's parser
 * @param path as in {@code routes.cache[0].match}
 * @param line of the place that problems point at
 * @param column of the place that problems point at
 * @param written whether the file has it; otherwise it is a default or absent
 * @param shown how a problem describes what was found
 * @param value empty if it is absent or refused
 */
public record Checked<T>(
    String path, int line, int column, boolean written, String shown, Optional<T> value)
    implements Place {
  /** Whether the file has it, and it is valid. */
  public boolean isGood() {
    return written && value.isPresent();
  }

  /** Whether the file has it, and it is invalid. */
  public boolean isRefused() {
    return written && value.isEmpty();
  }

  /** Refuses elements of a list that are equal to an earlier one. */
  public static <T> void requireOnce(List<Checked<T>> items, Problems problems) {
    Map<T, Checked<T>> seen = new HashMap<>();
    for (Checked<T> item : items) {
      item.value()
          .map(value -> seen.putIfAbsent(value, item))
          .ifPresent(
              earlier ->
                  item.refuse(problems, "each only once: " + earlier.path() + " is the same"));
    }
  }

  /** Notes a problem with the given expectation. */
  public void refuse(Problems problems, String expected) {
    refuse(problems, shown, expected);
  }

  /** The same, with another description of what was found. */
  public void refuse(Problems problems, String found, String expected) {
    problems.add(line, column, path, found, expected);
  }

  /** Notes a warning with the given recommendation. */
  public void warn(Problems problems, String expected) {
    problems.warn(this, path, shown, expected);
  }
}
