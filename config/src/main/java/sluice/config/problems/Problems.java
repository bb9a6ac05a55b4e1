package sluice.config.problems;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Collector of the problems in one file and the files that it includes. A place is one number for
 * file and line: each file has lines of its own, from its {@linkplain #include first} on.
 */
public final class Problems {
  /** More lines than a file can have. */
  private static final int LINES = 1 << 21;

  /** The path of a problem that concerns the whole file. */
  public static final String DOCUMENT = "document";

  private final List<String> files = new ArrayList<>();
  private final List<Problem> found = new ArrayList<>();
  private final List<Problem> warnings = new ArrayList<>();

  /**
   * @param file its name in problems
   */
  public Problems(String file) {
    files.add(file);
  }

  /** Adds an included file; returns what to add to the numbers of its lines. */
  public int include(String file) {
    files.add(file);
    return (files.size() - 1) * LINES;
  }

  /** Name and line of a place, as in {@code pools.yaml:3}. */
  public String nameOf(Place at) {
    return files.get(at.line() / LINES) + ":" + at.line() % LINES;
  }

  private Problem problem(int line, int column, String path, String what, String expected) {
    return new Problem(files.get(line / LINES), line % LINES, column, path, what, expected);
  }

  /** Notes what was found at a place, and what was expected; each problem once. */
  public void add(int line, int column, String path, String what, String expected) {
    Problem problem = problem(line, column, path.isEmpty() ? DOCUMENT : path, what, expected);
    if (!found.contains(problem)) {
      found.add(problem);
    }
  }

  /** The same, for an object that knows its place. */
  public void add(Place at, String path, String what, String expected) {
    add(at.line(), at.column(), path, what, expected);
  }

  /** Notes a warning: a valid setting that may well cause a problem. */
  public void warn(Place at, String path, String what, String expected) {
    warnings.add(problem(at.line(), at.column(), path, what, expected));
  }

  /** The warnings in the order of the files and their lines. */
  public List<Problem> warnings() {
    return inOrder(warnings);
  }

  /** Number of problems. */
  public int count() {
    return found.size();
  }

  /** Whether there are no problems; there may be warnings. */
  public boolean isEmpty() {
    return found.isEmpty();
  }

  /** The problems in the order of the files and their lines. */
  public List<Problem> inOrder() {
    return inOrder(found);
  }

  private List<Problem> inOrder(List<Problem> problems) {
    return problems.stream()
        .sorted(
            Comparator.<Problem>comparingInt(problem -> files.indexOf(problem.file()))
                .thenComparingInt(Problem::line)
                .thenComparingInt(Problem::column))
        .toList();
  }
}
