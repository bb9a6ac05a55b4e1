package sluice.gateway.top;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;

/**
 * Table that fits a width. Columns of text give way first, down to a few characters; the last one
 * has what the others leave.
 */
final class Table {
  private static final AttributedStyle TITLE = AttributedStyle.DEFAULT.bold();
  private static final AttributedStyle ALARM =
      AttributedStyle.DEFAULT.foreground(AttributedStyle.RED);
  private static final int GAP = 2;
  private static final int LEAST_TEXT = 8;
  private static final int LEAST_REST = 6;

  /** For as many characters of the last column, the others give way, down to as many each. */
  private static final int SOME_REST = 16;

  private static final int SHORT_TEXT = 16;

  private final String[] titles;
  private final int texts;
  private final boolean rest;
  private final List<String[]> rows = new ArrayList<>();

  /**
   * @param texts how many columns at the left are text
   * @param rest whether the last column is text that may be cut or left out
   */
  Table(int texts, boolean rest, String... titles) {
    this.texts = texts;
    this.rest = rest;
    this.titles = titles;
  }

  /** Adds a row. Control characters are removed: they must not reach the terminal. */
  void add(String... cells) {
    String[] row = new String[titles.length];
    Arrays.setAll(row, i -> cells[i] == null ? "" : cells[i].replaceAll("\\p{Cntrl}", ""));
    rows.add(row);
  }

  int size() {
    return rows.size();
  }

  /**
   * The title and some of the rows.
   *
   * @param from the first row shown
   * @param count the most rows shown; if there are more, the last line tells how many
   * @param alarming whether a row is highlighted
   */
  List<AttributedString> lines(
      int width, int from, int count, Cells cells, Predicate<String[]> alarming) {
    int[] widths = widths(width, cells);
    List<AttributedString> lines = new ArrayList<>();
    lines.add(line(titles, widths, TITLE, cells));
    int to = Math.min(rows.size(), from + count);
    boolean more = count > 0 && to < rows.size();
    for (String[] row : rows.subList(from, more ? to - 1 : to)) {
      lines.add(line(row, widths, alarming.test(row) ? ALARM : AttributedStyle.DEFAULT, cells));
    }
    if (more) {
      lines.add(new AttributedString(rows.size() - to + 1 + " more"));
    }
    return lines;
  }

  private int[] widths(int width, Cells cells) {
    int[] widths = new int[titles.length];
    Arrays.setAll(widths, i -> cells.width(titles[i]));
    for (String[] row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], cells.width(row[i]));
      }
    }
    int fixed = rest ? widths.length - 1 : widths.length;
    shrink(widths, fixed, width, LEAST_TEXT);
    if (rest) {
      int wanted = Math.min(widths[fixed], SOME_REST);
      shrink(widths, fixed, width - GAP - wanted, SHORT_TEXT);
      int left = width - taken(widths, fixed) - GAP;
      widths[fixed] = left < LEAST_REST ? 0 : Math.min(widths[fixed], left);
    }
    return widths;
  }

  /** Narrows the longest columns of text, none below the least; what is still too long is cut. */
  private void shrink(int[] widths, int columns, int width, int least) {
    while (taken(widths, columns) > width) {
      int longest = 0;
      for (int i = 1; i < texts; i++) {
        longest = widths[i] > widths[longest] ? i : longest;
      }
      if (widths[longest] <= least) {
        return;
      }
      widths[longest]--;
    }
  }

  private static int taken(int[] widths, int columns) {
    return Arrays.stream(widths, 0, columns).sum() + GAP * (columns - 1);
  }

  private AttributedString line(String[] row, int[] widths, AttributedStyle style, Cells cells) {
    AttributedStringBuilder line = new AttributedStringBuilder();
    line.style(style);
    for (int i = 0; i < row.length; i++) {
      if (widths[i] == 0) {
        continue;
      }
      String cell = cells.cut(row[i], widths[i]);
      String gap = " ".repeat(widths[i] - cells.width(cell));
      boolean text = i < texts || (rest && i == row.length - 1);
      line.append(i == 0 ? "" : " ".repeat(GAP)).append(text ? cell + gap : gap + cell);
    }
    return line.toAttributedString();
  }
}
