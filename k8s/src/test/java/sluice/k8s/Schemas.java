package sluice.k8s;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The API server's own schemas of one version, of the kinds in use; k8s/schemas/generate made them.
 */
final class Schemas {
  /** The oldest version that the overlays are for, and the newest they are compared with. */
  static final List<String> VERSIONS = List.of("1.34", "1.37");

  private static final ObjectMapper JSON = new ObjectMapper();

  // Reading a version's file and making a validator takes far longer than using it.
  private static final Map<String, Schemas> BY_VERSION = new HashMap<>();

  private final ObjectNode definitions;
  private final Map<String, JsonSchema> validators = new HashMap<>(); // by definition

  private Schemas(String version) throws IOException {
    definitions =
        (ObjectNode)
            JSON.readTree(Manifests.ROOT.resolve("schemas/v" + version + ".json").toFile());
  }

  /** Those of a version, which are read once. */
  static Schemas of(String version) throws IOException {
    Schemas schemas = BY_VERSION.get(version);
    if (schemas == null) {
      schemas = new Schemas(version);
      BY_VERSION.put(version, schemas);
    }
    return schemas;
  }

  List<String> problems(List<Map<String, Object>> objects) {
    List<String> problems = new ArrayList<>();
    for (Map<String, Object> object : objects) {
      String definition =
          Manifests.text(object, "apiVersion").replace('/', '.') + "." + Manifests.kind(object);
      if (!definitions.get("$defs").has(definition)) {
        problems.add(Manifests.title(object) + ": found no schema of " + definition);
        continue;
      }
      validators
          .computeIfAbsent(definition, this::validator)
          .validate(JSON.valueToTree(object))
          .forEach(problem -> problems.add(Manifests.title(object) + ": " + problem));
    }
    return problems;
  }

  private JsonSchema validator(String definition) {
    ObjectNode schema = definitions.deepCopy().put("$ref", "#/$defs/" + definition);
    return JsonSchemaFactory.getInstance(VersionFlag.V202012).getSchema((JsonNode) schema);
  }
}
