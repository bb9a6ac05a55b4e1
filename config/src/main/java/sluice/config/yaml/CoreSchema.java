package sluice.config.yaml;

import java.util.regex.Pattern;

/** Interpretation of plain scalars by YAML 1.2.2's core schema, section 10.3.2. */
final class CoreSchema {
  private static final Pattern NULL = Pattern.compile("null|Null|NULL|~|");
  private static final Pattern BOOLEAN = Pattern.compile("true|True|TRUE|false|False|FALSE");
  private static final Pattern INTEGER = Pattern.compile("[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+");
  private static final Pattern FLOAT =
      Pattern.compile(
          "[-+]?(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)([eE][-+]?[0-9]+)?"
              + "|[-+]?\\.(inf|Inf|INF)|\\.(nan|NaN|NAN)");

  private CoreSchema() {}

  static boolean isNull(String text) {
    return NULL.matcher(text).matches();
  }

  static boolean isString(String text) {
    return !isNull(text)
        && !BOOLEAN.matcher(text).matches()
        && !INTEGER.matcher(text).matches()
        && !FLOAT.matcher(text).matches();
  }
}
