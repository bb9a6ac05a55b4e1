package sluice.config.importing;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import sluice.config.yaml.Node;

/**
 * Part of an imported file.
 *
 * @param path as in {@code pools.a.servers[0]}
 */
record Source(Node node, String path) {
  /** The entries of a mapping by their keys; empty for anything else. */
  Map<String, Source> entries() {
    Map<String, Source> entries = new LinkedHashMap<>();
    if (node instanceof Node.Mapping mapping) {
      for (Node.Entry entry : mapping.entries()) {
        String key = entry.key().text();
        entries.put(key, new Source(entry.value(), path.isEmpty() ? key : path + "." + key));
      }
    }
    return entries;
  }

  Optional<Source> get(String key) {
    return Optional.ofNullable(entries().get(key));
  }

  /** The elements of a list; empty for anything else. */
  List<Source> items() {
    List<Source> items = new ArrayList<>();
    if (node instanceof Node.Sequence sequence) {
      for (Node item : sequence.items()) {
        items.add(new Source(item, path + "[" + items.size() + "]"));
      }
    }
    return items;
  }

  /** A scalar's text; empty for anything else, and for null. */
  Optional<String> text() {
    return node instanceof Node.Scalar scalar && !scalar.isNull()
        ? Optional.of(scalar.text())
        : Optional.empty();
  }

  /** A whole number of up to 15 digits. */
  Optional<Long> number() {
    return text().filter(t -> t.matches("-?[0-9]{1,15}")).map(Long::parseLong);
  }

  boolean isTrue() {
    return text().filter("true"::equals).isPresent();
  }

  String shown() {
    return node.describe();
  }
}
