package sluice.k8s;

import static sluice.k8s.Manifests.containers;
import static sluice.k8s.Manifests.get;
import static sluice.k8s.Manifests.list;
import static sluice.k8s.Manifests.map;
import static sluice.k8s.Manifests.ofKind;
import static sluice.k8s.Manifests.podLabels;
import static sluice.k8s.Manifests.podSpec;
import static sluice.k8s.Manifests.text;
import static sluice.k8s.Manifests.title;
import static sluice.k8s.Manifests.workloads;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What objects say of each other: selectors, names of ports, volumes, configurations, accounts. */
final class References {
  /**
   * What the manifests do not bring: certificates come from whoever signs them, and k8s/load.sh.
   */
  private static final Set<String> FROM_OUTSIDE =
      Set.of("Secret/sluice-tls", "Secret/" + LoadLogin.SECRET);

  private final List<Map<String, Object>> objects;
  private final Set<String> names = new HashSet<>(FROM_OUTSIDE);
  private final List<String> problems = new ArrayList<>();

  private References(List<Map<String, Object>> objects) {
    this.objects = objects;
  }

  static List<String> problems(List<Map<String, Object>> objects) {
    return new References(objects).check();
  }

  private List<String> check() {
    for (Map<String, Object> object : objects) {
      if (!names.add(title(object))) {
        problems.add(title(object) + " is there twice");
      }
    }
    workloads(objects).forEach(this::checkWorkload);
    ofKind(objects, "Service").forEach(this::checkService);
    for (Map<String, Object> policy : ofKind(objects, "NetworkPolicy")) {
      checkPorts(
          policy,
          selected(policy, map(policy, "spec", "podSelector")),
          list(policy, "spec", "ingress").stream()
              .flatMap(rule -> list(rule, "ports").stream())
              .map(port -> port.get("port"))
              .toList());
      checkPeers(policy, "ingress", "from");
      checkPeers(policy, "egress", "to");
    }
    for (Map<String, Object> monitor : ofKind(objects, "PodMonitor")) {
      checkPorts(
          monitor,
          selected(monitor, map(monitor, "spec", "selector")),
          list(monitor, "spec", "podMetricsEndpoints").stream()
              .map(endpoint -> endpoint.get("port"))
              .toList());
    }
    for (Map<String, Object> budget : ofKind(objects, "PodDisruptionBudget")) {
      selected(budget, map(budget, "spec", "selector"));
    }
    for (Map<String, Object> scaler : ofKind(objects, "HorizontalPodAutoscaler")) {
      must(
          scaler,
          text(scaler, "spec", "scaleTargetRef", "kind")
              + "/"
              + text(scaler, "spec", "scaleTargetRef", "name"));
    }
    return problems;
  }

  private void must(Map<String, Object> who, String title) {
    if (!names.contains(title)) {
      problems.add(title(who) + " refers to " + title + ", which is not there");
    }
  }

  private void checkService(Map<String, Object> service) {
    List<Map<String, Object>> pods =
        selected(service, Map.of("matchLabels", map(service, "spec", "selector")));
    checkPorts(
        service,
        pods,
        list(service, "spec", "ports").stream().map(port -> port.get("targetPort")).toList());
  }

  /** Workloads whose pods selector selects; there must be one. */
  private List<Map<String, Object>> selected(
      Map<String, Object> who, Map<String, Object> selector) {
    List<Map<String, Object>> pods =
        workloads(objects).stream()
            .filter(workload -> matches(selector, podLabels(workload)))
            .toList();
    if (pods.isEmpty()) {
      problems.add(title(who) + " selects no pods: " + selector);
    }
    return pods;
  }

  /** Pods of the same namespace that a policy names are there, and have the ports they are for. */
  private void checkPeers(Map<String, Object> policy, String direction, String way) {
    for (Map<String, Object> rule : list(policy, "spec", direction)) {
      for (Map<String, Object> peer : list(rule, way)) {
        if (peer.containsKey("podSelector") && !peer.containsKey("namespaceSelector")) {
          List<Map<String, Object>> pods = selected(policy, map(peer, "podSelector"));
          if (way.equals("to")) {
            checkPorts(
                policy, pods, list(rule, "ports").stream().map(port -> port.get("port")).toList());
          }
        }
      }
    }
  }

  /** Whether an object is about the pods that a workload makes. */
  static boolean selects(Map<String, Object> object, Map<String, Object> workload) {
    Object selector = get(object, "spec", "selector");
    Object policy = get(object, "spec", "podSelector");
    if (selector == null && policy == null) {
      return false;
    }
    boolean plain = object.get("kind").equals("Service");
    Map<String, Object> labels =
        plain ? Map.of("matchLabels", map(selector)) : map(policy == null ? selector : policy);
    return matches(labels, podLabels(workload));
  }

  /** Whether a selector of labels selects what has these. */
  static boolean matches(Map<String, Object> selector, Map<String, Object> labels) {
    return map(selector, "matchLabels").entrySet().stream()
            .allMatch(label -> label.getValue().equals(labels.get(label.getKey())))
        && list(selector, "matchExpressions").stream()
            .allMatch(
                expression ->
                    "In".equals(expression.get("operator"))
                        && ((List<?>) expression.get("values"))
                            .contains(labels.get(text(expression, "key"))));
  }

  private void checkPorts(
      Map<String, Object> who, List<Map<String, Object>> pods, List<Object> ports) {
    for (Map<String, Object> pod : pods) {
      Set<Object> declared = new HashSet<>();
      for (Map<String, Object> container : containers(podSpec(pod))) {
        declared.addAll(portsOf(container));
      }
      for (Object port : ports) {
        if (!declared.contains(port)) {
          problems.add(title(who) + ": no container of " + title(pod) + " has the port " + port);
        }
      }
    }
  }

  private static Set<Object> portsOf(Map<String, Object> container) {
    Set<Object> ports = new HashSet<>();
    for (Map<String, Object> port : list(container, "ports")) {
      ports.add(port.get("name"));
      ports.add(port.get("containerPort"));
    }
    return ports;
  }

  private void checkWorkload(Map<String, Object> workload) {
    Map<String, Object> pod = podSpec(workload);
    if (workload.get("kind").equals("Deployment") || workload.get("kind").equals("StatefulSet")) {
      if (!matches(map(workload, "spec", "selector"), podLabels(workload))) {
        problems.add(title(workload) + ": its selector does not match its template's labels");
      }
    }
    if (workload.get("kind").equals("StatefulSet")) {
      must(workload, "Service/" + text(workload, "spec", "serviceName"));
    }
    if (pod.containsKey("serviceAccountName")) {
      must(workload, "ServiceAccount/" + text(pod, "serviceAccountName"));
    }
    Set<String> volumes = new HashSet<>();
    for (Map<String, Object> volume : list(pod, "volumes")) {
      volumes.add(text(volume, "name"));
      checkSource(workload, "ConfigMap", text(volume, "configMap", "name"));
      checkSource(workload, "Secret", text(volume, "secret", "secretName"));
      checkSource(
          workload, "PersistentVolumeClaim", text(volume, "persistentVolumeClaim", "claimName"));
    }
    list(workload, "spec", "volumeClaimTemplates")
        .forEach(claim -> volumes.add(text(claim, "metadata", "name")));
    Set<String> ports = new HashSet<>();
    for (Map<String, Object> container : containers(pod)) {
      checkContainer(workload, container, volumes);
      for (Map<String, Object> port : list(container, "ports")) {
        String name = text(port, "name");
        if (name == null || name.length() > 15 || !ports.add(name)) {
          problems.add(
              title(workload)
                  + ": found the port's name "
                  + name
                  + ", expected one of its own of at most 15 letters");
        }
      }
    }
  }

  private void checkSource(Map<String, Object> workload, String kind, String name) {
    if (name != null) {
      must(workload, kind + "/" + name);
    }
  }

  private void checkContainer(
      Map<String, Object> workload, Map<String, Object> container, Set<String> volumes) {
    String where = title(workload) + "/" + container.get("name");
    for (Map<String, Object> mount : list(container, "volumeMounts")) {
      if (!volumes.contains(text(mount, "name"))) {
        problems.add(where + ": mounts the volume " + mount.get("name") + ", which is not there");
      }
      if (mount.containsKey("subPath")) {
        problems.add(where + ": a mount by subPath never changes");
      }
    }
    for (String probe : List.of("startupProbe", "readinessProbe", "livenessProbe")) {
      for (String way : List.of("httpGet", "tcpSocket")) {
        Object port = get(container, probe, way, "port");
        if (port != null && !portsOf(container).contains(port)) {
          problems.add(
              where + ": " + probe + " asks the port " + port + ", which it does not have");
        }
      }
    }
    for (Map<String, Object> variable : list(container, "env")) {
      checkSource(workload, "ConfigMap", text(variable, "valueFrom", "configMapKeyRef", "name"));
      checkSource(workload, "Secret", text(variable, "valueFrom", "secretKeyRef", "name"));
      Map<String, Object> field = map(variable, "valueFrom", "resourceFieldRef");
      if (!field.isEmpty() && !container.get("name").equals(field.get("containerName"))) {
        problems.add(where + ": " + variable.get("name") + " is of another container");
      }
    }
  }
}
