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
 * Other proxies' configuration files in, one of Sluice's out, and what of theirs it does not say.
 *
 * @param configuration the file, which {@code check} takes; empty if there is none to be had
 * @param remarks for people, in the order of the file: what has no equivalent, as {@code
 *     FILE:line:column: path: what}, or why there is no configuration
 */
public record Import(Optional<String> configuration, List<String> remarks) {
  /** Other proxies leave it to the servers how large items may be: as much as a file may say. */
  static final String ITEM_SIZE = "1GiB";

  /** Takes a copy of the remarks. */
  public Import {
    remarks = List.copyOf(remarks);
  }

  /** The file of a twemproxy, 0.5.0: its pools, each a listener, a route and a pool here. */
  public static Import twemproxy(Path file) {
    return of(
        file, text -> text, (root, remarks) -> new TwemproxyImport(remarks).configuration(root));
  }

  /** The file of an mcrouter: its pools and routes behind one listener. */
  public static Import mcrouter(Path file) {
    return of(
        file,
        JsonComments::blank,
        (root, remarks) -> new McrouterImport(remarks).configuration(root));
  }

  /** Reads a tree into a configuration; empty, and a remark, if it holds none. */
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
          Optional.empty(), problems.inOrder().stream().map(Problem::toString).toList());
    }
    Optional<String> written =
        reading.read((Node.Mapping) root.orElseThrow(), remarks).map(Yaml::write);
    List<String> told = new ArrayList<>(remarks.inOrder());
    // Whatever the other proxy allows: what check refuses is not written.
    List<Problem> refused =
        written.map(text -> Loader.parse("configuration", text).problems()).orElse(List.of());
    refused.forEach(problem -> told.add("what would be written is refused: " + problem));
    return new Import(written.filter(text -> refused.isEmpty()), told);
  }
}
