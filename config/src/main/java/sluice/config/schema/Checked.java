package sluice.config.schema;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import sluice.config.problems.Place;
import sluice.config.problems.Problems;

/**
 * A part of the file held against its type.
 *
 * @param <T> what the type makes of it
 * @param path as in {@code routes.cache[0].match}
 * @param line where a problem with it is
 * @param column where a problem with it is
 * @param written whether the file has it, or else it is a default or nothing
 * @param shown what a problem says was found
 * @param value empty if it is absent or refused
 */
public record Checked<T>(
    String path, int line, int column, boolean written, String shown, Optional<T> value)
    implements Place {
  /** Whether the file has it, and it is what its type says. */
  public boolean isGood() {
    return written && value.isPresent();
  }

  /** Whether the file has it, and it is not what its type says. */
  public boolean isRefused() {
    return written && value.isEmpty();
  }

  /** Refuses the elements of a list that are the same as one before them. */
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

  /** Notes what could stand there instead. */
  public void refuse(Problems problems, String expected) {
    refuse(problems, shown, expected);
  }

  /** The same, where something else was found than stands there. */
  public void refuse(Problems problems, String found, String expected) {
    problems.add(line, column, path, found, expected);
  }

  /** Notes what had better stand there. */
  public void warn(Problems problems, String expected) {
    problems.warn(this, path, shown, expected);
  }
}
