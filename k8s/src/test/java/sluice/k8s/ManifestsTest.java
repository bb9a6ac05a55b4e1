package sluice.k8s;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every overlay, as kustomize renders it: k8s/render keeps that in k8s/rendered. */
class ManifestsTest {
  @TempDir Path directory;

  static List<String> overlays() {
    return Manifests.overlays();
  }

  @Test
  void shouldHoldTheOverlaysThatTheDocumentationNames() {
    assertThat(overlays()).contains("gateway", "sidecar", "internode", "load", "load-distributed");
  }

  @ParameterizedTest
  @MethodSource("overlays")
  void shouldHaveFieldsAndTypesThatKubernetesKnows(String overlay) throws IOException {
    assertThat(TypedModel.problems(Manifests.rendered(overlay))).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("overlays")
  void shouldFitTheSchemasOfTheOldestAndTheNewestVersion(String overlay) throws IOException {
    for (String version : Schemas.VERSIONS) {
      assertThat(Schemas.of(version).problems(Manifests.rendered(overlay))).as(version).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("overlays")
  void shouldReferToWhatIsThere(String overlay) throws IOException {
    assertThat(References.problems(Manifests.rendered(overlay))).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("overlays")
  void shouldMakePodsThatAreRestrictedAndSized(String overlay) throws IOException {
    assertThat(Pods.problems(Manifests.rendered(overlay), Manifests.usesPerfEvents(overlay)))
        .isEmpty();
  }

  /** And of that pod the gateway alone: nothing else is let off. */
  @Test
  void shouldAskForMoreThanRestrictedForPerfEventsOnly() throws IOException {
    assertThat(overlays()).filteredOn(Manifests::usesPerfEvents).hasSize(1);
    assertThat(Pods.problems(Manifests.rendered("load-perf-events")))
        .containsExactlyInAnyOrder(
            "Job/sluice-load/sluice: may run as root",
            "Job/sluice-load/sluice: found no runAsUser that is a number above 0",
            "Job/sluice-load/sluice: keeps capabilities");
  }

  @ParameterizedTest
  @MethodSource("overlays")
  void shouldTellTheGatewayWhatItAccepts(String overlay) throws Exception {
    assertThat(Configurations.problems(Manifests.rendered(overlay), directory)).isEmpty();
  }

  /** One of these stands in the place of another of its family. */
  private static String family(String overlay) {
    return overlay.equals("production")
        ? "gateway"
        : overlay.replaceFirst("^(gateway|load)-.*", "$1");
  }

  /** Else one would take what is another's when it is applied, and with it when it is deleted. */
  @Test
  void shouldMakeNoObjectAndSelectNoPodsOfAnotherOverlay() throws IOException {
    for (String one : overlays()) {
      List<Map<String, Object>> its = Manifests.rendered(one);
      List<String> titles = its.stream().map(Manifests::title).toList();
      for (String other : overlays()) {
        if (family(one).equals(family(other))) {
          continue;
        }
        List<Map<String, Object>> others = Manifests.rendered(other);
        assertThat(others)
            .as("%s beside %s", other, one)
            .extracting(Manifests::title)
            .doesNotContainAnyElementsOf(titles);
        for (Map<String, Object> pods : Manifests.workloads(others)) {
          assertThat(its)
              .as("what %s selects beside %s of %s", one, Manifests.title(pods), other)
              .noneMatch(object -> References.selects(object, pods));
        }
      }
    }
  }

  /**
   * kubectl takes away what the last apply had and this one has not. What the README has forgotten
   * before is the number of replicas, which the autoscaler knows from then on, and nothing else.
   */
  @Test
  void shouldGoFromGatewayToProductionWithoutLosingReplicas() throws Exception {
    Matcher command =
        Pattern.compile(
                "(?m)^    kubectl -n cache apply view-last-applied deployment/sluice"
                    + " \\| sed '([^']+)' \\| kubectl -n cache apply set-last-applied -f -\\n"
                    + "    kubectl apply -n cache -k k8s/overlays/production$")
            .matcher(Files.readString(Manifests.ROOT.resolve("README.md")));
    assertThat(command.find()).isTrue();
    // As kubectl writes it: keys in order, and lists as far to the left as their keys.
    String applied =
        Stream.of(
                Files.readString(Manifests.ROOT.resolve("rendered/gateway.yaml"))
                    .split("(?m)^---$"))
            .filter(text -> text.contains("\nkind: Deployment\n"))
            .findFirst()
            .orElseThrow();
    Map<String, Object> remembered = Manifests.parse(sed(command.group(1), applied)).get(0);
    Map<String, Object> gateway = Manifests.parse(applied).get(0);
    Object replicas = Manifests.map(gateway, "spec").remove("replicas");
    assertThat(replicas).isEqualTo(2);
    assertThat(remembered).isEqualTo(gateway);

    List<Map<String, Object>> production = Manifests.rendered("production");
    assertThat(Manifests.ofKind(production, "Deployment"))
        .singleElement()
        .satisfies(
            deployment -> {
              assertThat(Manifests.title(deployment)).isEqualTo(Manifests.title(gateway));
              assertThat(Manifests.map(deployment, "spec")).doesNotContainKey("replicas");
            });
    assertThat(Manifests.ofKind(production, "HorizontalPodAutoscaler"))
        .singleElement()
        .satisfies(
            scaler -> {
              assertThat(Manifests.text(scaler, "spec", "scaleTargetRef", "name"))
                  .isEqualTo(Manifests.name(gateway));
              assertThat(Manifests.get(scaler, "spec", "minReplicas")).isEqualTo(replicas);
            });
  }

  private String sed(String script, String text) throws Exception {
    Path file = Files.writeString(directory.resolve("applied.yaml"), text);
    Process process = new ProcessBuilder("sed", script, file.toString()).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).isZero();
    return output;
  }

  /** The third column of the README's table of overlays begins with a number. */
  @ParameterizedTest
  @MethodSource("overlays")
  void shouldAskForAsManyProcessorsAsTheReadmeSays(String overlay) throws IOException {
    Matcher row =
        Pattern.compile("(?m)^\\| `overlays/" + overlay + "` \\|[^|]*\\| ([0-9.]+)\\b.*\\|$")
            .matcher(Files.readString(Manifests.ROOT.resolve("README.md")));
    assertThat(row.find()).isTrue();
    List<Map<String, Object>> objects = Manifests.rendered(overlay);
    BigDecimal asked = BigDecimal.ZERO;
    for (Map<String, Object> workload : Manifests.workloads(objects)) {
      BigDecimal ofPod =
          Manifests.containers(Manifests.podSpec(workload)).stream()
              .map(container -> Manifests.text(container, "resources", "requests", "cpu"))
              .map(ManifestsTest::processors)
              .reduce(BigDecimal.ZERO, BigDecimal::add);
      asked = asked.add(ofPod.multiply(replicas(workload, objects)));
    }
    assertThat(asked).isEqualByComparingTo(row.group(1));
  }

  private static BigDecimal processors(String quantity) {
    return quantity.endsWith("m")
        ? new BigDecimal(quantity.substring(0, quantity.length() - 1)).movePointLeft(3)
        : new BigDecimal(quantity);
  }

  private static BigDecimal replicas(
      Map<String, Object> workload, List<Map<String, Object>> objects) {
    String written = Manifests.text(workload, "spec", "replicas");
    String least =
        Manifests.ofKind(objects, "HorizontalPodAutoscaler").stream()
            .map(scaler -> Manifests.text(scaler, "spec", "minReplicas"))
            .findFirst()
            .orElse("1");
    return new BigDecimal(written == null ? least : written);
  }

  @Test
  void shouldHaveFieldsAndTypesThatKubernetesKnowsWhereTheyAreWritten() throws IOException {
    List<Map<String, Object>> objects = new ArrayList<>();
    for (Path file : sources()) {
      String name = file.getFileName().toString();
      if (name.endsWith(".yaml")
          && !List.of("kustomization.yaml", "sluice.yaml", "plan.yaml", "budgets.yaml")
              .contains(name)) {
        objects.addAll(Manifests.parse(Files.readString(file)));
      }
    }
    assertThat(objects).hasSizeGreaterThan(15);
    assertThat(TypedModel.problems(objects)).isEmpty();
  }

  @Test
  void shouldHaveBeenRenderedSinceTheLastChange() throws IOException, NoSuchAlgorithmException {
    List<String> now = new ArrayList<>();
    for (Path file : sources()) {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
      now.add("%064x  %s".formatted(new BigInteger(1, digest), Manifests.ROOT.relativize(file)));
    }
    assertThat(now)
        .as("k8s/render was not run after a change")
        .containsExactlyInAnyOrderElementsOf(
            Files.readAllLines(Manifests.ROOT.resolve("rendered/inputs.sha256")));
  }

  @ParameterizedTest
  @MethodSource("overlays")
  void shouldBeRenderedAsKustomizeDoes(String overlay) throws IOException {
    Kustomize kustomize =
        Kustomize.find()
            .orElseGet(
                () -> abort("NOT TESTED: here is neither kustomize nor a kubectl that has it"));
    assertThat(Manifests.rendered(overlay))
        .containsExactlyInAnyOrderElementsOf(
            kustomize.render(Manifests.ROOT.resolve("overlays/" + overlay)));
  }

  /** Each container that runs Sluice, in every overlay, and no other. */
  @Test
  void shouldBeRenderedWithTheImageOfAVariable() throws Exception {
    Kustomize kustomize = Kustomize.find().orElseGet(() -> abort("NOT TESTED: no kustomize"));
    String image = "registry.example:5000/cache/sluice:7";
    Path rendered = directory.resolve("rendered");
    ProcessBuilder render =
        new ProcessBuilder(Manifests.ROOT.resolve("render").toString(), "-o", rendered.toString())
            .redirectErrorStream(true);
    render.environment().put("SLUICE_IMAGE", image);
    if (kustomize.command().contains("build")) {
      render.environment().put("KUSTOMIZE", kustomize.command().get(0));
    }
    Process process = render.start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    for (String overlay : overlays()) {
      String expected =
          Files.readString(Manifests.ROOT.resolve("rendered/" + overlay + ".yaml"))
              .replaceAll("image: sluice:\\S+", "image: " + image);
      assertThat(expected).contains(image);
      assertThat(rendered.resolve(overlay + ".yaml")).hasContent(expected);
    }
  }

  private static List<Path> sources() throws IOException {
    List<Path> files = new ArrayList<>();
    for (String part : List.of("base", "components", "overlays")) {
      try (Stream<Path> below = Files.walk(Manifests.ROOT.resolve(part))) {
        files.addAll(below.filter(Files::isRegularFile).toList());
      }
    }
    return files;
  }
}
