package sluice.config.schema;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import sluice.config.problems.Nearest;
import sluice.config.yaml.Node;

/** Hints about values whose shape does not fit their type: what the author may have meant. */
final class Shapes {
  /** A key that is joined to its value, or that has no colon. */
  private static final Pattern KEY = Pattern.compile("([A-Za-z][A-Za-z0-9]*)(:| )\\s*(\\S.*)");

  private static final Pattern LEADING_ZEROS = Pattern.compile("[-+]?0+[0-9]+");
  private static final Pattern LARGE_PORT = Pattern.compile(".*:0*([0-9]{5,9})( .*)?");
  private static final int MAX_PORT = 65_535;
  private static final int SHOWN = 60;
  private static final int MOST_KEYS = 12;

  private Shapes() {}

  /** Text that follows the expectation if a value has another shape; may be empty. */
  static String hint(Node node, Type<?> type) {
    if (type instanceof Type.Items<?> items) {
      return list(node, items);
    }
    String meant =
        node instanceof Node.Scalar text ? section(type).map(s -> key(text, s)).orElse("") : "";
    return meant.isEmpty() && type instanceof Type.Section section ? keys(section) : meant;
  }

  /** The keys of a section, unless there are too many to read. */
  private static String keys(Type.Section section) {
    List<String> names = section.keys().stream().<String>map(Key::name).toList();
    return names.size() > MOST_KEYS
        ? ""
        : " with " + (names.size() > 1 ? "some of " : "") + String.join(", ", names);
  }

  private static String list(Node node, Type.Items<?> items) {
    if (node instanceof Node.Scalar text && items.each() instanceof Type.Scalar<?> each) {
      boolean fits = !text.isNull() && each.parser().apply(text.text()) != null;
      return fits ? question("[" + text.text() + "]") : "";
    }
    boolean one = node instanceof Node.Mapping && section(items.each()).isPresent();
    return one ? " (each begins with \"- \")" : "";
  }

  private static String key(Node.Scalar text, Type.Section section) {
    Matcher key = KEY.matcher(text.text());
    boolean known = key.matches() && section.key(key.group(1)).isPresent();
    return known && !text.quoted() ? question(key.group(1) + ": " + key.group(3)) : "";
  }

  private static String question(String suggestion) {
    return suggestion.length() > SHOWN ? "" : Nearest.question(Optional.of(suggestion));
  }

  /** Text that follows the expectation if a type refuses a scalar; may be empty. */
  static String hint(String text, Type.Scalar<?> type) {
    Optional<String> nearest = type.nearest(text).or(() -> Quantities.inEachUnit(text, type));
    Matcher port = LARGE_PORT.matcher(text);
    boolean large =
        nearest.isEmpty() && port.matches() && Integer.parseInt(port.group(1)) > MAX_PORT;
    if (type.number() && nearest.isEmpty() && LEADING_ZEROS.matcher(text).matches()) {
      return ", without leading zeros";
    }
    return large ? " (a port is at most " + MAX_PORT + ")" : Nearest.question(nearest);
  }

  /** The keys of a section, if the type is one or may be one. */
  static Optional<Type.Section> section(Type<?> type) {
    if (type instanceof Type.Brief<?> either) {
      return Optional.of(either.section());
    }
    return type instanceof Type.Section section ? Optional.of(section) : Optional.empty();
  }

  /** Entries whose key is probably a key of the section in another spelling, by that key. */
  static Map<String, Node.Entry> misspelt(Node.Mapping mapping, Type.Section section) {
    List<String> known = section.keys().stream().<String>map(Key::name).toList();
    Map<String, Node.Entry> misspelt = new HashMap<>();
    for (Node.Entry entry : mapping.entries()) {
      String name = entry.key().text();
      if (!known.contains(name)) {
        Nearest.to(name, known).ifPresent(meant -> misspelt.putIfAbsent(meant, entry));
      }
    }
    return misspelt;
  }

  /**
   * Number of entries after the i-th that belong inside it, because it has no value and they are
   * keys of its type.
   *
   * @param known whether a key belongs to the mapping itself
   */
  static int outdented(Node.Mapping mapping, int i, Type<?> type, Predicate<String> known) {
    Optional<Type.Section> section = section(type);
    boolean empty = mapping.entries().get(i).value() instanceof Node.Scalar text && text.isNull();
    if (section.isEmpty() || !empty) {
      return 0;
    }
    int count = 0;
    for (Node.Entry next : mapping.entries().subList(i + 1, mapping.entries().size())) {
      String name = next.key().text();
      if (section.get().key(name).isEmpty() || known.test(name)) {
        break;
      }
      count++;
    }
    return count;
  }
}
