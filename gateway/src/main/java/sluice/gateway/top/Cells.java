package sluice.gateway.top;

import org.jline.utils.AttributedString;

/**
 * Widths of texts in a terminal's columns.
 *
 * @param unicode whether the terminal shows more than ASCII
 */
record Cells(boolean unicode) {
  /** Columns that a text takes. */
  int width(String text) {
    return new AttributedString(text).columnLength();
  }

  /** The text, or its beginning and a sign that it is cut. */
  String cut(String text, int width) {
    if (width(text) <= width) {
      return text;
    }
    String sign = unicode ? "…" : "~";
    return width < 1
        ? ""
        : new AttributedString(text).columnSubSequence(0, width - 1).toString() + sign;
  }
}
