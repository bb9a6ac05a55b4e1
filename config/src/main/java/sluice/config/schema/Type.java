package sluice.config.schema;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * What the value of a key may be.
 *
 * @param <T> what the value is checked to be
 */
public sealed interface Type<T> {
  /** What a problem says could stand there. */
  String expected();

  /** A section with these keys. */
  static Section section(Key<?>... keys) {
    return new Section(List.of(keys));
  }

  /** Keys that are known. */
  record Section(List<Key<?>> keys) implements Type<Fields> {
    @Override
    public String expected() {
      return "a mapping";
    }

    Optional<Key<?>> key(String name) {
      return keys.stream().<Key<?>>map(k -> k).filter(k -> k.name().equals(name)).findFirst();
    }
  }

  /**
   * Names that the user chooses, at least one, each with a value.
   *
   * @param what one of them is, for people
   */
  record Named<T>(String what, Type<T> each) implements Type<Map<String, Checked<T>>> {
    /** Letters, digits, and what keeps apart in a metric's label or in a path of a problem. */
    public static final String NAME = "[A-Za-z0-9][A-Za-z0-9_.-]{0,63}";

    @Override
    public String expected() {
      return "a mapping from names to " + what + "s";
    }
  }

  /**
   * A list of at least one.
   *
   * @param what one of them is, for people
   * @param mayBeEmpty unless it may be none
   */
  record Items<T>(String what, Type<T> each, boolean mayBeEmpty) implements Type<List<Checked<T>>> {
    @Override
    public String expected() {
      return "a list of " + what + "s";
    }
  }

  /**
   * A scalar.
   *
   * @param number whether YAML must take it for a number, or else for a string
   * @param parser null for what is refused
   * @param writer makes of a value what stands in a file: the parser takes its text
   * @param schema as JSON Schema
   */
  record Scalar<T>(
      String expected,
      boolean number,
      Function<String, T> parser,
      Function<T, Object> writer,
      Map<String, Object> schema)
      implements Type<T> {}

  /**
   * What the user maps to what, at least one pair.
   *
   * @param what one of either is, for people
   */
  record Pairs<K, V>(String what, Scalar<K> key, Scalar<V> value)
      implements Type<List<Pair<K, V>>> {
    @Override
    public String expected() {
      return "a mapping from " + what + " to " + what;
    }
  }

  /** One entry of {@link Pairs}. */
  record Pair<K, V>(Checked<K> key, Checked<V> value) {}

  /**
   * A section, or the value of one of its keys alone where nothing else is said.
   *
   * @param key the one of the section
   */
  record Brief<T>(Section section, Key<T> key) implements Type<Fields> {
    /** What that key alone may be. */
    public Type<T> alone() {
      return key.type();
    }

    @Override
    public String expected() {
      return alone().expected() + ", or a mapping";
    }
  }
}
