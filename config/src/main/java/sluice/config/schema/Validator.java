package sluice.config.schema;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import sluice.config.problems.Nearest;
import sluice.config.problems.Problems;
import sluice.config.yaml.Node;
import sluice.config.yaml.References;
import sluice.config.yaml.YamlReader;

/** Validator of a tree of nodes against the table of keys. */
public final class Validator {
  private static final Pattern NAME = Pattern.compile(Type.Named.NAME);
  private static final int SHOWN_KEYS = 12;

  private final Problems problems;
  private final References references;

  /**
   * @param problems receives the problems
   * @param references replaces those in scalars
   */
  public Validator(Problems problems, References references) {
    this.problems = problems;
    this.references = references;
  }

  /** Checks a node against a type; invalid parts have no value. */
  @SuppressWarnings("unchecked") // the value was made by the type itself
  public <T> Checked<T> check(Node node, Type<T> type, String path) {
    return (Checked<T>) any(node, type, path);
  }

  private Checked<?> any(Node node, Type<?> type, String path) {
    if (type instanceof Type.Section section && node instanceof Node.Mapping mapping) {
      return checked(node, path, section(mapping, section, path));
    }
    if (type instanceof Type.Partial some && node instanceof Node.Mapping mapping) {
      return checked(node, path, written(mapping, some.section(), path));
    }
    if (type instanceof Type.Brief<?> section) {
      return shorthand(node, section, path);
    }
    if (type instanceof Type.Named<?> named && node instanceof Node.Mapping mapping) {
      return checked(node, path, named(mapping, named, path));
    }
    if (type instanceof Type.Pairs<?, ?> pairs && node instanceof Node.Mapping mapping) {
      return checked(node, path, pairs(mapping, pairs, path));
    }
    if (type instanceof Type.Items<?> items && node instanceof Node.Sequence sequence) {
      return checked(node, path, items(sequence, items, path));
    }
    if (type instanceof Type.Scalar<?> scalar && node instanceof Node.Scalar text) {
      return scalar(text, scalar, path);
    }
    return refuse(node, path, type.expected() + Shapes.hint(node, type));
  }

  private Checked<Fields> shorthand(Node node, Type.Brief<?> type, String path) {
    if (node instanceof Node.Mapping) {
      return check(node, type.section(), path);
    }
    Checked<?> alone = check(node, type.alone(), path);
    if (alone.value().isEmpty()) {
      return new Checked<>(
          path, alone.line(), alone.column(), true, alone.shown(), Optional.empty());
    }
    Node.Mapping empty = new Node.Mapping(node.line(), node.column(), List.of());
    Map<Key<?>, Checked<?>> fields = new LinkedHashMap<>();
    type.section().keys().stream()
        .filter(key -> key != type.key())
        .forEach(key -> fields.put(key, absent(key, empty, join(path, key.name()))));
    fields.put(type.key(), alone);
    return checked(node, path, new Fields(fields, List.of()));
  }

  private static <T> Checked<T> checked(Node node, String path, T value) {
    return new Checked<>(
        path, node.line(), node.column(), true, node.describe(), Optional.of(value));
  }

  private <T> Checked<T> refuse(Node node, String path, String expected) {
    problems.add(node, path, node.describe(), expected);
    return refused(node, path);
  }

  private static <T> Checked<T> refused(Node node, String path) {
    return new Checked<>(path, node.line(), node.column(), true, node.describe(), Optional.empty());
  }

  private static String join(String path, String key) {
    return path.isEmpty() ? key : path + "." + key;
  }

  private Fields section(Node.Mapping mapping, Type.Section section, String path) {
    Fields written = written(mapping, section, path);
    Map<Key<?>, Checked<?>> absent = new LinkedHashMap<>();
    Map<String, Node.Entry> misspelt = Shapes.misspelt(mapping, section);
    for (Key<?> key : section.keys()) {
      String at = join(path, key.name());
      if (misspelt.containsKey(key.name()) && !written.keys().contains(key)) {
        absent.put(key, refused(misspelt.get(key.name()).value(), at));
      } else if (!written.keys().contains(key)) {
        absent.put(key, absent(key, mapping, at));
      }
    }
    return written.and(absent);
  }

  /** The keys that a mapping has. */
  private Fields written(Node.Mapping mapping, Type.Section section, String path) {
    Map<Key<?>, Checked<?>> fields = new LinkedHashMap<>();
    List<Checked<?>> unknown = new ArrayList<>();
    for (int i = 0; i < mapping.entries().size(); i++) {
      Node.Entry entry = mapping.entries().get(i);
      String name = entry.key().text();
      String at = join(path, name);
      Optional<Key<?>> key = section.key(name);
      if (key.isEmpty()) {
        unknown.add(unknown(entry, section, path));
        continue;
      }
      int outdented =
          Shapes.outdented(mapping, i, key.get().type(), other -> section.key(other).isPresent());
      if (outdented > 0) {
        fields.put(key.get(), outdented(mapping, i, at));
        i += outdented;
      } else {
        fields.put(key.get(), check(entry.value(), key.get().type(), at));
      }
    }
    return new Fields(fields, unknown);
  }

  /** The key counts as refused: a match with a misspelt key must not match everything. */
  private Checked<?> unknown(Node.Entry entry, Type.Section section, String path) {
    String name = entry.key().text();
    List<String> known = section.keys().stream().<String>map(Key::name).toList();
    Optional<String> nearest = Nearest.to(name, known);
    boolean listed = known.size() <= SHOWN_KEYS || nearest.isEmpty();
    String expected = listed ? String.join(", ", known) : "a known key";
    problems.add(
        entry.key(),
        join(path, entry.key().describe()),
        "an unknown key",
        expected + Nearest.question(nearest));
    return refused(entry.value(), join(path, name));
  }

  /** Refuses a section whose keys are at the same level as its name, not below it. */
  private <T> Checked<T> outdented(Node.Mapping mapping, int i, String path) {
    Node.Scalar name = mapping.entries().get(i).key();
    Node.Scalar first = mapping.entries().get(i + 1).key();
    problems.add(
        first,
        path,
        first.text() + " at the level of " + name.text(),
        first.text() + " below " + name.text() + ", indented further");
    return refused(mapping.entries().get(i).value(), path);
  }

  /** The position of a default is that of the section that lacks the key. */
  private Checked<?> absent(Key<?> key, Node.Mapping parent, String path) {
    if (key.kind() == Key.Kind.REQUIRED) {
      problems.add(parent, path, "nothing", key.type().expected());
    }
    Optional<?> value = Optional.empty();
    String shown = "nothing";
    if (key.defaultYaml().isPresent()) {
      shown = key.defaultYaml().get().get();
      Node node = YamlReader.read(shown, problems).orElseThrow();
      value = check(node, key.type(), path).value();
      shown += ", the default";
    } else if (key.kind() == Key.Kind.OPTIONAL && Shapes.section(key.type()).isPresent()) {
      Type.Section section = Shapes.section(key.type()).get();
      if (section.keys().stream().noneMatch(k -> k.kind() == Key.Kind.REQUIRED)) {
        Node.Mapping empty = new Node.Mapping(parent.line(), parent.column(), List.of());
        value = Optional.of(section(empty, section, path));
      }
    }
    return new Checked<>(path, parent.line(), parent.column(), false, shown, value);
  }

  private <T> Map<String, Checked<T>> named(
      Node.Mapping mapping, Type.Named<T> named, String path) {
    Map<String, Checked<T>> values = new LinkedHashMap<>();
    if (mapping.entries().isEmpty()) {
      problems.add(mapping, path, "nothing", "at least one " + named.what());
    }
    for (int i = 0; i < mapping.entries().size(); i++) {
      Node.Entry entry = mapping.entries().get(i);
      String name = entry.key().text();
      int outdented = Shapes.outdented(mapping, i, named.each(), other -> false);
      if (outdented > 0) {
        values.put(name, outdented(mapping, i, join(path, name)));
        i += outdented;
      } else if (NAME.matcher(name).matches()) {
        values.put(name, check(entry.value(), named.each(), join(path, name)));
      } else {
        problems.add(
            entry.key(),
            path,
            "the name " + entry.key().describe(),
            "up to 64 letters, digits, _, - and ., the first a letter or digit");
      }
    }
    return values;
  }

  private <K, V> List<Type.Pair<K, V>> pairs(
      Node.Mapping mapping, Type.Pairs<K, V> type, String path) {
    if (mapping.entries().isEmpty()) {
      problems.add(mapping, path, "nothing", "at least one pair of " + type.what());
    }
    List<Type.Pair<K, V>> pairs = new ArrayList<>();
    for (Node.Entry entry : mapping.entries()) {
      Node.Scalar text = entry.key();
      Optional<K> name = Optional.ofNullable(type.key().parser().apply(text.text()));
      if (name.isEmpty()) {
        problems.add(text, path, text.describe(), type.key().expected());
      }
      String at = join(path, text.text());
      pairs.add(
          new Type.Pair<>(
              new Checked<>(at, text.line(), text.column(), true, text.describe(), name),
              check(entry.value(), type.value(), at)));
    }
    return pairs;
  }

  private <T> List<Checked<T>> items(Node.Sequence sequence, Type.Items<T> type, String path) {
    if (sequence.items().isEmpty() && !type.mayBeEmpty()) {
      problems.add(sequence, path, "an empty list", "at least one " + type.what());
    }
    List<Checked<T>> items = new ArrayList<>();
    for (int i = 0; i < sequence.items().size(); i++) {
      items.add(check(sequence.items().get(i), type.each(), path + "[" + i + "]"));
    }
    return items;
  }

  private <T> Checked<T> scalar(Node.Scalar node, Type.Scalar<T> type, String path) {
    Optional<String> text = references.resolve(node, path);
    if (text.isEmpty()) {
      return refused(node, path);
    }
    boolean replaced = references.written().containsKey(path);
    boolean kindFits = replaced || (type.number() ? !node.quoted() : node.isString());
    Optional<T> value =
        kindFits ? Optional.ofNullable(type.parser().apply(text.get())) : Optional.empty();
    // A value from elsewhere may be a secret: problems show its reference.
    String shown = replaced ? "the value of " + node.describe() : node.describe();
    if (value.isEmpty()) {
      boolean quotes = !kindFits && !type.number() && type.parser().apply(text.get()) != null;
      String question = quotes || replaced ? "" : Shapes.hint(text.get(), type);
      String expected = type.expected() + question;
      problems.add(node, path, shown, quotes ? expected + " (a string: in quotes)" : expected);
    }
    return new Checked<>(path, node.line(), node.column(), true, shown, value);
  }
}
