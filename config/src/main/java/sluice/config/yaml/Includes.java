package sluice.config.yaml;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import sluice.config.problems.Problem;
import sluice.config.problems.Problems;

/**
 * Expansion of the files that a configuration includes: their contents become part of the file
 * itself. Listeners, routes and pools may be in several files, each name once. Every other section
 * may be in only one file.
 */
public final class Includes {
  /** The key of the list of files. */
  public static final String KEY = "include";

  private static final Set<String> SEVERAL = Set.of("listeners", "routes", "pools");
  private static final int MOST = 100;

  private final Path directory;
  private final Problems problems;
  private final List<Path> looked;

  /**
   * @param directory that relative paths start from
   * @param looked receives every path that is read
   */
  public Includes(Path directory, Problems problems, List<Path> looked) {
    this.directory = directory;
    this.problems = problems;
    this.looked = looked;
  }

  /** The file with the contents of those that it includes. */
  public Node expand(Node file) {
    if (!(file instanceof Node.Mapping root) || !(value(root, KEY) instanceof Node.Sequence list)) {
      return file; // the table of keys refuses anything but a list
    }
    Map<String, Node.Entry> entries = new LinkedHashMap<>();
    root.entries().forEach(entry -> entries.put(entry.key().text(), entry));
    if (list.items().size() > MOST) {
      problems.add(list, KEY, list.items().size() + " files", "at most " + MOST);
      return file;
    }
    for (int i = 0; i < list.items().size(); i++) {
      if (list.items().get(i) instanceof Node.Scalar name && name.isString()) {
        read(name, KEY + "[" + i + "]").ifPresent(included -> merge(included, entries));
      }
    }
    return new Node.Mapping(root.line(), root.column(), List.copyOf(entries.values()));
  }

  private static Node value(Node.Mapping mapping, String key) {
    return mapping.entries().stream()
        .filter(entry -> entry.key().text().equals(key))
        .map(Node.Entry::value)
        .findFirst()
        .orElse(mapping);
  }

  private Optional<Node.Mapping> read(Node.Scalar name, String path) {
    Path file;
    try {
      file = directory.resolve(name.text());
    } catch (InvalidPathException e) {
      problems.add(name, path, name.describe(), "the path of a file");
      return Optional.empty();
    }
    looked.add(file);
    Problems own = new Problems(file.toString());
    Optional<String> text = TextFile.readRegular(file, own);
    int before = problems.include(file.toString());
    Optional<Node> root = text.flatMap(content -> YamlReader.read(content, own, before));
    for (Problem problem : own.inOrder()) {
      if (problem.line() == 0) {
        problems.add(name, path, name.describe() + ": " + problem.found(), problem.expected());
      } else {
        problems.add(
            before + problem.line(),
            problem.column(),
            problem.path(),
            problem.found(),
            problem.expected());
      }
    }
    if (root.isEmpty()) {
      return Optional.empty();
    }
    if (root.get() instanceof Node.Mapping mapping) {
      return Optional.of(mapping);
    }
    problems.add(root.get(), "", root.get().describe(), "a mapping");
    return Optional.empty();
  }

  private void merge(Node.Mapping included, Map<String, Node.Entry> entries) {
    for (Node.Entry entry : included.entries()) {
      String section = entry.key().text();
      Node.Entry earlier = entries.get(section);
      if (section.equals(KEY)) {
        problems.add(
            entry.key(), KEY, "an include in an included file", "it in the main file alone");
      } else if (earlier == null) {
        entries.put(section, entry);
      } else if (SEVERAL.contains(section)
          && earlier.value() instanceof Node.Mapping first
          && entry.value() instanceof Node.Mapping second) {
        entries.put(section, new Node.Entry(earlier.key(), joined(section, first, second)));
      } else {
        refuse(section, entry, earlier, "every section in one file");
      }
    }
  }

  private Node.Mapping joined(String section, Node.Mapping first, Node.Mapping second) {
    List<Node.Entry> all = new ArrayList<>(first.entries());
    for (Node.Entry entry : second.entries()) {
      Optional<Node.Entry> earlier =
          first.entries().stream()
              .filter(each -> each.key().text().equals(entry.key().text()))
              .findFirst();
      if (earlier.isPresent()) {
        refuse(section + "." + entry.key().text(), entry, earlier.get(), "every name once");
      } else {
        all.add(entry);
      }
    }
    return new Node.Mapping(first.line(), first.column(), all);
  }

  private void refuse(String path, Node.Entry entry, Node.Entry earlier, String expected) {
    problems.add(
        entry.key(),
        path,
        "the key " + entry.key().describe() + " again, as in " + problems.nameOf(earlier.key()),
        expected);
  }
}
