package sluice.config.schema;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** What the value of a key may be. */
public sealed interface Type {
  /** What a problem says could stand there. */
  String expected();

  /** A section with these keys. */
  static Section section(Key... keys) {
    return new Section(List.of(keys));
  }

  /** Keys that are known. */
  record Section(List<Key> keys) implements Type {
    @Override
    public String expected() {
      return "a mapping";
    }

    Optional<Key> key(String name) {
      return keys.stream().filter(k -> k.name().equals(name)).findFirst();
    }
  }

  /**
   * Names that the user chooses, at least one, each with a value.
   *
   * @param what one of them is, for people
   */
  record Named(String what, Type each) implements Type {
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
  record Items(String what, Type each, boolean mayBeEmpty) implements Type {
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
   * @param schema as JSON Schema
   */
  record Scalar(
      String expected, boolean number, Function<String, Object> parser, Map<String, Object> schema)
      implements Type {}

  /**
   * What the user maps to what, at least one pair: a list of {@link Checked.Fields} with {@code
   * key} and {@code value}.
   *
   * @param what one of either is, for people
   */
  record Pairs(String what, Scalar key, Scalar value) implements Type {
    @Override
    public String expected() {
      return "a mapping from " + what + " to " + what;
    }
  }

  /**
   * A section, or the value of one of its keys alone where nothing else is said.
   *
   * @param key the name of that key
   */
  record Brief(Section section, String key) implements Type {
    /** What that key alone may be. */
    public Type alone() {
      return section.key(key).orElseThrow().type();
    }

    @Override
    public String expected() {
      return alone().expected() + ", or a mapping";
    }
  }
}
