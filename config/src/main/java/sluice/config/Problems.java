package sluice.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Collects what is wrong with one file. */
final class Problems {
  /** The path of a problem with the file as a whole. */
  static final String DOCUMENT = "document";

  private final String file;
  private final List<Problem> found = new ArrayList<>();
  private final List<Problem> warnings = new ArrayList<>();

  Problems(String file) {
    this.file = file;
  }

  void add(int line, int column, String path, String what, String expected) {
    Problem problem =
        new Problem(file, line, column, path.isEmpty() ? DOCUMENT : path, what, expected);
    if (!found.contains(problem)) {
      found.add(problem);
    }
  }

  void add(Place at, String path, String what, String expected) {
    add(at.line(), at.column(), path, what, expected);
  }

  /** What is no problem as such, and may well become one. */
  void warn(Place at, String path, String what, String expected) {
    warnings.add(new Problem(file, at.line(), at.column(), path, what, expected));
  }

  List<Problem> warnings() {
    return inOrder(warnings);
  }

  boolean isEmpty() {
    return found.isEmpty();
  }

  /** In the order of the file. */
  List<Problem> inOrder() {
    return inOrder(found);
  }

  private static List<Problem> inOrder(List<Problem> problems) {
    return problems.stream()
        .sorted(Comparator.comparingInt(Problem::line).thenComparingInt(Problem::column))
        .toList();
  }
}
