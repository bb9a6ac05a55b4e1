package sluice.config.problems;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Collects what is wrong with one file. */
public final class Problems {
  /** The path of a problem with the file as a whole. */
  public static final String DOCUMENT = "document";

  private final String file;
  private final List<Problem> found = new ArrayList<>();
  private final List<Problem> warnings = new ArrayList<>();

  /**
   * @param file as problems name it
   */
  public Problems(String file) {
    this.file = file;
  }

  /** Notes what stands at a place, and what could; each problem once. */
  public void add(int line, int column, String path, String what, String expected) {
    Problem problem =
        new Problem(file, line, column, path.isEmpty() ? DOCUMENT : path, what, expected);
    if (!found.contains(problem)) {
      found.add(problem);
    }
  }

  /** The same, of something that knows its place. */
  public void add(Place at, String path, String what, String expected) {
    add(at.line(), at.column(), path, what, expected);
  }

  /** What is no problem as such, and may well become one. */
  public void warn(Place at, String path, String what, String expected) {
    warnings.add(new Problem(file, at.line(), at.column(), path, what, expected));
  }

  /** In the order of the file. */
  public List<Problem> warnings() {
    return inOrder(warnings);
  }

  /** Whether nothing is wrong; there may be warnings. */
  public boolean isEmpty() {
    return found.isEmpty();
  }

  /** In the order of the file. */
  public List<Problem> inOrder() {
    return inOrder(found);
  }

  private static List<Problem> inOrder(List<Problem> problems) {
    return problems.stream()
        .sorted(Comparator.comparingInt(Problem::line).thenComparingInt(Problem::column))
        .toList();
  }
}
