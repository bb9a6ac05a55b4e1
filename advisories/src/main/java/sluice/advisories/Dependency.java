package sluice.advisories;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One jar that is shipped: Maven's {@code group:artifact}, and its version. */
record Dependency(String name, String version) {
  /** group:artifact:type[:classifier]:version:scope, and perhaps a remark of the plugin's. */
  private static final Pattern LINE =
      Pattern.compile(
          "\\s*([^:\\s]+:[^:\\s]+):[^:\\s]+:(?:[^:\\s]+:)?([^:\\s]+):(?:compile|runtime)(?:\\s.*)?");

  /**
   * Reads what {@code dependency:list} wrote; our own modules are left out, and what differs by
   * classifier only is one.
   *
   * @throws IOException if a line is not understood: a part that is not read would not be checked
   */
  static List<Dependency> read(Path list) throws IOException {
    List<String> lines =
        Files.readAllLines(list).stream()
            .filter(
                line ->
                    !line.isBlank() && !line.startsWith("The following files have been resolved:"))
            .toList();
    for (String line : lines) {
      if (!LINE.matcher(line).matches()) {
        throw new IOException(
            list + ": found '" + line.strip() + "', expected group:artifact:type:version:scope");
      }
    }
    return lines.stream()
        .map(LINE::matcher)
        .filter(Matcher::matches)
        .map(line -> new Dependency(line.group(1), line.group(2)))
        .filter(dependency -> !dependency.name().startsWith("sluice:"))
        .distinct()
        .sorted(Comparator.comparing(Dependency::name))
        .toList();
  }

  @Override
  public String toString() {
    return name + " " + version;
  }
}
