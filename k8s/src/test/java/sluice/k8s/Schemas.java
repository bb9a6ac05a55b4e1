package sluice.k8s;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The API server's own schemas of one version, of the kinds in use; k8s/schemas/generate made them.
 */
final class Schemas {
  /** The oldest version that the overlays are for, and the newest they are compared with. */
  static final List<String> VERSIONS = List.of("1.34", "1.37");

  private static final ObjectMapper JSON = new ObjectMapper();

  private final ObjectNode definitions;

  Schemas(String version) throws IOException {
    definitions =
        (ObjectNode)
            JSON.readTree(Manifests.ROOT.resolve("schemas/v" + version + ".json").toFile());
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
      ObjectNode schema = definitions.deepCopy().put("$ref", "#/$defs/" + definition);
      JsonSchema validator =
          JsonSchemaFactory.getInstance(VersionFlag.V202012).getSchema((JsonNode) schema);
      validator
          .validate(JSON.valueToTree(object))
          .forEach(problem -> problems.add(Manifests.title(object) + ": " + problem));
    }
    return problems;
  }
}
