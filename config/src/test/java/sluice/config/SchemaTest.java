package sluice.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.schema.CoreSchema;
import sluice.config.model.Configuration;

class SchemaTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final JsonSchema SCHEMA =
      JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012).getSchema(Schema.json());

  /** By the YAML library's own constructor: no code of ours between the file and the validator. */
  private static JsonNode json(String yaml) {
    LoadSettings settings = LoadSettings.builder().setSchema(new CoreSchema()).build();
    return MAPPER.valueToTree(new Load(settings).loadFromString(yaml));
  }

  static Stream<BadFilesTest.BadFile> readableBadFiles() throws Exception {
    // A fault of the document as a whole, or a repeated key, never becomes a JSON value.
    return BadFilesTest.badFiles()
        .filter(f -> f.problems().stream().noneMatch(p -> p.contains("document: ")))
        .filter(f -> f.problems().stream().noneMatch(p -> p.contains("every key once")));
  }

  static Stream<String> validFiles() {
    return Samples.ALL.stream();
  }

  @Test
  void shouldBeASchemaOfItsDraft() {
    JsonSchema draft =
        JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
            .getSchema(
                com.networknt.schema.SchemaLocation.of(
                    "https://json-schema.org/draft/2020-12/schema"));
    assertThat(draft.validate(json(Schema.json()))).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("validFiles")
  void shouldTakeWhatTheLoaderTakes(String yaml) {
    assertThat(Samples.load(yaml).problems()).isEmpty();
    assertThat(SCHEMA.validate(json(yaml))).isEmpty();
    Configuration configuration = Samples.load(yaml).configuration();
    assertThat(SCHEMA.validate(json(ConfigurationPrinter.toYaml(configuration)))).isEmpty();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("readableBadFiles")
  void shouldRefuseEveryWrongShape(BadFilesTest.BadFile file) {
    assertThat(SCHEMA.validate(json(file.yaml())).isEmpty())
        .as("the schema takes it")
        .isEqualTo(file.hasTheShape());
  }

  @Test
  void shouldTakeDefaultsAndIncludes() {
    String yaml = Samples.SMALL + "defaults: {pools: {timeout: 1s}, listeners: {allow: []}}\n";
    assertThat(SCHEMA.validate(json(yaml))).isEmpty();
    assertThat(SCHEMA.validate(json(yaml.replace("timeout", "timeut")))).isNotEmpty();
    assertThat(SCHEMA.validate(json(yaml.replace("1s", "1")))).isNotEmpty();
    assertThat(SCHEMA.validate(json("include: [pools.yaml]\n"))).isEmpty();
    assertThat(SCHEMA.validate(json("admin: {}\n"))).isNotEmpty();
  }

  @Test
  void shouldTakeReferencesWhereScalarsStand() {
    String yaml = Samples.SMALL + "process: {eventLoops: \"${env:LOOPS}\", drain: \"${file:d}\"}\n";
    assertThat(SCHEMA.validate(json(yaml))).isEmpty();
    assertThat(SCHEMA.validate(json(yaml.replace("${env", "${var")))).isNotEmpty();
  }
}
