package sluice.k8s;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import com.networknt.schema.ValidationMessage;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The chart, as helm renders it with the values of {@code chart/ci} and of {@code chart-example}:
 * k8s/render keeps that in k8s/rendered.
 */
class ChartTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** What the release and the version of the chart decide, and kustomize does not know. */
  private static final Set<String> OF_THE_RELEASE =
      Set.of(
          "app.kubernetes.io/instance",
          "app.kubernetes.io/managed-by",
          "helm.sh/chart",
          "checksum/config");

  @TempDir Path directory;

  private static List<Map<String, Object>> chart(String name) throws IOException {
    return Manifests.rendered("chart-" + name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"default", "gateway", "production", "sidecar"})
  void shouldBeAsTheOverlaysMustBe(String name) throws Exception {
    List<Map<String, Object>> objects = chart(name);
    assertThat(TypedModel.problems(objects)).isEmpty();
    for (String version : Schemas.VERSIONS) {
      assertThat(Schemas.of(version).problems(objects)).as(version).isEmpty();
    }
    assertThat(References.problems(objects)).isEmpty();
    assertThat(Pods.problems(objects)).isEmpty();
    assertThat(Configurations.problems(objects, directory)).isEmpty();
  }

  /** Two fields came later: the sleep before SIGTERM, and what a resize in place does. */
  @Test
  void shouldLeaveOutWhatAnOlderClusterDoesNotHave() throws Exception {
    List<Map<String, Object>> objects = chart("gateway-1.29");
    assertThat(Schemas.of("1.29").problems(objects)).isEmpty();
    assertThat(References.problems(objects)).isEmpty();
    assertThat(Configurations.problems(objects, directory)).isEmpty();
    assertThat(Pods.problems(objects))
        .containsExactly("Deployment/sluice/sluice: does not sleep before it ends");
    assertThat(container("gateway-1.29")).doesNotContainKeys("lifecycle", "resizePolicy");
    assertThat(container("gateway")).containsKeys("lifecycle", "resizePolicy");
  }

  private static Map<String, Object> container(String name) throws IOException {
    Map<String, Object> gateway = Manifests.ofKind(chart(name), "Deployment").get(0);
    return Manifests.gateways(Manifests.podSpec(gateway)).get(0);
  }

  @ParameterizedTest
  @CsvSource({
    "gateway,    gateway,    sluice,             sluice",
    "production, production, sluice-[a-z0-9]+,   sluice",
    "sidecar,    sidecar,    application-sluice, application-sluice-sidecar"
  })
  void shouldBeWhatKustomizeRenders(
      String chart, String overlay, String configuration, String renamed) throws IOException {
    List<Map<String, Object>> expected = Manifests.rendered(overlay);
    String name = Manifests.name(Manifests.ofKind(expected, "ConfigMap").get(0));
    assertThat(name).matches(configuration);
    Map<String, Map<String, Object>> objects = byTitle(chart(chart), "", "");
    Map<String, Map<String, Object>> others = byTitle(expected, name, renamed);
    assertThat(objects.keySet()).isEqualTo(others.keySet());
    objects.forEach(
        (title, object) -> {
          Map<String, Object> other = others.get(title);
          assertThat(labels(object)).as(title).containsAllEntriesOf(labels(other));
          labels(object).clear();
          labels(other).clear();
          assertThat(object).as(title).isEqualTo(other);
        });
  }

  private static Map<String, Object> labels(Map<String, Object> object) {
    Map<String, Object> metadata = Manifests.map(object, "metadata");
    metadata.computeIfAbsent("labels", absent -> new LinkedHashMap<String, Object>());
    return Manifests.map(metadata, "labels");
  }

  private static Map<String, Map<String, Object>> byTitle(
      List<Map<String, Object>> objects, String configuration, String renamed) {
    Map<String, Map<String, Object>> result = new TreeMap<>();
    for (Map<String, Object> object : objects) {
      Map<String, Object> comparable =
          Manifests.map(comparable(object, Pattern.compile(configuration), renamed));
      Map<String, Object> metadata = Manifests.map(comparable, "metadata");
      metadata.remove("namespace");
      boolean isConfiguration = Manifests.kind(object).equals("ConfigMap");
      if (isConfiguration && !configuration.isEmpty()) {
        metadata.put("name", renamed);
      }
      result.put(Manifests.title(comparable), comparable);
    }
    return result;
  }

  /** Without what the release decides; a configuration as what it says, not how it is written. */
  private static Object comparable(Object value, Pattern configuration, String renamed) {
    if (value instanceof Map<?, ?> map) {
      Map<String, Object> result = new LinkedHashMap<>();
      map.forEach(
          (key, element) -> {
            if (key.equals("sluice.yaml")) {
              result.put("sluice.yaml", Manifests.parse((String) element));
            } else if (key.equals("configMap") && !configuration.pattern().isEmpty()) {
              result.put("configMap", Map.of("name", renamed));
            } else if (!OF_THE_RELEASE.contains(key)) {
              result.put((String) key, comparable(element, configuration, renamed));
            }
          });
      return result;
    }
    return value instanceof List<?> list
        ? list.stream().map(element -> comparable(element, configuration, renamed)).toList()
        : value;
  }

  /** Without values, the gateway knows the chart's own servers by their names. */
  @Test
  void shouldPutTheGatewayBeforeTheServersOfTheChart() throws IOException {
    List<Map<String, Object>> objects = chart("default");
    Map<String, Object> servers = Manifests.ofKind(objects, "StatefulSet").get(0);
    String file =
        Manifests.text(Manifests.ofKind(objects, "ConfigMap").get(0), "data", "sluice.yaml");
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < (Integer) Manifests.get(servers, "spec", "replicas"); i++) {
      expected.add(
          Manifests.name(servers)
              + "-"
              + i
              + "."
              + Manifests.text(servers, "spec", "serviceName")
              + ":11211");
    }
    assertThat(expected).hasSize(3);
    assertThat(Manifests.get(Manifests.parse(file).get(0), "pools", "cache", "servers"))
        .isEqualTo(expected);
  }

  @Test
  void shouldHaveTheVersionOfTheProject() throws IOException {
    Matcher version =
        Pattern.compile("<version>(.*)</version>")
            .matcher(Files.readString(Manifests.ROOT.resolve("../pom.xml")));
    assertThat(version.find()).isTrue();
    Map<String, Object> chart =
        Manifests.parse(Files.readString(Manifests.ROOT.resolve("chart/Chart.yaml"))).get(0);
    assertThat(chart).containsEntry("appVersion", version.group(1));
  }

  // --- Values -----------------------------------------------------------------------------------

  /** As k8s/chart-schema makes it. */
  @Test
  void shouldHaveTheSchemaOfTheConfigurationInThatOfItsValues() throws IOException {
    ObjectNode expected = (ObjectNode) json("chart/values.schema.base.json");
    ObjectNode configuration = (ObjectNode) json("../examples/sluice.schema.json");
    boundLengths(configuration);
    configuration.remove(List.of("$schema", "anyOf"));
    ObjectNode definitions = (ObjectNode) expected.get("$defs");
    definitions.setAll((ObjectNode) configuration.remove("$defs"));
    definitions.set("configuration", configuration);
    assertThat(json("chart/values.schema.json"))
        .as("k8s/render was not run after a change of the configuration's schema")
        .isEqualTo(expected);
  }

  private static JsonNode json(String file) throws IOException {
    return JSON.readTree(Manifests.ROOT.resolve(file).toFile());
  }

  private static void boundLengths(JsonNode schema) {
    schema.forEach(ChartTest::boundLengths);
    Matcher bounds =
        Pattern.compile("\\^\\(\\[\\\\s\\\\S]\\{(\\d+),(\\d+)}\\)\\$")
            .matcher(schema.path("pattern").asText());
    if (bounds.matches()) {
      ((ObjectNode) schema)
          .put("minLength", Integer.parseInt(bounds.group(1)))
          .put("maxLength", Integer.parseInt(bounds.group(2)))
          .remove("pattern");
    }
  }

  private static Set<ValidationMessage> judge(String values) throws IOException {
    return JsonSchemaFactory.getInstance(VersionFlag.V202012)
        .getSchema(json("chart/values.schema.json"))
        .validate(JSON.valueToTree(Manifests.parse(values).get(0)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "chart/values.yaml",
        "chart/ci/gateway-values.yaml",
        "chart/ci/production-values.yaml"
      })
  void shouldAcceptItsOwnValues(String file) throws IOException {
    assertThat(judge(Files.readString(Manifests.ROOT.resolve(file)))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{gateway: {replica: 3}}                                    | replica",
        "{gateway: {replicas: three}}                               | replicas",
        "{gateway: {ports: [{name: admin, port: 11211}]}}           | ports",
        "{gateway: {config: {pool: {}}}}                            | pool",
        "{gateway: {config: {process: {drain: 20}}}}                | drain",
        "{sidecar: {config: {pools: {a: {servers: [a:1], timeot: 1s}}}}} | timeot",
        "{image: {digest: 'sha256:12'}}                             | digest",
        "{memcached: {replicas: 0}}                                 | replicas",
        "{memcached: {fullnameOverride: a23456789b123456789c123456789d123456789e123456789f123}} |"
            + " 52"
      })
  void shouldRefuseWrongValues(String values, String named) throws IOException {
    assertThat(judge(values)).isNotEmpty().anyMatch(found -> found.toString().contains(named));
  }

  // --- With helm --------------------------------------------------------------------------------

  private static Helm helm() {
    return Helm.find().orElseGet(() -> abort("NOT TESTED: here is no helm"));
  }

  /** The command stands in the first line of the file, as k8s/render has run it. */
  @ParameterizedTest
  @CsvSource({
    "default, cache",
    "gateway, sluice",
    "gateway-1.29, sluice",
    "production, sluice",
    "sidecar, application"
  })
  void shouldBeRenderedAsHelmDoes(String name, String release) throws IOException {
    Helm helm = helm();
    Path file = Manifests.ROOT.resolve("rendered/chart-" + name + ".yaml");
    Matcher command =
        Pattern.compile("# k8s/render made this of k8s/(\\S+), with (.*): change that\\.")
            .matcher(Files.readAllLines(file).get(0));
    assertThat(command.matches()).isTrue();
    String chart = command.group(1);
    if (chart.equals("chart-example")) {
      copy(Manifests.ROOT.resolve(chart), directory.resolve(chart));
      copy(Manifests.ROOT.resolve("chart"), directory.resolve(chart + "/charts/sluice"));
      chart = directory.resolve(chart).toString();
    }
    List<String> words =
        new ArrayList<>(List.of("template", release, chart, "--namespace", "default"));
    words.addAll(List.of(command.group(2).split(" ")));
    assertThat(Manifests.parse(helm.run(words.toArray(String[]::new))))
        .containsExactlyInAnyOrderElementsOf(chart(name));
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path target = to.resolve(from.relativize(file).toString());
        Files.createDirectories(target.getParent());
        Files.copy(file, target);
      }
    }
  }

  @Test
  void shouldSatisfyHelmsLint() throws IOException {
    assertThat(helm().run("lint", "--strict", "chart")).contains("1 chart(s) linted, 0 chart(s) f");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "gateway.replica=3                      | replica",
        "memcached.enabled=false                | gateway.config: found no listeners",
        "gateway.config.process.drain=20        | drain",
        "gateway.config.pool.a=1                | pool"
      })
  void shouldLetHelmRefuseWrongValues(String value, String named) {
    Helm helm = helm();
    assertThatThrownBy(() -> helm.run("template", "cache", "chart", "--set", value))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(named);
  }

  /**
   * A StatefulSet writes its name, a hyphen and ten characters into a label of its pods, and a
   * label has at most 63: with a longer name there are no pods.
   */
  @ParameterizedTest
  @ValueSource(ints = {42, 43, 50, 53})
  void shouldNameServersSoThatTheyCanHavePods(int release) throws IOException {
    Helm helm = helm();
    List<String> names = new ArrayList<>();
    for (String last : List.of("x", "y")) {
      String full = "r".repeat(Math.min(release, 50) - 1) + last;
      String all = full + "r".repeat(release - full.length());
      List<Map<String, Object>> objects =
          Manifests.parse(
              helm.run("template", all, "chart", "--set", "nameOverride=r,gateway.enabled=true"));
      String name = Manifests.name(Manifests.ofKind(objects, "StatefulSet").get(0));
      assertThat(name).hasSizeLessThanOrEqualTo(52).endsWith("-memcached");
      assertThat(objects.toString()).contains("- " + name + "-0." + name + ":11211");
      assertThat(References.problems(objects)).isEmpty();
      names.add(name);
    }
    assertThat(names).doesNotHaveDuplicates();
    if (release == 42) {
      String same = "r".repeat(41);
      assertThat(names).containsExactly(same + "x-memcached", same + "y-memcached");
    }
  }

  /** Numbers stay numbers, and a file is taken as it is. */
  @Test
  void shouldWriteWhatValuesSay() throws IOException {
    Helm helm = helm();
    assertThat(
            helm.run(
                "template",
                "cache",
                "chart",
                "--set",
                "gateway.config.defaults.pools.health.failures=1000000,image.digest=sha256:"
                    + "a".repeat(64)))
        .contains("failures: 1000000", "image: sluice@sha256:aaa");
    Path file = Files.writeString(directory.resolve("sluice.yaml"), "# mine\nadmin: {}\n");
    assertThat(helm.run("template", "cache", "chart", "--set-file", "gateway.configText=" + file))
        .contains("  sluice.yaml: |\n    # mine\n    admin: {}\n");
  }

  @Test
  void shouldHaveBeenRenderedSinceTheLastChange() throws IOException, NoSuchAlgorithmException {
    List<String> now = new ArrayList<>();
    for (String part : List.of("chart", "chart-example")) {
      try (Stream<Path> files = Files.walk(Manifests.ROOT.resolve(part))) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
          now.add(
              "%064x  %s".formatted(new BigInteger(1, digest), Manifests.ROOT.relativize(file)));
        }
      }
    }
    assertThat(now)
        .as("k8s/render was not run after a change")
        .containsExactlyInAnyOrderElementsOf(
            Files.readAllLines(Manifests.ROOT.resolve("rendered/chart.sha256")));
  }
}
