package sluice.k8s;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * Documents as maps, lists and scalars, and ways to look into them: {@code get(pod, "spec",
 * "containers")}.
 */
final class Manifests {
  /** Where the manifests are: Maven runs tests in the module's directory. */
  static final Path ROOT = Path.of("").toAbsolutePath();

  private Manifests() {}

  /** The names of the overlays, which are those of the rendered files. */
  static List<String> overlays() {
    try (Stream<Path> directories = Files.list(ROOT.resolve("overlays"))) {
      return directories.map(path -> path.getFileName().toString()).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether an overlay is for namespaces that are not restricted, to use perf events. */
  static boolean usesPerfEvents(String overlay) {
    return overlay.equals("load-perf-events");
  }

  static List<Map<String, Object>> rendered(String overlay) throws IOException {
    return parse(Files.readString(ROOT.resolve("rendered/" + overlay + ".yaml")));
  }

  /** Each document of text; aliases are resolved, empty documents left out. */
  static List<Map<String, Object>> parse(String text) {
    List<Map<String, Object>> documents = new ArrayList<>();
    for (Object document :
        new Load(LoadSettings.builder().setMaxAliasesForCollections(1000).build())
            .loadAllFromString(text)) {
      if (document != null) {
        documents.add(map(document));
      }
    }
    return documents;
  }

  static String kind(Map<String, Object> object) {
    return text(object, "kind");
  }

  static String name(Map<String, Object> object) {
    return text(object, "metadata", "name");
  }

  /** How problems name an object. */
  static String title(Map<String, Object> object) {
    return kind(object) + "/" + name(object);
  }

  static List<Map<String, Object>> ofKind(List<Map<String, Object>> objects, String... kinds) {
    return objects.stream().filter(object -> List.of(kinds).contains(kind(object))).toList();
  }

  /** What stands at the end of path; null where it ends early. */
  static Object get(Map<String, Object> object, String... path) {
    Object here = object;
    for (String step : path) {
      here = here instanceof Map<?, ?> map ? map.get(step) : null;
    }
    return here;
  }

  static String text(Map<String, Object> object, String... path) {
    return Objects.toString(get(object, path), null);
  }

  static Map<String, Object> map(Map<String, Object> object, String... path) {
    return map(get(object, path));
  }

  @SuppressWarnings("unchecked") // keys of manifests are text
  static Map<String, Object> map(Object value) {
    return value == null ? Map.of() : (Map<String, Object>) value;
  }

  /** The mappings of a list; empty where there is none. */
  static List<Map<String, Object>> list(Map<String, Object> object, String... path) {
    return get(object, path) instanceof List<?> list
        ? list.stream().map(Manifests::map).toList()
        : List.of();
  }

  /** The pod's specification that an object makes pods of; empty if it makes none. */
  static Map<String, Object> podSpec(Map<String, Object> object) {
    return kind(object).equals("Pod")
        ? map(object, "spec")
        : map(object, "spec", "template", "spec");
  }

  static Map<String, Object> podLabels(Map<String, Object> object) {
    return kind(object).equals("Pod")
        ? map(object, "metadata", "labels")
        : map(object, "spec", "template", "metadata", "labels");
  }

  /** Those that make pods. */
  static List<Map<String, Object>> workloads(List<Map<String, Object>> objects) {
    return ofKind(objects, "Deployment", "StatefulSet", "Job", "Pod");
  }

  /** All containers of a pod: sidecars and others that start first, then the main ones. */
  static List<Map<String, Object>> containers(Map<String, Object> podSpec) {
    return Stream.concat(
            list(podSpec, "initContainers").stream(), list(podSpec, "containers").stream())
        .toList();
  }

  /** Containers that run the gateway. */
  static List<Map<String, Object>> gateways(Map<String, Object> podSpec) {
    return containers(podSpec).stream()
        .filter(container -> Objects.toString(container.get("image"), "").startsWith("sluice:"))
        .filter(container -> get(container, "args") instanceof List<?> args && args.contains("run"))
        .toList();
  }

  /** Containers that run the load job. */
  static List<Map<String, Object>> drivers(Map<String, Object> podSpec) {
    return containers(podSpec).stream()
        .filter(container -> Objects.toString(container.get("image"), "").startsWith("sluice:"))
        .filter(
            container -> get(container, "args") instanceof List<?> args && args.contains("load"))
        .toList();
  }

  static boolean isSidecar(Map<String, Object> container) {
    return "Always".equals(container.get("restartPolicy"));
  }
}
