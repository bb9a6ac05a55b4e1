package sluice.perf.simulation;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/** Simulations that once had a finding. A file beside this class names them. */
final class Corpus {
  private Corpus() {}

  /** All of them, in the order of the file. */
  static List<Plan> plans() throws IOException {
    try (InputStream in = Corpus.class.getResourceAsStream("corpus.txt");
        BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(
                    Objects.requireNonNull(in, "corpus.txt"), StandardCharsets.UTF_8))) {
      return lines.lines().filter(line -> !line.startsWith("#")).map(Corpus::plan).toList();
    }
  }

  private static Plan plan(String line) {
    String[] fields = line.split(" ", 3);
    if (fields.length < 3) {
      throw new IllegalStateException(
          "corpus.txt: found \"" + line + "\", expected SEED SECONDS TEXT");
    }
    return Plan.of(Long.parseLong(fields[0]), Long.parseLong(fields[1]));
  }
}
