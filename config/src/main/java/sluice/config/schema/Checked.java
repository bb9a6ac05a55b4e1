package sluice.config.schema;

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
public record Checked(
    String path, int line, int column, boolean written, String shown, Optional<Object> value)
    implements Place {

  /** Of a section; without keys if it is absent or refused. */
  public Fields fields() {
    return (Fields) value.orElseGet(() -> new Fields(Map.of()));
  }

  /** Of a list; none if it is absent or refused. */
  @SuppressWarnings("unchecked") // what the table calls a list
  public List<Checked> items() {
    return (List<Checked>) value.orElseGet(List::of);
  }

  /** Of a mapping from names, in the order written; none if it is absent or refused. */
  @SuppressWarnings("unchecked") // what the table calls names
  public Map<String, Checked> named() {
    return (Map<String, Checked>) value.orElseGet(Map::of);
  }

  /** A section: what its keys were checked to be, those that the file leaves out included. */
  public record Fields(Map<String, Checked> byKey) {
    private static final Checked ABSENT = new Checked("", 0, 0, false, "nothing", Optional.empty());

    /**
     * What the key was checked to be; neither written nor of a value if the table has no such key.
     */
    public Checked get(String key) {
      return byKey.getOrDefault(key, ABSENT);
    }

    /** Whether the key has a value, written or by default. */
    public boolean has(String key) {
      return get(key).value().isPresent();
    }

    /** The value of a scalar; empty if it is absent or refused. */
    public <T> Optional<T> scalar(String key, Class<T> type) {
      return get(key).value().map(type::cast);
    }

    /** The value of a scalar that is there. */
    public <T> T value(String key, Class<T> type) {
      return scalar(key, type).orElseThrow();
    }

    /** The value of a number that is there. */
    public long number(String key) {
      return value(key, Long.class);
    }

    /** The value of a string; the empty one if it is absent or refused. */
    public String text(String key) {
      return scalar(key, String.class).orElse("");
    }

    /** The keys of a section; none if it is absent or refused. */
    public Fields section(String key) {
      return get(key).fields();
    }

    /** The elements of a list of scalars. */
    public <T> List<T> list(String key, Class<T> type) {
      return get(key).items().stream().flatMap(i -> i.value().stream()).map(type::cast).toList();
    }
  }
}
