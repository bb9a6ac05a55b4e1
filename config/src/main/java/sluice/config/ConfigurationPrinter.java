package sluice.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import sluice.config.model.Configuration;
import sluice.config.rules.FileSection;
import sluice.config.yaml.Json;
import sluice.config.yaml.Yaml;

/**
 * Printer of the effective configuration, with all defaults, as text that the loader accepts. A
 * scalar that came from the environment or another file is printed as its reference, never as its
 * value.
 */
public final class ConfigurationPrinter {
  private final Map<String, String> references;

  private ConfigurationPrinter(Map<String, String> references) {
    this.references = references;
  }

  /** JSON on several lines, indented. */
  public static String toJson(Configuration configuration) {
    return Json.write(tree(configuration));
  }

  /** YAML in block style, with double quotes around every string that is not a plain word. */
  public static String toYaml(Configuration configuration) {
    return Yaml.write(tree(configuration));
  }

  static Map<String, Object> tree(Configuration configuration) {
    var printer = new ConfigurationPrinter(configuration.references());
    return printer.masked(FileSection.LAYOUT.print(configuration), "");
  }

  private Map<String, Object> masked(Map<String, Object> tree, String path) {
    Map<String, Object> masked = new LinkedHashMap<>();
    tree.forEach((k, v) -> masked.put(k, mask(v, path.isEmpty() ? k : path + "." + k)));
    return masked;
  }

  @SuppressWarnings("unchecked") // a layout prints maps with strings as keys
  private Object mask(Object value, String path) {
    if (value instanceof Map<?, ?> map) {
      return masked((Map<String, Object>) map, path);
    }
    if (value instanceof List<?> list) {
      List<Object> masked = new ArrayList<>();
      for (int i = 0; i < list.size(); i++) {
        masked.add(mask(list.get(i), path + "[" + i + "]"));
      }
      return masked;
    }
    String reference = references.getOrDefault(path, "");
    return reference.isEmpty() ? value : reference;
  }
}
