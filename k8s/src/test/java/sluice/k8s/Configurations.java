package sluice.k8s;

import static sluice.k8s.Manifests.get;
import static sluice.k8s.Manifests.isSidecar;
import static sluice.k8s.Manifests.list;
import static sluice.k8s.Manifests.name;
import static sluice.k8s.Manifests.ofKind;
import static sluice.k8s.Manifests.podSpec;
import static sluice.k8s.Manifests.text;
import static sluice.k8s.Manifests.title;
import static sluice.k8s.Manifests.workloads;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import sluice.config.LoadResult;
import sluice.config.Loader;
import sluice.config.model.Address;
import sluice.config.model.Configuration;
import sluice.config.model.ListenerConfig;

/**
 * The configuration files that pods mount: {@code sluice check} must find nothing, ports must be
 * those of the container, and the pod must have the time that the file takes to drain.
 */
final class Configurations {
  private static final int MARGIN_SECONDS = 5;

  private final List<Map<String, Object>> objects;
  private final Path directory;
  private final List<String> problems = new ArrayList<>();
  private final Map<String, Configuration> gateways = new HashMap<>(); // by their workload's title

  private Configurations(List<Map<String, Object>> objects, Path directory) {
    this.objects = objects;
    this.directory = directory;
  }

  /**
   * What is wrong.
   *
   * @param directory where files may be written
   */
  static List<String> problems(List<Map<String, Object>> objects, Path directory) throws Exception {
    Configurations check = new Configurations(objects, directory);
    for (Map<String, Object> workload : workloads(objects)) {
      for (Map<String, Object> gateway : Manifests.gateways(podSpec(workload))) {
        check.check(workload, gateway);
      }
    }
    check.problems.addAll(LoadJobs.problems(objects, check.gateways, directory));
    return check.problems;
  }

  private void check(Map<String, Object> workload, Map<String, Object> gateway) throws Exception {
    String where = title(workload) + "/" + gateway.get("name");
    List<?> arguments = (List<?>) gateway.get("args");
    Path path = Path.of((String) arguments.get(arguments.size() - 1));
    String content = mounted(objects, workload, gateway, path);
    if (content == null) {
      problems.add(where + ": mounts nothing that is " + path);
      return;
    }
    String found =
        LoadLogin.mounted(workload, gateway, content, directory)
            .replace("/etc/sluice-tls", certificates().toString());
    LoadResult result = load(found, gateway);
    result.problems().forEach(problem -> problems.add(where + ": " + problem));
    result.warnings().stream()
        // A password of nobody's, between two pods that nobody else reaches: see Reach.
        .filter(warning -> !(warning.path().equals("admin.auth") && !found.equals(content)))
        .forEach(warning -> problems.add(where + ": " + warning));
    if (result.isValid()) {
      checkAgainst(workload, gateway, where, result.configuration());
      gateways.put(title(workload), result.configuration());
    }
  }

  private LoadResult load(String content, Map<String, Object> gateway) throws Exception {
    Path file = Files.createTempDirectory(directory, "etc").resolve("sluice.yaml");
    Files.writeString(file, content);
    return Loader.load(file, environment(gateway)::get);
  }

  /** What the container sees at path, of the ConfigMaps it mounts; null if nothing. */
  static String mounted(
      List<Map<String, Object>> objects,
      Map<String, Object> workload,
      Map<String, Object> container,
      Path path) {
    for (Map<String, Object> mount : list(container, "volumeMounts")) {
      if (Path.of(text(mount, "mountPath")).equals(path.getParent())) {
        for (Map<String, Object> volume : list(podSpec(workload), "volumes")) {
          if (Objects.equals(volume.get("name"), mount.get("name"))) {
            return ofKind(objects, "ConfigMap").stream()
                .filter(map -> name(map).equals(text(volume, "configMap", "name")))
                .findFirst()
                .map(map -> text(map, "data", path.getFileName().toString()))
                .orElse(null);
          }
        }
      }
    }
    return null;
  }

  /** What the kubelet would set, for a pod at 10.1.2.3. */
  private static Map<String, String> environment(Map<String, Object> gateway) {
    Map<String, String> environment = new HashMap<>();
    for (Map<String, Object> variable : list(gateway, "env")) {
      String value = text(variable, "value");
      if (get(variable, "valueFrom", "resourceFieldRef") != null) {
        value = wholeProcessors(text(gateway, "resources", "requests", "cpu"));
      } else if (get(variable, "valueFrom", "fieldRef") != null) {
        value = "10.1.2.3";
      }
      environment.put(text(variable, "name"), value);
    }
    return environment;
  }

  /** The downward API rounds up: 250m is 1. */
  private static String wholeProcessors(String cpu) {
    return cpu.endsWith("m")
        ? Integer.toString((Integer.parseInt(cpu.substring(0, cpu.length() - 1)) + 999) / 1000)
        : cpu;
  }

  private void checkAgainst(
      Map<String, Object> workload,
      Map<String, Object> gateway,
      String where,
      Configuration configuration) {
    List<String> ports =
        Stream.concat(
                Stream.of(configuration.admin().bind()),
                configuration.listeners().values().stream().map(ListenerConfig::bind))
            .map(address -> address instanceof Address.Tcp tcp ? Integer.toString(tcp.port()) : "")
            .toList();
    for (Map<String, Object> port : list(gateway, "ports")) {
      if (!ports.contains(text(port, "containerPort"))) {
        problems.add(where + ": nothing listens on its port " + port.get("containerPort"));
      }
    }
    long drainSeconds = configuration.process().drainMillis() / 1000;
    int sleepSeconds =
        get(gateway, "lifecycle", "preStop", "sleep", "seconds") instanceof Integer sleep
            ? sleep
            : 0;
    Object grace = podSpec(workload).getOrDefault("terminationGracePeriodSeconds", 30);
    if ((Integer) grace < sleepSeconds + drainSeconds + MARGIN_SECONDS) {
      problems.add(
          "%s: found a grace period of %s s, expected the sleep of %d s, the drain of %d s and %d s more"
              .formatted(where, grace, sleepSeconds, drainSeconds, MARGIN_SECONDS));
    }
    boolean scaled =
        ofKind(objects, "HorizontalPodAutoscaler").stream()
            .anyMatch(
                scaler -> name(workload).equals(text(scaler, "spec", "scaleTargetRef", "name")));
    if (scaled && !isSidecar(gateway)) {
      String staying =
          configuration.listeners().entrySet().stream()
              .filter(listener -> listener.getValue().limits().maxAgeMillis() == 0)
              .map(Map.Entry::getKey)
              .collect(Collectors.joining(", "));
      if (!staying.isEmpty()) {
        problems.add(where + ": is scaled, but clients of " + staying + " stay (limits.maxAge)");
      }
    }
  }

  private Path certificates() throws Exception {
    Path tls = directory.resolve("tls");
    if (!Files.exists(tls)) {
      X509Bundle bundle =
          new CertificateBuilder()
              .subject("CN=sluice")
              .setIsCertificateAuthority(true)
              .algorithm(CertificateBuilder.Algorithm.ecp256)
              .buildSelfSigned();
      Files.createDirectory(tls);
      Files.writeString(tls.resolve("tls.crt"), bundle.getCertificatePathPEM());
      Files.writeString(tls.resolve("ca.crt"), bundle.getCertificatePathPEM());
      Files.writeString(tls.resolve("tls.key"), bundle.getPrivateKeyPEM());
    }
    return tls;
  }
}
