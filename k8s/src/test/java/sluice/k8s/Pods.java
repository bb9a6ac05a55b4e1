package sluice.k8s;

import static sluice.k8s.Manifests.containers;
import static sluice.k8s.Manifests.drivers;
import static sluice.k8s.Manifests.gateways;
import static sluice.k8s.Manifests.get;
import static sluice.k8s.Manifests.isSidecar;
import static sluice.k8s.Manifests.list;
import static sluice.k8s.Manifests.map;
import static sluice.k8s.Manifests.ofKind;
import static sluice.k8s.Manifests.podSpec;
import static sluice.k8s.Manifests.text;
import static sluice.k8s.Manifests.title;
import static sluice.k8s.Manifests.workloads;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How pods behave: Pod Security's profile "restricted", images with a version, memory that is
 * neither acquired nor borrowed, and what a gateway in them needs.
 */
final class Pods {
  private static final Pattern HEAP = Pattern.compile("-Xmx(\\d+)m");
  private static final int IMAGE_HEAP_MEBIBYTES = 48; // build-tools/profiles/sidecar
  private static final int REST_OF_THE_JVM_MEBIBYTES = 100;
  private static final int LEAST_BUFFERS_MEBIBYTES = 16;
  private static final int DRIVERS_BUFFERS_MEBIBYTES =
      128; // 64 MiB of values at most, in requests and in replies

  /** What it takes to see the kernel's frames and their names. */
  /** The profile of {@code components/io-uring}, below the kubelet's directory of profiles. */
  private static final String IO_URING_PROFILE = "profiles/sluice-io-uring.json";

  private static final List<String> PERF_EVENTS = List.of("PERFMON", "SYSLOG");

  private final boolean perfEvents;
  private final List<String> problems = new ArrayList<>();

  private Pods(boolean perfEvents) {
    this.perfEvents = perfEvents;
  }

  static List<String> problems(List<Map<String, Object>> objects) {
    return problems(objects, false);
  }

  /**
   * The same of what asks for more than the profile, for one purpose.
   *
   * @param perfEvents whether a gateway beside a driver is root, with the capabilities that perf
   *     events need and no others
   */
  static List<String> problems(List<Map<String, Object>> objects, boolean perfEvents) {
    Pods pods = new Pods(perfEvents);
    for (Map<String, Object> workload : workloads(objects)) {
      pods.check(workload);
    }
    for (Map<String, Object> scaler : ofKind(objects, "HorizontalPodAutoscaler")) {
      ofKind(objects, "Deployment").stream()
          .filter(
              deployment ->
                  title(deployment).endsWith("/" + text(scaler, "spec", "scaleTargetRef", "name")))
          .filter(deployment -> get(deployment, "spec", "replicas") != null)
          .forEach(
              deployment ->
                  pods.problems.add(title(deployment) + ": its replicas are the autoscaler's"));
    }
    return pods.problems;
  }

  private void check(Map<String, Object> workload) {
    Map<String, Object> pod = podSpec(workload);
    for (String way : List.of("hostNetwork", "hostPID", "hostIPC")) {
      must(get(pod, way) == null, title(workload), way + " is not restricted");
    }
    must(
        Boolean.FALSE.equals(pod.get("automountServiceAccountToken")),
        title(workload),
        "gives its pods a token");
    for (Map<String, Object> volume : list(pod, "volumes")) {
      must(!volume.containsKey("hostPath"), title(workload), "mounts a path of the node");
    }
    for (Map<String, Object> container : containers(pod)) {
      checkContainer(title(workload) + "/" + container.get("name"), pod, container);
    }
    for (Map<String, Object> gateway : gateways(pod)) {
      checkGateway(title(workload) + "/" + gateway.get("name"), gateway);
    }
    for (Map<String, Object> driver : drivers(pod)) {
      String where = title(workload) + "/" + driver.get("name");
      must(
          Boolean.TRUE.equals(get(driver, "securityContext", "readOnlyRootFilesystem")),
          where,
          "may write to its root");
      checkMemory(where, driver, DRIVERS_BUFFERS_MEBIBYTES);
    }
    boolean annotated =
        map(workload, "spec", "template", "metadata", "annotations")
            .containsKey("prometheus.io/scrape");
    must(
        !annotated || gateways(pod).stream().allMatch(gateway -> hasPort(gateway, "9901")),
        title(workload),
        "is to be scraped on a port it does not have");
  }

  private void must(boolean holds, String where, String problem) {
    if (!holds) {
      problems.add(where + ": " + problem);
    }
  }

  private void checkContainer(
      String where, Map<String, Object> pod, Map<String, Object> container) {
    Map<String, Object> own = map(container, "securityContext");
    Map<String, Object> shared = map(pod, "securityContext");
    boolean profiled = perfEvents && !drivers(pod).isEmpty() && gateways(pod).contains(container);
    must(
        profiled
            || Boolean.TRUE.equals(own.getOrDefault("runAsNonRoot", shared.get("runAsNonRoot"))),
        where,
        "may run as root");
    must(
        profiled
            || (own.getOrDefault("runAsUser", shared.get("runAsUser")) instanceof Integer user
                && user > 0),
        where,
        "found no runAsUser that is a number above 0");
    must(
        Boolean.FALSE.equals(own.get("allowPrivilegeEscalation")),
        where,
        "may gain privileges (allowPrivilegeEscalation)");
    must(!own.containsKey("privileged"), where, "is privileged");
    must(
        List.of("ALL").equals(get(own, "capabilities", "drop"))
            && Objects.equals(get(own, "capabilities", "add"), profiled ? PERF_EVENTS : null),
        where,
        "keeps capabilities");
    Object seccomp = get(own, "seccompProfile", "type");
    must(
        "RuntimeDefault".equals(seccomp == null ? get(shared, "seccompProfile", "type") : seccomp)
            || ("Localhost".equals(seccomp)
                && IO_URING_PROFILE.equals(get(own, "seccompProfile", "localhostProfile"))),
        where,
        "has no seccomp profile");
    String image = Objects.toString(container.get("image"));
    String version = image.substring(image.lastIndexOf('/') + 1);
    must(
        version.contains(":") && !version.endsWith(":latest"),
        where,
        "found the image " + image + ", expected one with a version");
    Object memory = get(container, "resources", "requests", "memory");
    must(
        memory != null && memory.equals(get(container, "resources", "limits", "memory")),
        where,
        "requests other memory than its limit");
    must(
        get(container, "resources", "requests", "cpu") != null,
        where,
        "requests no processor time");
  }

  private void checkGateway(String where, Map<String, Object> gateway) {
    must(
        Boolean.TRUE.equals(get(gateway, "securityContext", "readOnlyRootFilesystem")),
        where,
        "may write to its root");
    must(
        "/live".equals(get(gateway, "startupProbe", "httpGet", "path")),
        where,
        "has no startupProbe");
    if (isSidecar(gateway)) {
      must(
          !gateway.containsKey("lifecycle"),
          where,
          "a sidecar's preStop begins before its application has ended");
      must(
          !gateway.containsKey("readinessProbe"),
          where,
          "a sidecar does not say whether its pod is ready");
    } else {
      must(
          "/ready".equals(get(gateway, "readinessProbe", "httpGet", "path")),
          where,
          "has no readinessProbe");
      must(
          "/live".equals(get(gateway, "livenessProbe", "httpGet", "path")),
          where,
          "has no livenessProbe");
      must(
          get(gateway, "lifecycle", "preStop", "sleep") != null,
          where,
          "does not sleep before it ends");
    }
    boolean loops =
        list(gateway, "env").stream()
            .anyMatch(
                variable ->
                    "EVENT_LOOPS".equals(variable.get("name"))
                        && "requests.cpu"
                            .equals(get(variable, "valueFrom", "resourceFieldRef", "resource")));
    must(loops, where, "takes its event loops from nowhere (EVENT_LOOPS)");
    checkMemory(where, gateway, LEAST_BUFFERS_MEBIBYTES);
  }

  private void checkMemory(String where, Map<String, Object> container, int buffers) {
    String limit = Objects.toString(get(container, "resources", "limits", "memory"), "0Mi");
    int mebibytes = Integer.parseInt(limit.substring(0, limit.length() - 2));
    must(
        heapMebibytes(container) + REST_OF_THE_JVM_MEBIBYTES + buffers <= mebibytes,
        where,
        "found a limit of " + limit + ", which heap, buffers and the JVM do not fit into");
  }

  private static int heapMebibytes(Map<String, Object> gateway) {
    for (Map<String, Object> variable : list(gateway, "env")) {
      Matcher heap = HEAP.matcher(Objects.toString(variable.get("value"), ""));
      if ("JAVA_TOOL_OPTIONS".equals(variable.get("name")) && heap.find()) {
        return Integer.parseInt(heap.group(1));
      }
    }
    return IMAGE_HEAP_MEBIBYTES;
  }

  private static boolean hasPort(Map<String, Object> container, String port) {
    return list(container, "ports").stream()
        .anyMatch(declared -> port.equals(Objects.toString(declared.get("containerPort"))));
  }
}
