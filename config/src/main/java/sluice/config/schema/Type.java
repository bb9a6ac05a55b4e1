package sluice.config.schema;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import sluice.config.problems.Nearest;

/**
 * Type of a key's value.
 *
 * @param <T> the checked value
 */
public sealed interface Type<T> {
  /** A description of valid values, for problems. */
  String expected();

  /** A section with these keys. */
  static Section section(Key<?>... keys) {
    return new Section(List.of(keys));
  }

  /** Some keys of a section, but none that it requires. */
  static Partial partial(String what, Section of) {
    List<Key<?>> keys =
        of.keys().stream().<Key<?>>map(k -> k).filter(k -> k.kind() != Key.Kind.REQUIRED).toList();
    return new Partial(new Section(keys), what);
  }

  /** Section with known keys. */
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
   * Some keys of a section: none is required, and none has a default.
   *
   * @param what describes the section to people
   */
  record Partial(Section section, String what) implements Type<Fields> {
    @Override
    public String expected() {
      return "a mapping with keys of a " + what;
    }
  }

  /**
   * Names that the user chooses, at least one, each with a value.
   *
   * @param what describes one of them to people
   */
  record Named<T>(String what, Type<T> each) implements Type<Map<String, Checked<T>>> {
    /**
     * Letters, digits, and characters that are safe in a metric's label and in a problem's path.
     */
    public static final String NAME = "[A-Za-z0-9][A-Za-z0-9_.-]{0,63}";

    @Override
    public String expected() {
      return "a mapping from names to " + what + "s";
    }
  }

  /**
   * List of elements.
   *
   * @param what describes one of them to people
   * @param mayBeEmpty whether it may have no elements
   */
  record Items<T>(String what, Type<T> each, boolean mayBeEmpty) implements Type<List<Checked<T>>> {
    @Override
    public String expected() {
      return "a list of " + what + "s";
    }
  }

  /**
   * Scalar.
   *
   * @param number whether YAML must read it as a number; otherwise, as a string
   * @param parser returns null for an invalid text
   * @param writer the inverse of parser
   * @param schema as JSON Schema
   * @param spellings possible meanings of an invalid text, likely ones first; the parser decides
   */
  record Scalar<T>(
      String expected,
      boolean number,
      Function<String, T> parser,
      Function<T, Object> writer,
      Map<String, Object> schema,
      Function<String, Stream<String>> spellings)
      implements Type<T> {
    Scalar(
        String expected,
        boolean number,
        Function<String, T> parser,
        Function<T, Object> writer,
        Map<String, Object> schema) {
      this(expected, number, parser, writer, schema, Spellings::of);
    }

    Scalar<T> spelt(Function<String, Stream<String>> spellings) {
      return new Scalar<>(expected, number, parser, writer, schema, spellings);
    }

    /** The likeliest valid meaning of an invalid text. */
    Optional<String> nearest(String text) {
      return schema.get("enum") instanceof List<?> choices
          ? Nearest.to(text, choices.stream().map(Object::toString).toList())
          : spellings.apply(text).filter(each -> parser.apply(each) != null).findFirst();
    }
  }

  /**
   * Map of the user's entries, at least one.
   *
   * @param what describes the keys to people
   * @param values describes the values to people
   */
  record Pairs<K, V>(String what, String values, Scalar<K> key, Scalar<V> value)
      implements Type<List<Pair<K, V>>> {
    @Override
    public String expected() {
      return "a mapping from " + what + " to " + values;
    }
  }

  /** Entry of {@link Pairs}. */
  record Pair<K, V>(Checked<K> key, Checked<V> value) {}

  /**
   * Section, or the value of one of its keys as a short form.
   *
   * @param key the key that the short form stands for
   */
  record Brief<T>(Section section, Key<T> key) implements Type<Fields> {
    /** The type of that key's value. */
    public Type<T> alone() {
      return key.type();
    }

    @Override
    public String expected() {
      return alone().expected() + ", or a mapping";
    }
  }
}
