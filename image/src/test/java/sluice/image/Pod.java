package sluice.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * The load job's pod as its manifest says, without a cluster: the containers, each with a root and
 * a {@code /tmp} of its own, in one network that holds nothing else, so that ports are the
 * manifest's. Sidecars start in their order, one when the one before answers its startup probe;
 * they end when the main container has ended. The memcached is the machine's. Limits are not kept.
 */
final class Pod {
  /** $1 is the port of a startup probe, $2 its path, empty if connecting is enough. */
  private static final String HEAD =
      """
      ip link set lo up || exit 125
      await() {
        for i in $(seq 600); do
          if { exec 5<>"/dev/tcp/127.0.0.1/$1"; } 2>/dev/null; then
            [ -n "$2" ] || return 0
            printf 'GET %s HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' "$2" >&5
            if head -n 1 <&5 | grep -q ' 200 '; then return 0; fi
          fi
          sleep 0.1
        done
        echo "nothing answered on port $1" >&2
        exit 125
      }
      """;

  private final Path directory;
  private final Path root;
  private final ImageFile image;
  private final List<Map<String, Object>> objects = new ArrayList<>();
  private final Map<String, Path> volumes = new LinkedHashMap<>();

  /**
   * A pod of a rendered manifest.
   *
   * @param directory where its volumes will be
   * @param root where the image is unpacked
   */
  Pod(Path manifest, Path directory, ImageFile image, Path root) throws IOException {
    this.directory = directory;
    this.image = image;
    this.root = root;
    for (Object document :
        new Load(LoadSettings.builder().build()).loadAllFromString(Files.readString(manifest))) {
      objects.add(map(document));
    }
    for (Map<String, Object> volume : list(spec().get("volumes"))) {
      volumes.put((String) volume.get("name"), fill(volume));
    }
  }

  @SuppressWarnings("unchecked") // keys of manifests are text
  private static Map<String, Object> map(Object value) {
    return value == null ? Map.of() : (Map<String, Object>) value;
  }

  private static List<Map<String, Object>> list(Object value) {
    return value == null ? List.of() : ((List<?>) value).stream().map(Pod::map).toList();
  }

  private Map<String, Object> object(String kind, Object name) {
    return objects.stream()
        .filter(object -> kind.equals(object.get("kind")))
        .filter(object -> name == null || name.equals(map(object.get("metadata")).get("name")))
        .findFirst()
        .orElseThrow();
  }

  private Map<String, Object> spec() {
    return map(map(map(object("Job", null).get("spec")).get("template")).get("spec"));
  }

  /** A ConfigMap's files, or an empty directory that everybody may write to. */
  private Path fill(Map<String, Object> volume) throws IOException {
    Path here = Files.createDirectory(directory.resolve((String) volume.get("name")));
    Files.setPosixFilePermissions(here, PosixFilePermissions.fromString("rwxrwxrwx"));
    if (volume.containsKey("configMap")) {
      Object name = map(volume.get("configMap")).get("name");
      for (Map.Entry<String, Object> file : map(object("ConfigMap", name).get("data")).entrySet()) {
        Files.writeString(here.resolve(file.getKey()), (String) file.getValue());
      }
    }
    return here;
  }

  /** Where a volume's files are. */
  Path volume(String name) {
    return volumes.get(name);
  }

  /**
   * The command that is the pod: it ends when the main container has ended and the others have been
   * told to, with the main container's exit code; 124 if the gateway did not end well. What the
   * main container prints, it prints; of the others there is a log each, NAME.log.
   */
  List<String> command() throws IOException {
    // One unshare for the network, one for each root; whoever is not root keeps what the first
    // gave.
    List<String> unshare = Confinement.namespaces("--mount", "--net").orElseThrow();
    StringBuilder script = new StringBuilder(HEAD);
    List<String> stops = new ArrayList<>();
    for (Map<String, Object> sidecar : list(spec().get("initContainers"))) {
      String name = (String) sidecar.get("name");
      script
          .append(words(sidecar))
          .append(" >")
          .append(quoted(directory.resolve(name + ".log").toString()))
          .append(" 2>&1 &\n")
          .append(name)
          .append("=$!\n")
          .append(await(sidecar));
      String otherwise = isOfTheImage(sidecar) ? "sidecars=" + name : ":";
      stops.add(0, "kill $" + name + "; wait $" + name + " || " + otherwise + "\n");
    }
    script.append(words(list(spec().get("containers")).get(0))).append("\ncode=$?\n");
    stops.forEach(script::append);
    script.append(
        "[ -z \"${sidecars:-}\" ] || { echo \"$sidecars did not end well\"; exit 124; }\n");
    script.append("exit $code\n");
    List<String> command = new ArrayList<>(unshare);
    command.addAll(List.of("bash", "-c", script.toString()));
    return command;
  }

  private static String await(Map<String, Object> container) {
    Map<String, Object> probe = map(container.get("startupProbe"));
    Map<String, Object> get = map(probe.get("httpGet"));
    Object port = get.isEmpty() ? map(probe.get("tcpSocket")).get("port") : get.get("port");
    for (Map<String, Object> declared : list(container.get("ports"))) {
      if (declared.get("name").equals(port)) {
        port = declared.get("containerPort");
      }
    }
    return "await " + port + " " + quoted((String) get.getOrDefault("path", "")) + "\n";
  }

  private static boolean isOfTheImage(Map<String, Object> container) {
    return ((String) container.get("image")).startsWith("sluice:");
  }

  private String words(Map<String, Object> container) throws IOException {
    List<String> arguments =
        ((List<?>) container.get("args")).stream().map(Object::toString).toList();
    List<String> words = new ArrayList<>();
    if (isOfTheImage(container)) {
      Map<Path, String> mounts = new LinkedHashMap<>();
      for (Map<String, Object> mount : list(container.get("volumeMounts"))) {
        String at = (String) mount.get("mountPath");
        if (!at.equals("/tmp")) { // it has one of its own
          mounts.put(volumes.get(mount.get("name")), at);
        }
      }
      words.addAll(
          Confinement.Namespaces.rooted(
              root,
              mounts,
              environment(container),
              List.of("unshare", "--mount"),
              image.commandLine(arguments)));
    } else {
      words.add("memcached");
      words.addAll(List.of("-u", "nobody")); // looked at where root starts it
      words.addAll(arguments);
    }
    return words.stream().map(Pod::quoted).collect(Collectors.joining(" "));
  }

  /** As the kubelet would set it: of the resources, CPU requests are asked for, whole ones. */
  private static List<String> environment(Map<String, Object> container) {
    List<String> environment = new ArrayList<>();
    for (Map<String, Object> variable : list(container.get("env"))) {
      Object value =
          Optional.ofNullable(variable.get("value"))
              .orElseGet(() -> map(map(container.get("resources")).get("requests")).get("cpu"));
      environment.add(variable.get("name") + "=" + value);
    }
    return environment;
  }

  private static String quoted(String word) {
    return "'" + word.replace("'", "'\\''") + "'";
  }
}
