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

  void add(Node at, String path, String what, String expected) {
    add(at.line(), at.column(), path, what, expected);
  }

  boolean isEmpty() {
    return found.isEmpty();
  }

  /** In the order of the file. */
  List<Problem> inOrder() {
    return found.stream()
        .sorted(Comparator.comparingInt(Problem::line).thenComparingInt(Problem::column))
        .toList();
  }
}
