package sluice.config.problems;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Collector of the problems in one file. */
public final class Problems {
  /** The path of a problem that concerns the whole file. */
  public static final String DOCUMENT = "document";

  private final String file;
  private final List<Problem> found = new ArrayList<>();
  private final List<Problem> warnings = new ArrayList<>();

  /**
   * @param file its name in problems
   */
  public Problems(String file) {
    this.file = file;
  }

  /** Notes what was found at a place, and what was expected; each problem once. */
  public void add(int line, int column, String path, String what, String expected) {
    Problem problem =
        new Problem(file, line, column, path.isEmpty() ? DOCUMENT : path, what, expected);
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
    warnings.add(new Problem(file, at.line(), at.column(), path, what, expected));
  }

  /** The warnings in the order of the file. */
  public List<Problem> warnings() {
    return inOrder(warnings);
  }

  /** Whether there are no problems; there may be warnings. */
  public boolean isEmpty() {
    return found.isEmpty();
  }

  /** The problems in the order of the file. */
  public List<Problem> inOrder() {
    return inOrder(found);
  }

  private static List<Problem> inOrder(List<Problem> problems) {
    return problems.stream()
        .sorted(Comparator.comparingInt(Problem::line).thenComparingInt(Problem::column))
        .toList();
  }
}
