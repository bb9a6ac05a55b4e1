package sluice.k8s;

import static sluice.k8s.Manifests.containers;
import static sluice.k8s.Manifests.list;
import static sluice.k8s.Manifests.map;
import static sluice.k8s.Manifests.ofKind;
import static sluice.k8s.Manifests.podLabels;
import static sluice.k8s.Manifests.podSpec;
import static sluice.k8s.Manifests.text;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * Who reaches whom inside a namespace, as its NetworkPolicies say: a pod that none is for lets
 * everybody in and out, one that has some whom any of them lets.
 */
final class Reach {
  private final List<Map<String, Object>> policies;

  Reach(List<Map<String, Object>> objects) {
    policies = ofKind(objects, "NetworkPolicy");
  }

  /** Whether a pod gets a connection to a port of another. */
  boolean allows(Map<String, Object> from, Map<String, Object> to, int port) {
    return leaves(from, to, port) && enters(podLabels(from), to, port);
  }

  /** Whether a pod with such labels, whose own policies allow it, is let in. */
  boolean enters(Map<String, Object> labels, Map<String, Object> to, int port) {
    return passes(
        podLabels(to),
        "Ingress",
        rule -> isPeer(list(rule, "from"), labels) && isPort(rule, to, port));
  }

  /** Whether a pod may ask for names. */
  boolean resolves(Map<String, Object> from) {
    return passes(
        podLabels(from),
        "Egress",
        rule ->
            list(rule, "to").isEmpty()
                && list(rule, "ports").stream()
                    .anyMatch(
                        port ->
                            "UDP".equals(port.get("protocol"))
                                && Integer.valueOf(53).equals(port.get("port"))));
  }

  private boolean leaves(Map<String, Object> from, Map<String, Object> to, int port) {
    return passes(
        podLabels(from),
        "Egress",
        rule -> isPeer(list(rule, "to"), podLabels(to)) && isPort(rule, to, port));
  }

  private boolean passes(
      Map<String, Object> labels, String type, Predicate<Map<String, Object>> rule) {
    List<Map<String, Object>> own =
        policies.stream()
            .filter(policy -> References.matches(map(policy, "spec", "podSelector"), labels))
            .filter(
                policy ->
                    map(policy, "spec").get("policyTypes") instanceof List<?> types
                        && types.contains(type))
            .toList();
    return own.isEmpty()
        || own.stream()
            .flatMap(
                policy ->
                    list(policy, "spec", type.equals("Ingress") ? "ingress" : "egress").stream())
            .anyMatch(rule);
  }

  private static boolean isPeer(List<Map<String, Object>> peers, Map<String, Object> labels) {
    return peers.isEmpty()
        || peers.stream()
            .filter(peer -> !peer.containsKey("namespaceSelector"))
            .filter(peer -> peer.containsKey("podSelector"))
            .anyMatch(peer -> References.matches(map(peer, "podSelector"), labels));
  }

  private static boolean isPort(Map<String, Object> rule, Map<String, Object> to, int port) {
    return list(rule, "ports").isEmpty()
        || list(rule, "ports").stream()
            .filter(allowed -> "TCP".equals(allowed.getOrDefault("protocol", "TCP")))
            .anyMatch(
                allowed ->
                    Integer.valueOf(port).equals(allowed.get("port"))
                        || Objects.equals(name(to, port), allowed.get("port")));
  }

  /** What the pod calls a port; null if it does not have it. */
  private static String name(Map<String, Object> workload, int port) {
    return containers(podSpec(workload)).stream()
        .flatMap(container -> list(container, "ports").stream())
        .filter(declared -> Integer.valueOf(port).equals(declared.get("containerPort")))
        .findFirst()
        .map(declared -> text(declared, "name"))
        .orElse(null);
  }
}
