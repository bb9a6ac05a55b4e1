package sluice.config.importing;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import sluice.config.yaml.Node;

/** Collector of settings in an imported file that have no equivalent. */
final class Remarks {
  private record Remark(int line, int column, String text) {}

  private final String file;
  private final List<Remark> remarks = new ArrayList<>();
  private boolean keysMove;

  Remarks(String file) {
    this.file = file;
  }

  void add(Node at, String path, String text) {
    String place = file + ":" + at.line() + ":" + at.column() + ": ";
    Remark remark = new Remark(at.line(), at.column(), place + path + ": " + text);
    if (!remarks.contains(remark)) {
      remarks.add(remark);
    }
  }

  void add(Source at, String text) {
    add(at.node(), at.path(), text);
  }

  /** Remarks on a setting without which keys are on other servers than before. */
  void moves(Source at, String text) {
    keysMove = true;
    add(at, text);
  }

  boolean keysMove() {
    return keysMove;
  }

  List<String> inOrder() {
    return remarks.stream()
        .sorted(Comparator.comparingInt(Remark::line).thenComparingInt(Remark::column))
        .map(Remark::text)
        .toList();
  }
}
