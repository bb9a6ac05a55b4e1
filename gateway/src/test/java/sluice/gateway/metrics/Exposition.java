package sluice.gateway.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Prometheus' text format 0.0.4, read strictly: every sample under its own TYPE line, no series
 * twice, histograms cumulative and closed by {@code +Inf}.
 */
final class Exposition {
  private static final Pattern TYPE =
      Pattern.compile(
          "# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram|summary|untyped)");
  private static final Pattern SAMPLE =
      Pattern.compile(
          "([a-zA-Z_:][a-zA-Z0-9_:]*)"
              + "(\\{(?:[a-zA-Z_][a-zA-Z0-9_]*=\"(?:[^\"\\\\\\n]|\\\\[\\\\\"n])*\",?)*\\})?"
              + " (NaN|[+-]Inf|[-+0-9.eE]+)");

  private final Map<String, Double> samples = new LinkedHashMap<>();

  private Exposition() {}

  static Exposition parse(String text) {
    assertThat(text).endsWith("\n");
    Exposition exposition = new Exposition();
    Set<String> families = new HashSet<>();
    String family = "";
    String type = "";
    for (String line : text.lines().toList()) {
      Matcher typeLine = TYPE.matcher(line);
      if (typeLine.matches()) {
        family = typeLine.group(1);
        type = typeLine.group(2);
        assertThat(families.add(family)).as("one TYPE line of %s", family).isTrue();
      } else if (!line.startsWith("# HELP ")) {
        Matcher sample = SAMPLE.matcher(line);
        assertThat(sample.matches()).as("a sample: %s", line).isTrue();
        assertThat(sample.group(1)).matches(Pattern.quote(family) + suffixes(type));
        String series = sample.group(1) + (sample.group(2) == null ? "" : sample.group(2));
        assertThat(exposition.samples.put(series, number(sample.group(3))))
            .as("once: %s", series)
            .isNull();
      }
    }
    exposition.checkHistograms();
    return exposition;
  }

  private static String suffixes(String type) {
    return switch (type) {
      case "histogram" -> "_(bucket|count|sum)";
      case "summary" -> "(_count|_sum)?";
      default -> "";
    };
  }

  private static double number(String text) {
    return switch (text) {
      case "+Inf" -> Double.POSITIVE_INFINITY;
      case "-Inf" -> Double.NEGATIVE_INFINITY;
      default -> Double.parseDouble(text);
    };
  }

  private void checkHistograms() {
    double previous = 0;
    for (Map.Entry<String, Double> sample : samples.entrySet()) {
      if (sample.getKey().contains("_bucket{")) {
        assertThat(sample.getValue()).as(sample.getKey()).isGreaterThanOrEqualTo(previous);
        previous = sample.getValue();
      } else if (sample.getKey().contains("_count")) {
        assertThat(sample.getValue()).as(sample.getKey()).isEqualTo(previous);
        previous = 0;
      }
    }
  }

  /** The value of a series, written as the text format writes it. */
  double value(String series) {
    assertThat(samples).containsKey(series);
    return samples.get(series);
  }

  Set<String> series() {
    return samples.keySet();
  }

  /** All series of one name added up. */
  double sum(String name) {
    return samples.entrySet().stream()
        .filter(sample -> sample.getKey().startsWith(name + "{"))
        .mapToDouble(Map.Entry::getValue)
        .sum();
  }
}
