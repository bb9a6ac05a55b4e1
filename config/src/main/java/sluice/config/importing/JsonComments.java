package sluice.config.importing;

/**
 * Comments in JSON, as folly's parser and mcrouter's preprocessor accept them: {@code //} to the
 * end of the line, and C's.
 */
final class JsonComments {
  private JsonComments() {}

  /**
   * The text with comments, and tabs outside of strings, replaced by spaces, so that all positions
   * stay the same.
   */
  static String blank(String text) {
    StringBuilder out = new StringBuilder(text);
    boolean inString = false;
    int i = 0;
    while (i < out.length()) {
      char c = out.charAt(i);
      if (inString) {
        i += c == '\\' ? 2 : 1;
        inString = c != '"';
      } else if (c == '/' && i + 1 < out.length() && out.charAt(i + 1) == '/') {
        i = blank(out, i, end(text, "\n", i, 0));
      } else if (c == '/' && i + 1 < out.length() && out.charAt(i + 1) == '*') {
        i = blank(out, i, end(text, "*/", i + 2, 2));
      } else {
        if (c == '\t') {
          out.setCharAt(i, ' ');
        }
        inString = c == '"';
        i++;
      }
    }
    return out.toString();
  }

  private static int end(String text, String mark, int from, int length) {
    int found = text.indexOf(mark, from);
    return found < 0 ? text.length() : found + length;
  }

  private static int blank(StringBuilder out, int from, int to) {
    for (int i = from; i < to; i++) {
      if (out.charAt(i) != '\n') {
        out.setCharAt(i, ' ');
      }
    }
    return to;
  }
}
