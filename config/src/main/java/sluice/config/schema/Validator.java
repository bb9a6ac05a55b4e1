package sluice.config.schema;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import sluice.config.problems.Nearest;
import sluice.config.problems.Problems;
import sluice.config.schema.Checked.Fields;
import sluice.config.yaml.Node;
import sluice.config.yaml.References;
import sluice.config.yaml.YamlReader;

/** Holds a tree of nodes against the table of keys. */
public final class Validator {
  private static final Pattern NAME = Pattern.compile(Type.Named.NAME);
  private static final int SHOWN_KEYS = 12;

  private final Problems problems;
  private final References references;

  /**
   * @param problems gets what is wrong
   * @param references replaces those in scalars
   */
  public Validator(Problems problems, References references) {
    this.problems = problems;
    this.references = references;
  }

  /** The node held against the type; what is wrong with it has no value. */
  public Checked check(Node node, Type type, String path) {
    if (type instanceof Type.Section section && node instanceof Node.Mapping mapping) {
      return checked(node, path, section(mapping, section, path));
    }
    if (type instanceof Type.Brief section) {
      return shorthand(node, section, path);
    }
    if (type instanceof Type.Named named && node instanceof Node.Mapping mapping) {
      return checked(node, path, named(mapping, named, path));
    }
    if (type instanceof Type.Pairs pairs && node instanceof Node.Mapping mapping) {
      return checked(node, path, pairs(mapping, pairs, path));
    }
    if (type instanceof Type.Items items && node instanceof Node.Sequence sequence) {
      return checked(node, path, items(sequence, items, path));
    }
    if (type instanceof Type.Scalar scalar && node instanceof Node.Scalar text) {
      return scalar(text, scalar, path);
    }
    return refuse(node, path, type.expected());
  }

  private Checked shorthand(Node node, Type.Brief type, String path) {
    if (node instanceof Node.Mapping) {
      return check(node, type.section(), path);
    }
    Checked alone = check(node, type.alone(), path);
    if (alone.value().isEmpty()) {
      return alone;
    }
    Node.Mapping empty = new Node.Mapping(node.line(), node.column(), List.of());
    Map<String, Checked> fields = new LinkedHashMap<>();
    type.section().keys().stream()
        .filter(key -> !key.name().equals(type.key()))
        .forEach(key -> fields.put(key.name(), absent(key, empty, join(path, key.name()))));
    fields.put(type.key(), alone);
    return checked(node, path, new Fields(fields));
  }

  private static Checked checked(Node node, String path, Object value) {
    return new Checked(path, node.line(), node.column(), true, node.describe(), Optional.of(value));
  }

  private Checked refuse(Node node, String path, String expected) {
    problems.add(node, path, node.describe(), expected);
    return refused(node, path);
  }

  private static Checked refused(Node node, String path) {
    return new Checked(path, node.line(), node.column(), true, node.describe(), Optional.empty());
  }

  private static String join(String path, String key) {
    return path.isEmpty() ? key : path + "." + key;
  }

  private Fields section(Node.Mapping mapping, Type.Section section, String path) {
    Map<String, Checked> fields = new LinkedHashMap<>();
    for (Node.Entry entry : mapping.entries()) {
      String name = entry.key().text();
      String at = join(path, name);
      Optional<Key> key = section.key(name);
      if (key.isEmpty()) {
        Set<String> known =
            section.keys().stream()
                .map(Key::name)
                .collect(Collectors.toCollection(LinkedHashSet::new));
        Optional<String> nearest =
            Nearest.to(name, section.keys().stream().map(Key::name).toList());
        String expected = known.size() <= SHOWN_KEYS ? String.join(", ", known) : "a known key";
        problems.add(
            entry.key(),
            join(path, entry.key().describe()),
            "an unknown key",
            expected + suggestion(nearest));
        // Remembered as refused: a match with a misspelt key is not one that takes everything.
        fields.put(name, refused(entry.value(), at));
      } else {
        fields.put(name, check(entry.value(), key.get().type(), at));
      }
    }
    section.keys().stream()
        .filter(k -> !fields.containsKey(k.name()))
        .forEach(k -> fields.put(k.name(), absent(k, mapping, join(path, k.name()))));
    return new Fields(fields);
  }

  /** A default has the place of the section that it is missing from. */
  private Checked absent(Key key, Node.Mapping parent, String path) {
    if (key.kind() == Key.Kind.REQUIRED) {
      problems.add(parent, path, "nothing", key.type().expected());
    }
    Optional<Object> value = Optional.empty();
    String shown = "nothing";
    if (key.defaultYaml().isPresent()) {
      shown = key.defaultYaml().get().get();
      Node node = YamlReader.read(shown, problems).orElseThrow();
      value = check(node, key.type(), path).value();
      shown += ", the default";
    } else if (key.kind() == Key.Kind.OPTIONAL && section(key.type()).isPresent()) {
      Type.Section section = section(key.type()).get();
      if (section.keys().stream().noneMatch(k -> k.kind() == Key.Kind.REQUIRED)) {
        Node.Mapping empty = new Node.Mapping(parent.line(), parent.column(), List.of());
        value = Optional.of(section(empty, section, path));
      }
    }
    return new Checked(path, parent.line(), parent.column(), false, shown, value);
  }

  private static Optional<Type.Section> section(Type type) {
    if (type instanceof Type.Brief either) {
      return Optional.of(either.section());
    }
    return type instanceof Type.Section section ? Optional.of(section) : Optional.empty();
  }

  private Map<String, Checked> named(Node.Mapping mapping, Type.Named named, String path) {
    Map<String, Checked> values = new LinkedHashMap<>();
    if (mapping.entries().isEmpty()) {
      problems.add(mapping, path, "nothing", "at least one " + named.what());
    }
    for (Node.Entry entry : mapping.entries()) {
      String name = entry.key().text();
      if (NAME.matcher(name).matches()) {
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

  private List<Checked> pairs(Node.Mapping mapping, Type.Pairs type, String path) {
    if (mapping.entries().isEmpty()) {
      problems.add(mapping, path, "nothing", "at least one pair of " + type.what());
    }
    List<Checked> pairs = new ArrayList<>();
    for (Node.Entry entry : mapping.entries()) {
      Node.Scalar text = entry.key();
      Optional<Object> name = Optional.ofNullable(type.key().parser().apply(text.text()));
      if (name.isEmpty()) {
        problems.add(text, path, text.describe(), type.key().expected());
      }
      String at = join(path, text.describe());
      Checked key = new Checked(at, text.line(), text.column(), true, text.describe(), name);
      Checked value = check(entry.value(), type.value(), at);
      pairs.add(checked(text, at, new Fields(Map.of("key", key, "value", value))));
    }
    return pairs;
  }

  private List<Checked> items(Node.Sequence sequence, Type.Items type, String path) {
    if (sequence.items().isEmpty() && !type.mayBeEmpty()) {
      problems.add(sequence, path, "an empty list", "at least one " + type.what());
    }
    List<Checked> items = new ArrayList<>();
    for (int i = 0; i < sequence.items().size(); i++) {
      items.add(check(sequence.items().get(i), type.each(), path + "[" + i + "]"));
    }
    return items;
  }

  private Checked scalar(Node.Scalar node, Type.Scalar type, String path) {
    Optional<String> text = references.resolve(node, path);
    if (text.isEmpty()) {
      return refused(node, path);
    }
    boolean replaced = references.written().containsKey(path);
    boolean kindFits = replaced || (type.number() ? !node.quoted() : node.isString());
    Optional<Object> value =
        kindFits ? Optional.ofNullable(type.parser().apply(text.get())) : Optional.empty();
    // What came from elsewhere may be a secret: it is called by its reference.
    String shown = replaced ? "the value of " + node.describe() : node.describe();
    if (value.isEmpty()) {
      Optional<String> nearest =
          type.schema().get("enum") instanceof List<?> choices && !replaced
              ? Nearest.to(text.get(), choices.stream().map(Object::toString).toList())
              : Optional.empty();
      String expected = type.expected() + suggestion(nearest);
      boolean quotes = !kindFits && !type.number() && type.parser().apply(text.get()) != null;
      problems.add(node, path, shown, quotes ? expected + " (a string: in quotes)" : expected);
    }
    return new Checked(path, node.line(), node.column(), true, shown, value);
  }

  private static String suggestion(Optional<String> nearest) {
    return nearest.map(n -> " (did you mean " + n + "?)").orElse("");
  }
}
