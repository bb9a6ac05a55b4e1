package sluice.config.importing;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import sluice.config.Loader;
import sluice.config.problems.Problem;
import sluice.config.problems.Problems;
import sluice.config.yaml.Node;
import sluice.config.yaml.TextFile;
import sluice.config.yaml.Yaml;
import sluice.config.yaml.YamlReader;

/**
 * Result of importing another proxy's configuration file: a configuration for Sluice, and remarks
 * about settings without an equivalent.
 *
 * @param configuration the file, which {@code check} accepts; empty if the import failed
 * @param remarks for people, in the order of the file: settings without an equivalent, as {@code
 *     FILE:line:column: path: what}, or the reason why there is no configuration
 * @param keysMove whether keys would be on other servers than before
 */
public record Import(Optional<String> configuration, List<String> remarks, boolean keysMove) {
  /**
   * Other proxies leave the largest item size to the servers; this is the largest that a
   * configuration may set.
   */
  static final String ITEM_SIZE = "1GiB";

  /** Takes a copy of the remarks. */
  public Import {
    remarks = List.copyOf(remarks);
  }

  /** Imports a twemproxy 0.5.0 file: each of its pools becomes a listener, a route and a pool. */
  public static Import twemproxy(Path file) {
    return of(
        file, text -> text, (root, remarks) -> new TwemproxyImport(remarks).configuration(root));
  }

  /** Imports an mcrouter file: its pools and routes behind one listener. */
  public static Import mcrouter(Path file) {
    return of(
        file,
        JsonComments::blank,
        (root, remarks) -> new McrouterImport(root, remarks).configuration());
  }

  /** Conversion of a tree into a configuration; empty, with a remark, if the tree has none. */
  private interface Reading {
    Optional<Map<String, Object>> read(Node.Mapping root, Remarks remarks);
  }

  private static Import of(
      Path file, java.util.function.UnaryOperator<String> prepare, Reading reading) {
    Problems problems = new Problems(file.toString());
    Optional<Node> root =
        TextFile.read(file, problems)
            .flatMap(text -> YamlReader.read(prepare.apply(text), problems));
    Remarks remarks = new Remarks(file.toString());
    if (problems.isEmpty() && !(root.orElse(null) instanceof Node.Mapping)) {
      problems.add(1, 1, Problems.DOCUMENT, "no mapping", "one at the top");
    }
    if (!problems.isEmpty()) {
      return new Import(
          Optional.empty(), problems.inOrder().stream().map(Problem::toString).toList(), false);
    }
    Optional<String> written =
        reading.read((Node.Mapping) root.orElseThrow(), remarks).map(Yaml::write);
    List<String> told = new ArrayList<>(remarks.inOrder());
    // The other proxy may allow more than check does; settings that check refuses are left out.
    List<Problem> refused =
        written.map(text -> Loader.parse("configuration", text).problems()).orElse(List.of());
    refused.forEach(problem -> told.add("check would refuse the result: " + problem));
    return new Import(written.filter(text -> refused.isEmpty()), told, remarks.keysMove());
  }
}
