package sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import sluice.config.Loader;

/** The project's documents: their links lead somewhere, and their configurations are valid. */
class DocumentsTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern LINK = Pattern.compile("(?<!!)\\[[^]]*]\\(([^)\\s]+)\\)");
  private static final Pattern CODE = Pattern.compile("(?s)```.*?```|`[^`\\n]*`");
  private static final Pattern YAML = Pattern.compile("(?s)```yaml\\n(.*?)```");
  private static final Pattern CONFIGURATION = Pattern.compile("(?m)^(listeners|routes|pools):");
  private static final Pattern ROUTE = Pattern.compile("route: (\\w+)");
  private static final Pattern POOL = Pattern.compile("(?m)^pools:\\n  (\\w+):");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ +(.*)$");

  static List<Path> documents() throws IOException {
    try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"));
        Stream<Path> others =
            Stream.of(".", "codecs", "examples", "k8s", "perf")
                .map(ROOT::resolve)
                .flatMap(DocumentsTest::markdown)) {
      return Stream.concat(docs.filter(DocumentsTest::isMarkdown), others).sorted().toList();
    }
  }

  static List<Path> guides() throws IOException {
    try (Stream<Path> guides = Files.list(ROOT.resolve("docs/how-to"))) {
      return guides.sorted().toList();
    }
  }

  private static Stream<Path> markdown(Path path) {
    if (!Files.isDirectory(path)) {
      return Stream.of(path);
    }
    try (Stream<Path> files = Files.list(path)) {
      return files.filter(DocumentsTest::isMarkdown).toList().stream();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean isMarkdown(Path path) {
    return path.toString().endsWith(".md");
  }

  /** The anchors of a document, as GitHub makes them of its headings. */
  private static Set<String> anchors(Path document) throws IOException {
    String text = CODE.matcher(Files.readString(document)).replaceAll(DocumentsTest::inline);
    return HEADING
        .matcher(text)
        .results()
        .map(heading -> heading.group(1).replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1"))
        .map(heading -> heading.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N} _-]", ""))
        .map(heading -> heading.strip().replace(' ', '-'))
        .collect(Collectors.toSet());
  }

  private static String inline(java.util.regex.MatchResult code) {
    boolean block = code.group().startsWith("```");
    return Matcher.quoteReplacement(block ? "" : code.group().replace("`", ""));
  }

  @ParameterizedTest
  @MethodSource("documents")
  void shouldHaveLinksThatLeadSomewhere(Path document) throws IOException {
    List<String> broken = new ArrayList<>();
    String text = CODE.matcher(Files.readString(document)).replaceAll("");
    for (String link : LINK.matcher(text).results().map(match -> match.group(1)).toList()) {
      if (link.startsWith("http") || link.startsWith("mailto:")) {
        continue;
      }
      URI target = URI.create(link);
      Path file =
          target.getPath().isEmpty()
              ? document
              : document.resolveSibling(target.getPath()).normalize();
      boolean found =
          Files.exists(file)
              && (target.getFragment() == null
                  || !isMarkdown(file)
                  || anchors(file).contains(target.getFragment()));
      if (!found) {
        broken.add(link);
      }
    }
    assertThat(broken).isEmpty();
  }

  @Test
  void shouldListEveryDecision() throws IOException {
    Path directory = ROOT.resolve("docs/adr");
    String index = Files.readString(directory.resolve("README.md"));
    try (Stream<Path> decisions = Files.list(directory)) {
      for (Path decision : decisions.filter(file -> !file.endsWith("README.md")).toList()) {
        String title = Files.readAllLines(decision).get(0).replaceFirst("# (\\d+): ", "");
        assertThat(index).contains("](" + decision.getFileName() + ") | " + title + " |");
      }
    }
  }

  private static String first(Pattern name, String yaml, String otherwise) {
    Matcher matcher = name.matcher(yaml);
    return matcher.find() ? matcher.group(1) : otherwise;
  }

  @ParameterizedTest
  @MethodSource("guides")
  void shouldShowConfigurationsThatAreValid(Path guide) throws IOException {
    for (String yaml :
        YAML.matcher(Files.readString(guide)).results().map(match -> match.group(1)).toList()) {
      if (!CONFIGURATION.matcher(yaml).find()) {
        continue; // of something else, such as a plan of a load job
      }
      String whole = yaml;
      if (!yaml.contains("listeners:")) {
        whole += "listeners: {cache: {route: cache}}\n";
      }
      if (!yaml.contains("routes:")) {
        String route = first(ROUTE, yaml, "cache");
        whole += "routes: {" + route + ": [{pool: " + first(POOL, yaml, "cache") + "}]}\n";
      }
      if (!yaml.contains("pools:\n")) {
        whole += "pools: {";
        for (String name : List.of("cache", "main", "sessions", "gutter", "east", "west")) {
          whole += name + ": {servers: [" + name + ":11211]}, ";
        }
        whole += "}\n";
      }
      assertThat(Loader.parse("guide", whole).problems())
          .as(whole)
          // fragments leave out files, and the listener before a route
          .filteredOn(problem -> !problem.toString().matches(".*(no such file|tls.clientCa too).*"))
          .isEmpty();
    }
  }
}
