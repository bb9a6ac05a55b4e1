package sluice.gateway.top;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Metrics in Prometheus' text format 0.0.4 at one moment. */
final class Scrape {
  private static final Pattern SAMPLE =
      Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)\\})? (\\S+)");
  private static final Pattern LABEL =
      Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\]|\\\\.)*)\"");

  private final Map<String, List<Sample>> samples = new HashMap<>();
  private final long nanos;

  private record Sample(Map<String, String> labels, double value) {
    boolean has(Map<String, String> wanted) {
      return wanted.entrySet().stream().allMatch(l -> l.getValue().equals(labels.get(l.getKey())));
    }
  }

  /**
   * Parses text; lines that are no samples are ignored.
   *
   * @param nanos its time, in {@link System#nanoTime}'s nanoseconds
   */
  Scrape(String text, long nanos) {
    this.nanos = nanos;
    text.lines()
        .map(SAMPLE::matcher)
        .filter(Matcher::matches)
        .forEach(
            line ->
                samples
                    .computeIfAbsent(line.group(1), name -> new ArrayList<>())
                    .add(new Sample(labels(line.group(2)), value(line.group(3)))));
  }

  private static Map<String, String> labels(@Nullable String text) {
    Map<String, String> labels = new HashMap<>();
    Matcher label = LABEL.matcher(text == null ? "" : text);
    while (label.find()) {
      labels.put(label.group(1), label.group(2).replaceAll("\\\\(.)", "$1"));
    }
    return labels;
  }

  private static double value(String written) {
    return switch (written) {
      case "+Inf" -> Double.POSITIVE_INFINITY;
      case "-Inf" -> Double.NEGATIVE_INFINITY;
      default -> Double.parseDouble(written);
    };
  }

  private Stream<Sample> of(String metric, Map<String, String> labels) {
    return samples.getOrDefault(metric, List.of()).stream().filter(sample -> sample.has(labels));
  }

  /** The sum of all samples with these labels; NaN if there are none. */
  double sum(String metric, Map<String, String> labels) {
    return of(metric, labels).map(Sample::value).reduce(Double::sum).orElse(Double.NaN);
  }

  /** The largest of all samples with these labels; NaN if there are none. */
  double max(String metric, Map<String, String> labels) {
    return of(metric, labels).map(Sample::value).reduce(Math::max).orElse(Double.NaN);
  }

  /** The growth of a counter since an earlier scrape, per second; NaN if it is absent. */
  double rate(String metric, Map<String, String> labels, Scrape earlier) {
    double before = earlier.sum(metric, labels);
    double grown = sum(metric, labels) - (Double.isNaN(before) ? 0 : before);
    return Math.max(0, grown) / ((nanos - earlier.nanos) / 1e9);
  }

  /** The values of a metric's label. */
  NavigableSet<String> values(String metric, String label) {
    NavigableSet<String> values = new TreeSet<>();
    of(metric, Map.of()).map(sample -> sample.labels().get(label)).forEach(values::add);
    return values;
  }
}
