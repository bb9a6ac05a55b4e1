package sluice.config.yaml;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Writer of maps, lists, strings, numbers and booleans as YAML in block style. */
public final class Yaml {
  private static final Pattern PLAIN =
      Pattern.compile("[A-Za-z0-9][A-Za-z0-9_./:-]*[A-Za-z0-9_]|[A-Za-z]");
  private final StringBuilder out = new StringBuilder();

  private Yaml() {}

  /** The document, its keys in the order of the map. */
  public static String write(Map<String, Object> tree) {
    Yaml yaml = new Yaml();
    yaml.mapping(tree, 0, "");
    return yaml.out.toString();
  }

  private void mapping(Map<?, ?> map, int indent, String firstIndent) {
    String before = firstIndent;
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      out.append(before).append(scalar(entry.getKey())).append(':');
      value(entry.getValue(), indent);
      before = " ".repeat(indent);
    }
  }

  private void value(Object value, int indent) {
    if (value instanceof Map<?, ?> map && !map.isEmpty()) {
      out.append('\n');
      mapping(map, indent + 2, " ".repeat(indent + 2));
    } else if (value instanceof List<?> list && list.stream().anyMatch(Map.class::isInstance)) {
      out.append('\n');
      for (Object item : list) {
        out.append(" ".repeat(indent + 2)).append("- ");
        mapping((Map<?, ?>) item, indent + 4, "");
      }
    } else if (value instanceof List<?> list) {
      out.append(" [")
          .append(String.join(", ", list.stream().map(Yaml::scalar).toList()))
          .append("]\n");
    } else {
      out.append(' ').append(value instanceof Map ? "{}" : scalar(value)).append('\n');
    }
  }

  private static String scalar(Object value) {
    String text = value.toString();
    boolean plain =
        value instanceof Number
            || value instanceof Boolean
            || (PLAIN.matcher(text).matches() && CoreSchema.isString(text));
    return plain ? text : Json.quote(text);
  }
}
