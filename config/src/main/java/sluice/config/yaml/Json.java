package sluice.config.yaml;

import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** Writer of maps, lists, strings, numbers and booleans as JSON, RFC 8259. */
public final class Json {
  private static final int INDENT = 2;
  private final StringBuilder out = new StringBuilder();

  private Json() {}

  /** JSON on several lines, indented, with a line end after the last. */
  public static String write(Object value) {
    Json json = new Json();
    json.value(value, 0);
    return json.out.append('\n').toString();
  }

  private void value(Object value, int depth) {
    if (value instanceof Map<?, ?> map) {
      container('{', '}', map.entrySet().iterator(), depth);
    } else if (value instanceof List<?> list) {
      container('[', ']', list.iterator(), depth);
    } else if (value instanceof Map.Entry<?, ?> entry) {
      out.append(quote(entry.getKey().toString())).append(": ");
      value(entry.getValue(), depth);
    } else if (value instanceof Number || value instanceof Boolean) {
      out.append(value);
    } else {
      out.append(quote(value.toString()));
    }
  }

  private void container(char open, char close, Iterator<?> items, int depth) {
    out.append(open);
    boolean any = items.hasNext();
    while (items.hasNext()) {
      line(depth + 1);
      value(items.next(), depth + 1);
      out.append(items.hasNext() ? "," : "");
    }
    if (any) {
      line(depth);
    }
    out.append(close);
  }

  private void line(int depth) {
    out.append('\n').append(" ".repeat(depth * INDENT));
  }

  /**
   * The text in double quotes, everything but printable ASCII escaped; also a YAML double-quoted
   * scalar.
   */
  static String quote(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c < ' ' || c > '~') {
        quoted.append(String.format("\\u%04x", (int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }
}
