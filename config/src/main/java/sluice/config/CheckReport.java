package sluice.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import sluice.config.model.Configuration;
import sluice.config.problems.Problem;
import sluice.config.yaml.Json;
import sluice.config.yaml.TextFile;

/**
 * Report on a configuration file for a terminal or for a program.
 *
 * <p>In text form, the affected line follows each problem, with a caret below the column:
 *
 * <pre>
 * two.yaml:4:20: pools.cache.timeout: found 500, expected ...
 *   4 |   cache: {timeout: 500}
 *     |                    ^
 * </pre>
 */
public final class CheckReport {
  /** The largest number of characters shown of a line. */
  private static final int WIDTH = 100;

  private static final String CUT = "...";

  private final LoadResult result;
  private final Path file;
  private final Map<String, List<String>> linesByFile = new HashMap<>();

  private CheckReport(LoadResult result, Path file) {
    this.result = result;
    this.file = file;
  }

  /** A report on the result of loading a file. */
  public static CheckReport of(LoadResult result, Path file) {
    return new CheckReport(result, file);
  }

  /** The lines of a file; none if it cannot be read, which is a problem without a line. */
  private static List<String> lines(String file) {
    try {
      return TextFile.unmarked(Files.readString(Path.of(file))).lines().toList();
    } catch (IOException | InvalidPathException e) {
      return List.of();
    }
  }

  /** Lines of text about every problem; none if the file is valid. */
  public List<String> problems() {
    return result.problems().stream().flatMap(this::text).toList();
  }

  /** Lines of text about every warning. */
  public List<String> warnings() {
    List<String> text = new ArrayList<>();
    for (Problem warning : result.warnings()) {
      text.add("warning: " + warning);
      text.addAll(excerpt(warning));
    }
    return text;
  }

  /** Summary of a valid file, as in {@code ok: 2 listeners, 3 pools}. */
  public String summary() {
    Configuration configuration = result.configuration();
    return "ok: "
        + count(configuration.listeners().size(), "listener")
        + ", "
        + count(configuration.pools().size(), "pool")
        + (result.warnings().isEmpty() ? "" : ", " + count(result.warnings().size(), "warning"));
  }

  /**
   * The report as JSON.
   *
   * @param printed whether it includes the effective configuration of a valid file
   */
  public String json(boolean printed) {
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("file", file.toString());
    report.put("valid", result.isValid());
    report.put("problems", json(result.problems()));
    report.put("warnings", json(result.warnings()));
    if (result.isValid()) {
      report.put("listeners", result.configuration().listeners().size());
      report.put("pools", result.configuration().pools().size());
      if (printed) {
        report.put("configuration", ConfigurationPrinter.tree(result.configuration()));
      }
    }
    return Json.write(report);
  }

  private static List<Map<String, Object>> json(List<Problem> problems) {
    List<Map<String, Object>> all = new ArrayList<>();
    for (Problem problem : problems) {
      Map<String, Object> each = new LinkedHashMap<>();
      each.put("file", problem.file());
      each.put("line", problem.line());
      each.put("column", problem.column());
      each.put("path", problem.path());
      each.put("found", problem.found());
      each.put("expected", problem.expected());
      all.add(each);
    }
    return all;
  }

  private static String count(int number, String what) {
    return number + " " + what + (number == 1 ? "" : "s");
  }

  private Stream<String> text(Problem problem) {
    return Stream.concat(Stream.of(problem.toString()), excerpt(problem).stream());
  }

  private List<String> excerpt(Problem problem) {
    List<String> lines = linesByFile.computeIfAbsent(problem.file(), CheckReport::lines);
    if (problem.line() < 1 || problem.line() > lines.size()) {
      return List.of();
    }
    int[] line = lines.get(problem.line() - 1).codePoints().map(CheckReport::visible).toArray();
    int column = Math.min(Math.max(problem.column() - 1, 0), line.length);
    int from = Math.max(0, Math.min(column - WIDTH / 2, line.length - WIDTH));
    int to = Math.min(line.length, from + WIDTH);
    String before = from > 0 ? CUT : "";
    String number = Integer.toString(problem.line());
    return List.of(
        "  %s | %s%s%s"
            .formatted(
                number, before, new String(line, from, to - from), to < line.length ? CUT : ""),
        "  %s | %s^"
            .formatted(" ".repeat(number.length()), " ".repeat(before.length() + column - from)));
  }

  /** The character, or a replacement of the same width if it would move the caret. */
  private static int visible(int character) {
    return character == '\t' ? ' ' : Character.isISOControl(character) ? '?' : character;
  }
}
