package sluice.gateway.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * docs/reference/metrics.md has a row for each metric of ours, made of what a scrape says of it.
 */
class MetricsPageTest {
  private static final Path PAGE = Path.of("..", "docs", "reference", "metrics.md");
  private static final Path SOURCES =
      Path.of("src", "main", "java", "sluice", "gateway", "metrics");
  private static final Pattern NAME = Pattern.compile("\"(sluice_[a-z_]+[a-z])\"");
  private static final Pattern LABEL = Pattern.compile("([a-z_]+)=\"");

  /** Metrics of a gateway to which everything has happened once. */
  static String scrape() {
    GatewayMetrics metrics = new GatewayMetrics();
    EveryMetric.count(metrics);
    String text = metrics.scrape();
    metrics.close();
    return text;
  }

  private static List<String> rows(String exposition) {
    NavigableMap<String, String> rows = new TreeMap<>();
    String help = "";
    String name = "";
    String type = "";
    Set<String> labels = new TreeSet<>();
    for (String line : (exposition + "# HELP end \n").lines().toList()) {
      if (line.startsWith("# HELP ")) {
        if (name.startsWith("sluice_")) {
          rows.put(name, row(name, type, labels, help));
        }
        help = line.substring(line.indexOf(' ', 7) + 1);
        labels = new TreeSet<>();
      } else if (line.startsWith("# TYPE ")) {
        name = line.split(" ")[2];
        type = line.split(" ")[3];
      } else {
        Matcher label = LABEL.matcher(line);
        while (label.find()) {
          labels.add(label.group(1));
        }
      }
    }
    return new ArrayList<>(rows.values());
  }

  private static String row(String name, String type, Set<String> labels, String help) {
    String shown =
        String.join(
            ", ", labels.stream().filter(l -> !l.equals("le")).map(l -> "`" + l + "`").toList());
    return "| `" + name + "` | " + type + " | " + shown + " | " + help + " |";
  }

  @Test
  void shouldHaveARowForEveryMetricAndNoOther() throws Exception {
    assertThat(Files.readAllLines(PAGE))
        .filteredOn(line -> line.startsWith("| `"))
        .isEqualTo(rows(scrape()));
  }

  /** What appears with its first event only would be missed above. */
  @Test
  void shouldKnowEveryMetricThatTheSourcesName() throws Exception {
    String exposition = scrape();
    try (Stream<Path> files = Files.list(SOURCES)) {
      assertThat(
              files
                  .filter(Files::isRegularFile)
                  .map(MetricsPageTest::read)
                  .flatMap(source -> NAME.matcher(source).results().map(r -> r.group(1))))
          .hasSizeGreaterThan(20)
          .allSatisfy(name -> assertThat(exposition).contains("# TYPE " + name));
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
