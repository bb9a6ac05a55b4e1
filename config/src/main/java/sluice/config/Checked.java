package sluice.config;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import sluice.config.problems.Place;

/**
 * A part of the file held against its type.
 *
 * @param path as in {@code routes.cache[0].match}
 * @param line where a problem with it is
 * @param column where a problem with it is
 * @param written whether the file has it, or else it is a default or nothing
 * @param shown what a problem says was found
 * @param value empty if it is absent or refused; else a {@link Fields}, a map or a list of Checked,
 *     or what the scalar type made of it
 */
record Checked(
    String path, int line, int column, boolean written, String shown, Optional<Object> value)
    implements Place {

  Fields fields() {
    return (Fields) value.orElseGet(() -> new Fields(Map.of()));
  }

  @SuppressWarnings("unchecked") // what the table calls a list
  List<Checked> items() {
    return (List<Checked>) value.orElseGet(List::of);
  }

  @SuppressWarnings("unchecked") // what the table calls names
  Map<String, Checked> named() {
    return (Map<String, Checked>) value.orElseGet(Map::of);
  }

  /** A section: what its keys were checked to be, those that the file leaves out included. */
  record Fields(Map<String, Checked> byKey) {
    private static final Checked ABSENT = new Checked("", 0, 0, false, "nothing", Optional.empty());

    Checked get(String key) {
      return byKey.getOrDefault(key, ABSENT);
    }

    boolean has(String key) {
      return get(key).value().isPresent();
    }

    <T> Optional<T> scalar(String key, Class<T> type) {
      return get(key).value().map(type::cast);
    }

    <T> T value(String key, Class<T> type) {
      return scalar(key, type).orElseThrow();
    }

    long number(String key) {
      return value(key, Long.class);
    }

    String text(String key) {
      return scalar(key, String.class).orElse("");
    }

    Fields section(String key) {
      return get(key).fields();
    }

    /** The elements of a list of scalars. */
    <T> List<T> list(String key, Class<T> type) {
      return get(key).items().stream().flatMap(i -> i.value().stream()).map(type::cast).toList();
    }
  }
}
