package sluice.k8s;

import static sluice.k8s.Manifests.get;
import static sluice.k8s.Manifests.list;
import static sluice.k8s.Manifests.podSpec;
import static sluice.k8s.Manifests.text;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The Secret that k8s/load.sh makes: the login that a driver takes profiles with. */
final class LoadLogin {
  static final String SECRET = "sluice-load-admin";
  static final String USER = "load";

  private static final Map<String, String> DATA =
      Map.of("users", USER + ":secret", "password", "secret");

  private LoadLogin() {}

  /**
   * The text of a file that names files of the Secret, with names of such files as the container
   * sees; as it is if the container does not mount it.
   *
   * @param directory where files may be written
   */
  static String mounted(
      Map<String, Object> workload, Map<String, Object> container, String text, Path directory)
      throws Exception {
    String result = text;
    for (Map<String, Object> mount : list(container, "volumeMounts")) {
      Optional<Map<String, Object>> volume =
          list(podSpec(workload), "volumes").stream()
              .filter(v -> Objects.equals(v.get("name"), mount.get("name")))
              .filter(v -> SECRET.equals(text(v, "secret", "secretName")))
              .findFirst();
      if (volume.isPresent()) {
        Path files = Files.createTempDirectory(directory, "admin");
        for (Map<String, Object> item : items(volume.get())) {
          String content = DATA.get(text(item, "key"));
          if (content != null) {
            Files.writeString(files.resolve(text(item, "path")), content);
          }
        }
        result = result.replace(text(mount, "mountPath"), files.toString());
      }
    }
    return result;
  }

  private static List<Map<String, Object>> items(Map<String, Object> volume) {
    return get(volume, "secret", "items") == null
        ? DATA.keySet().stream()
            .map(key -> Map.<String, Object>of("key", key, "path", key))
            .toList()
        : list(volume, "secret", "items");
  }
}
