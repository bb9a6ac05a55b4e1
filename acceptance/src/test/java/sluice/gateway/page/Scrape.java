package sluice.gateway.page;

import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.DoubleStream;

/** Prometheus' text, read by other code than the page's. */
final class Scrape {
  private static final Pattern SAMPLE =
      Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)\\})? (\\S+)");
  private static final Pattern LABEL =
      Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\]|\\\\.)*)\"");

  record Sample(String name, Map<String, String> labels, double value) {}

  private final List<Sample> samples = new ArrayList<>();

  Scrape(String text) {
    for (String line : text.lines().filter(l -> !l.isEmpty() && l.charAt(0) != '#').toList()) {
      Matcher sample = SAMPLE.matcher(line);
      if (!sample.matches()) {
        throw new IllegalArgumentException("not a sample: " + line);
      }
      Map<String, String> labels = new TreeMap<>();
      Matcher label = LABEL.matcher(sample.group(2) == null ? "" : sample.group(2));
      while (label.find()) {
        labels.put(label.group(1), label.group(2).replace("\\\"", "\"").replace("\\\\", "\\"));
      }
      String value = sample.group(3).replace("+Inf", "Infinity").replace("-Inf", "-Infinity");
      samples.add(new Sample(sample.group(1), labels, Double.parseDouble(value)));
    }
  }

  List<Sample> samples() {
    return samples;
  }

  private DoubleStream values(String metric, JsonObject labels) {
    return samples.stream()
        .filter(s -> s.name().equals(metric))
        .filter(s -> labels.stream().allMatch(l -> l.getValue().equals(s.labels().get(l.getKey()))))
        .mapToDouble(Sample::value);
  }

  /** NaN where there is none. */
  double sum(String metric, JsonObject labels) {
    return values(metric, labels).reduce(Double::sum).orElse(Double.NaN);
  }

  /** NaN where there is none. */
  double max(String metric, JsonObject labels) {
    return values(metric, labels).max().orElse(Double.NaN);
  }
}
