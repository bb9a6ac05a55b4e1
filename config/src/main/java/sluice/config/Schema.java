package sluice.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import sluice.config.problems.Problems;
import sluice.config.rules.FileSection;
import sluice.config.schema.Key;
import sluice.config.schema.Type;
import sluice.config.yaml.Includes;
import sluice.config.yaml.Json;
import sluice.config.yaml.Node;
import sluice.config.yaml.YamlReader;

/**
 * JSON Schema, draft 2020-12, of the configuration file, generated from the table that the loader
 * checks against. It describes only the structure. The loader alone checks references between the
 * parts of a file, and ranges of durations, sizes and ports.
 */
public final class Schema {
  private static final String DRAFT = "https://json-schema.org/draft/2020-12/schema";
  private static final Map<String, Object> REFERENCE =
      ordered(
          "type", "string",
          "pattern", "\\$\\{(env:[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?|file:[^}]+)\\}",
          "description", "A scalar with ${env:NAME}, ${env:NAME:-DEFAULT} or ${file:PATH} in it.");

  private Schema() {}

  /** The schema as text. */
  public static String json() {
    Map<String, Object> schema = ordered("$schema", DRAFT, "title", "Sluice configuration");
    schema.putAll(of(FileSection.LAYOUT.type()));
    Object required = Objects.requireNonNull(schema.remove("required"));
    schema.put(
        "anyOf",
        List.of(ordered("required", required), ordered("required", List.of(Includes.KEY))));
    schema.put("$defs", ordered("reference", REFERENCE));
    return Json.write(schema);
  }

  private static Map<String, Object> of(Type<?> type) {
    if (type instanceof Type.Section section) {
      return section(section);
    }
    if (type instanceof Type.Named<?> named) {
      return ordered(
          "type",
          "object",
          "minProperties",
          1,
          "propertyNames",
          ordered("pattern", "^" + Type.Named.NAME + "$"),
          "additionalProperties",
          of(named.each()));
    }
    if (type instanceof Type.Pairs<?, ?> pairs) {
      return ordered(
          "type",
          "object",
          "minProperties",
          1,
          "propertyNames",
          pairs.key().schema(),
          "additionalProperties",
          of(pairs.value()));
    }
    if (type instanceof Type.Partial some) {
      Map<String, Object> properties = new LinkedHashMap<>();
      some.section().keys().forEach(k -> properties.put(k.name(), of(k.type())));
      return ordered("type", "object", "additionalProperties", false, "properties", properties);
    }
    if (type instanceof Type.Brief<?> either) {
      return ordered("anyOf", List.of(of(either.alone()), section(either.section())));
    }
    if (type instanceof Type.Items<?> items) {
      return ordered(
          "type", "array", "minItems", items.mayBeEmpty() ? 0 : 1, "items", of(items.each()));
    }
    if (type instanceof Type.Scalar<?> scalar) {
      return ordered("anyOf", List.of(scalar.schema(), ordered("$ref", "#/$defs/reference")));
    }
    return ordered("not", ordered());
  }

  private static Map<String, Object> section(Type.Section section) {
    Map<String, Object> properties = new LinkedHashMap<>();
    section.keys().forEach(k -> properties.put(k.name(), property(k)));
    Map<String, Object> schema =
        ordered("type", "object", "additionalProperties", false, "properties", properties);
    List<String> required =
        section.keys().stream()
            .filter(k -> k.kind() == Key.Kind.REQUIRED)
            .<String>map(Key::name)
            .toList();
    if (!required.isEmpty()) {
      schema.put("required", required);
    }
    return schema;
  }

  private static Map<String, Object> property(Key<?> key) {
    Map<String, Object> property = of(key.type());
    property.put("description", key.doc());
    if (key.hasFixedDefault()) {
      Node node = YamlReader.read(key.defaultDoc(), new Problems("default")).orElseThrow();
      property.put("default", plain(node));
    }
    return property;
  }

  private static Object plain(Node node) {
    if (node instanceof Node.Sequence sequence) {
      return sequence.items().stream().map(Schema::plain).toList();
    }
    Node.Scalar scalar = (Node.Scalar) node;
    if (scalar.isString()) {
      return scalar.text();
    }
    boolean isFlag = Set.of("true", "false").contains(scalar.text());
    return isFlag ? (Object) Boolean.valueOf(scalar.text()) : Long.decode(scalar.text());
  }

  private static Map<String, Object> ordered(Object... keysAndValues) {
    Map<String, Object> map = new LinkedHashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      map.put((String) keysAndValues[i], keysAndValues[i + 1]);
    }
    return map;
  }
}
