package sluice.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What goes wrong when manifests are edited: each must be found, by name. */
class MutationTest {
  /** Overlays of which nothing was found as they are. */
  private static final Set<String> FLAWLESS = new HashSet<>();

  @TempDir Path directory;

  @ParameterizedTest(name = "{0}: {1} -> {2}")
  @CsvSource(
      delimiter = '|',
      value = {
        // fields and types
        "gateway    | readinessProbe:          | readynessProbe:            | readynessProbe",
        "gateway    | periodSeconds: 5         | periodSeconds: often       | periodSeconds",
        "gateway    | maxUnavailable: 1        | maxUnavailabel: 1          | maxUnavailabel",
        "sidecar    | kind: StatefulSet        | kind: StatefullSet         | StatefullSet",
        "production | averageUtilization: 60   | averageUtilisation: 60     | averageUtilisation",
        "production | podMetricsEndpoints:     | podMetricEndpoints:        | podMetricEndpoints",
        // references
        "gateway    | name: tmp                | name: temp                 | mounts the volume"
            + " temp",
        "gateway    | targetPort: memcached    | targetPort: memcache       | has the port"
            + " memcache",
        "gateway    | port: admin              | port: administration       | administration",
        "gateway    | serviceAccountName: sluice | serviceAccountName: slice |"
            + " ServiceAccount/slice, which is not there",
        "gateway    | serviceName: memcached   | serviceName: cache         | Service/cache, which"
            + " is not there",
        "production | secretName: sluice-tls   | secretName: sluice-tsl     | Secret/sluice-tsl,"
            + " which is not there",
        "sidecar    | name: application-sluice | name: application-slice    |"
            + " ConfigMap/application-sluice, which is not there",
        "production | kind: PodMonitor         | kind: PodMonitors          | no schema of"
            + " monitoring.coreos.com.v1.PodMonitors",
        // pods
        "gateway    | image: sluice:0.1.0-SNAPSHOT | image: sluice:latest   | expected one with a"
            + " version",
        "gateway    | readOnlyRootFilesystem: true | readOnlyRootFilesystem: false | may write to"
            + " its root",
        "gateway    | allowPrivilegeEscalation: false | allowPrivilegeEscalation: true | may gain"
            + " privileges",
        "gateway    | runAsUser: 65532         | runAsUser: 0               | above 0",
        "gateway    | - ALL                    | - NET_RAW                  | keeps capabilities",
        "gateway    | type: RuntimeDefault     | type: Unconfined           | no seccomp profile",
        "gateway    | memory: 384Mi            | memory: 192Mi              | memory",
        "gateway    | -Xmx96m                  | -Xmx300m                   | do not fit",
        "gateway    | resource: requests.cpu   | resource: limits.cpu       | EVENT_LOOPS",
        "sidecar    | restartPolicy: Always    | restartPolicy: OnFailure   | has no"
            + " readinessProbe",
        // what the gateway is told
        "gateway    | drain: 20s               | drain: 40s                 | expected the sleep of"
            + " 10 s, the drain of 40 s",
        "gateway    | seconds: 10              | seconds: 25                | expected the sleep of"
            + " 25 s",
        "gateway    | distribution: ketama     | distribution: ketema       | ketema",
        "gateway    | - pool: cache            | - pool: cash               | cash",
        "gateway    | bind: 0.0.0.0:11211      | bind: 0.0.0.0:11212        | nothing listens on"
            + " its port 11211",
        "gateway    | mountPath: /etc/sluice   | mountPath: /etc/slice      | mounts nothing that"
            + " is /etc/sluice/sluice.yaml",
        "production | limits: {maxAge: 30m}    | limits: {idle: 30m}        | clients of memcached"
            + " stay",
        "production | tls.key}                 | server.key}                | server.key",
        "internode  | bind: ${env:POD_IP}:7000 | bind: ${env:HOST_IP}:7000  | HOST_IP",
        "internode  | TRUNCATE_REQ             | TRUNCATE                   | TRUNCATE",
        // the load job
        "load       | backoffLimit: 2          | backOffLimit: 2            | backOffLimit",
        "load       | onExitCodes:             | onExitcodes:               | onExitcodes",
        "load       | restartPolicy: Always    | restartPolicy: OnFailure   | the driver never"
            + " starts",
        "load       | name: sluice-load-plan   | name: sluice-load-plain    |"
            + " ConfigMap/sluice-load-plan, which is not there",
        "load-pvc   | claimName: sluice-load-artifacts | claimName: artifacts |"
            + " PersistentVolumeClaim/artifacts, which is not there",
        "load       | plan.yaml:               | plans.yaml:                | mounts nothing"
            + " that is /etc/load/plan.yaml",
        "load       | mountPath: /artifacts    | mountPath: /results        | mounts nothing to"
            + " write artifacts to at /artifacts",
        "load       | dialect: meta            | dialect: metal             | loads.meta.dialect:"
            + " found metal",
        "load       | replicas: 127.0.0.1:7012 | replica: 127.0.0.1:7012    | nodes.replica: found"
            + " an unknown key",
        "load       | memcached: 127.0.0.1:11210 | memcached: 127.0.0.1:11212 | no listener of"
            + " the gateway is at 127.0.0.1:11212",
        "load       | memcached: 127.0.0.1:11211 | memcached: 127.0.0.1:11212 | no pool of the"
            + " gateway leads to 127.0.0.1:11212",
        "load       | admin: 127.0.0.1:9901    | admin: 127.0.0.1:9902      | admin port is not"
            + " gateway.admin",
        "load       | gc: 1%                   | gcs: 1%                    | gcs: found an unknown"
            + " key",
        "load       | activeDeadlineSeconds: 1800 | activeDeadlineSeconds: 900 | expected 3 tries"
            + " of",
        "load       | - 3                      | - 5                        | over budget is tried"
            + " again",
        "load       | - 1                      | - 4                        | invalid run is not"
            + " tried again",
        "load       | cpu: \"1\"                | cpu: 500m                  | whole processors",
        "load       | -Xmx256m                 | -Xmx400m                   | do not fit",
        "load       | timeout: 10s             | timeout: 10                | timeout",
        // and with what it measures on other nodes
        "load-distributed | admin: sluice-load-gateway:9901 | admin: sluice-load-gate:9901 | no"
            + " Service without an address of its own leads to a pod from sluice-load-gate:9901",
        "load-distributed | memcached: sluice-load-memcached:11211 | memcached: sluice-load-m:11211"
            + " | leads to a pod from sluice-load-m:11211",
        "load-distributed | memcached: sluice-load-gateway:11211 |"
            + " memcached: sluice-load-gateway:11212 | no listener of the gateway is at",
        "load-distributed | [\"sluice-load-memcached:11211\"] | [\"memcached:11211\"] | no pool of"
            + " the gateway leads to sluice-load-memcached:11211",
        "load-distributed | bind: 0.0.0.0:11211 | bind: 127.0.0.1:11211  | no listener of the"
            + " gateway is at",
        "load-distributed | bind: 0.0.0.0:9901 | bind: 127.0.0.1:9901    | admin port is not"
            + " gateway.admin",
        "load-distributed | clusterIP: None    | clusterIP: 10.0.0.1     | no Service without an"
            + " address of its own",
        "load-distributed | topologyKey: kubernetes.io/hostname | topologyKey:"
            + " topology.kubernetes.io/zone | Deployment/sluice-load-gateway may share a node with"
            + " Deployment/sluice-load-memcached",
        "load-distributed | secretName: sluice-load-admin | secretName: sluice-admin |"
            + " Secret/sluice-admin, which is not there",
        "load-distributed | auth: {users: /etc/sluice-load-admin/users} | ready: routes |"
            + " admin.auth does not know the login",
        "load-distributed | user: load         | user: loader            | admin.auth does not"
            + " know the login",
        "load-distributed | - key: users       | - key: user             | admin.auth.users: found",
        "load-distributed | - key: password    | - key: secret           | gateway.passwordFile:"
            + " found",
        "load-distributed | cpu: \"2\"       | cpu: 1500m              | Deployment/sluice-load"
            + "-memcached/memcached: what is measured has whole processors",
        "load-distributed | activeDeadlineSeconds: 2700 | activeDeadlineSeconds: 1800 | expected 3"
            + " tries of 780 s",
        "load-distributed | - port: memcached  | - port: memcache        | has the port memcache",
        "load-distributed | - port: 9901       | - port: 9902            | has the port 9902",
        "load-distributed | - port: admin      | - port: memcached       | do not let"
            + " Job/sluice-load reach Deployment/sluice-load-gateway at 9901",
        "load-distributed | - port: 53         | - port: 54              | Job/sluice-load may not"
            + " ask for names",
        "load-distributed | - Ingress          | - Egress                | others than the three"
            + " reach Job/sluice-load at",
        "load-perf-events | - SYSLOG           | - SYS_ADMIN                | keeps capabilities",
        "load-perf-events | runAsUser: 11211   | runAsUser: 0               | memcached: found no"
            + " runAsUser"
      })
  void shouldBeFound(String overlay, String text, String mutation, String problem)
      throws Exception {
    String rendered = Files.readString(Manifests.ROOT.resolve("rendered/" + overlay + ".yaml"));
    assertThat(rendered).contains(text);
    if (!FLAWLESS.contains(overlay)) {
      assertThat(problems(overlay, Manifests.parse(rendered))).isEmpty();
      FLAWLESS.add(overlay);
    }

    int at = rendered.indexOf(text);
    String mutated = rendered.substring(0, at) + mutation + rendered.substring(at + text.length());
    assertThat(problems(overlay, Manifests.parse(mutated)))
        .anyMatch(found -> found.contains(problem));
  }

  private List<String> problems(String overlay, List<Map<String, Object>> objects)
      throws Exception {
    List<String> problems = new ArrayList<>(TypedModel.problems(objects));
    for (String version : Schemas.VERSIONS) {
      problems.addAll(Schemas.of(version).problems(objects));
    }
    problems.addAll(References.problems(objects));
    // The others read what has the right types.
    if (problems.isEmpty()) {
      Stream.of(
              Pods.problems(objects, Manifests.usesPerfEvents(overlay)),
              Configurations.problems(objects, directory))
          .forEach(problems::addAll);
    }
    return problems;
  }
}
