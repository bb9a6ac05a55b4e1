package sluice.config.yaml;

import java.util.List;
import sluice.config.problems.Place;

/** Part of the file, with the place where it begins: line and column from 1. */
public sealed interface Node extends Place {
  /** Its description in problems. */
  String describe();

  /**
   * Single value.
   *
   * @param quoted whether the text is always a string, because it is quoted
   */
  record Scalar(int line, int column, String text, boolean quoted) implements Node {
    private static final int SHOWN = 60;

    @Override
    public String describe() {
      if (isNull()) {
        return "nothing";
      }
      String shown = text.length() > SHOWN ? text.substring(0, SHOWN) + "..." : text;
      StringBuilder printable = new StringBuilder();
      shown
          .codePoints()
          .forEach(c -> printable.appendCodePoint(Character.isISOControl(c) ? '?' : c));
      return quoted ? "\"" + printable + "\"" : printable.toString();
    }

    /** Whether YAML reads it as null. */
    public boolean isNull() {
      return !quoted && CoreSchema.isNull(text);
    }

    /** Whether YAML reads it as a string, not as a number, a boolean or null. */
    public boolean isString() {
      return quoted || CoreSchema.isString(text);
    }
  }

  /** List. */
  record Sequence(int line, int column, List<Node> items) implements Node {
    @Override
    public String describe() {
      return "a list";
    }
  }

  /** Mapping, with keys in the order written, each of them once. */
  record Mapping(int line, int column, List<Entry> entries) implements Node {
    @Override
    public String describe() {
      return "a mapping";
    }
  }

  /** A key and its value. */
  record Entry(Scalar key, Node value) {}
}
