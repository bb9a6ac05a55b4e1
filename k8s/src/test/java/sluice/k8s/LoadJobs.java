package sluice.k8s;

import static sluice.k8s.Manifests.containers;
import static sluice.k8s.Manifests.get;
import static sluice.k8s.Manifests.list;
import static sluice.k8s.Manifests.map;
import static sluice.k8s.Manifests.podLabels;
import static sluice.k8s.Manifests.podSpec;
import static sluice.k8s.Manifests.text;
import static sluice.k8s.Manifests.title;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import sluice.config.model.Address;
import sluice.config.model.Configuration;
import sluice.config.model.PoolConfig;
import sluice.config.plan.LoadPlan;
import sluice.config.plan.PlanReader;
import sluice.config.problems.Problem;

/**
 * Pods that run the load job, with a gateway or apart from it: the tool takes plan and budgets,
 * what the plan names is where the gateway's configuration has it and can be reached, and the Job
 * lets the tries it allows come to their ends. Where pods are apart, so are their nodes.
 */
final class LoadJobs {
  private static final String OVER_BUDGET = "3";
  private static final String INVALID = "4";
  private static final String LOOPBACK = "127.0.0.1";

  private final List<Map<String, Object>> objects;
  private final Map<String, Object> workload;
  private final Map<String, Configuration> gateways;
  private final Path directory;
  private final Reach reach;
  private final List<String> problems = new ArrayList<>();

  private LoadJobs(
      List<Map<String, Object>> objects,
      Map<String, Object> workload,
      Map<String, Configuration> gateways,
      Path directory) {
    this.objects = objects;
    this.workload = workload;
    this.gateways = gateways;
    this.directory = directory;
    reach = new Reach(objects);
  }

  /**
   * What is wrong with drivers and what they measure; nothing where there are none.
   *
   * @param gateways configurations, by the titles of the workloads that run them
   * @param directory where files may be written
   */
  static List<String> problems(
      List<Map<String, Object>> objects, Map<String, Configuration> gateways, Path directory)
      throws Exception {
    List<String> problems = new ArrayList<>();
    for (Map<String, Object> workload : Manifests.workloads(objects)) {
      LoadJobs check = new LoadJobs(objects, workload, gateways, directory);
      for (Map<String, Object> driver : Manifests.drivers(podSpec(workload))) {
        check.check(driver);
      }
      problems.addAll(check.problems);
    }
    return problems;
  }

  private void must(boolean holds, Map<String, Object> container, String problem) {
    if (!holds) {
      problems.add(title(workload) + "/" + container.get("name") + ": " + problem);
    }
  }

  private static Optional<String> option(Map<String, Object> driver, String name) {
    List<?> arguments = (List<?>) driver.get("args");
    int at = arguments.indexOf(name);
    return at < 0 || at + 1 == arguments.size()
        ? Optional.empty()
        : Optional.of(arguments.get(at + 1).toString());
  }

  private void check(Map<String, Object> driver) throws Exception {
    Optional<Path> plan = file(driver, "--plan");
    if (plan.isPresent()) {
      LoadPlan.Result result = PlanReader.plan(plan.get());
      tell(driver, result.problems());
      if (result.plan() != null) {
        checkPlan(driver, result.plan());
        checkTime(driver, result.plan());
      }
    }
    Optional<Path> budgets = file(driver, "--budgets");
    if (budgets.isPresent()) {
      tell(driver, PlanReader.budgets(budgets.get()).problems());
    }
    String artifacts = option(driver, "--artifacts").orElse("");
    must(
        list(driver, "volumeMounts").stream()
            .anyMatch(
                mount ->
                    artifacts.equals(text(mount, "mountPath"))
                        && !Boolean.TRUE.equals(mount.get("readOnly"))),
        driver,
        "mounts nothing to write artifacts to at " + artifacts);
    checkProcessors(workload);
    for (Map<String, Object> container : list(podSpec(workload), "initContainers")) {
      must(
          Manifests.isSidecar(container),
          container,
          "is no sidecar, which runs on: the driver never starts");
    }
    checkRetries(driver);
  }

  private void checkProcessors(Map<String, Object> measured) {
    for (Map<String, Object> container : containers(podSpec(measured))) {
      Object cpu = get(container, "resources", "requests", "cpu");
      if (cpu == null
          || !cpu.toString().matches("[1-9][0-9]*")
          || !cpu.equals(get(container, "resources", "limits", "cpu"))) {
        problems.add(
            title(measured)
                + "/"
                + container.get("name")
                + ": what is measured has whole processors, the request being the limit");
      }
    }
  }

  private void tell(Map<String, Object> driver, List<Problem> found) {
    found.forEach(problem -> must(false, driver, problem.toString()));
  }

  private Optional<Path> file(Map<String, Object> driver, String option) throws Exception {
    Path path = Path.of(option(driver, option).orElse("nothing"));
    String content = Configurations.mounted(objects, workload, driver, path);
    must(content != null, driver, option + ": mounts nothing that is " + path);
    if (content == null) {
      return Optional.empty();
    }
    Path directoryOfIt = Files.createTempDirectory(directory, "load");
    return Optional.of(
        Files.writeString(
            directoryOfIt.resolve(path.getFileName().toString()),
            LoadLogin.mounted(workload, driver, content, directory)));
  }

  private void checkPlan(Map<String, Object> driver, LoadPlan plan) {
    if (plan.gateway().isEmpty()) {
      must(false, driver, "its plan names no gateway, and the image has no memcached to start");
      return;
    }
    LoadPlan.Target gateway = plan.gateway().get();
    Optional<Map<String, Object>> gatewaysPod = pod(driver, gateway.admin());
    Configuration configuration = gatewaysPod.map(pod -> gateways.get(title(pod))).orElse(null);
    must(configuration != null, driver, "no gateway is at " + gateway.admin().label());
    if (configuration == null) {
      return;
    }
    checkAddresses(driver, gateway, plan, configuration);
    if (gatewaysPod.get() != workload) {
      Optional<Map<String, Object>> server = plan.memcached().flatMap(at -> pod(driver, at));
      server.ifPresent(there -> checkApart(driver, plan, gatewaysPod.get(), configuration, there));
    }
  }

  /** The workload whose pod is at an address: this one, or the one that a Service leads to. */
  private Optional<Map<String, Object>> pod(Map<String, Object> driver, Address.Tcp address) {
    if (address.host().equals(LOOPBACK)) {
      return Optional.of(workload);
    }
    Optional<Map<String, Object>> pod =
        Manifests.ofKind(objects, "Service").stream()
            .filter(service -> address.host().equals(Manifests.name(service)))
            .filter(service -> "None".equals(text(service, "spec", "clusterIP")))
            .flatMap(
                service ->
                    Manifests.workloads(objects).stream()
                        .filter(
                            other ->
                                References.matches(
                                    Map.of("matchLabels", map(service, "spec", "selector")),
                                    podLabels(other))))
            .findFirst();
    must(
        pod.isPresent(),
        driver,
        "no Service without an address of its own leads to a pod from " + address.label());
    return pod;
  }

  private void checkAddresses(
      Map<String, Object> driver,
      LoadPlan.Target gateway,
      LoadPlan plan,
      Configuration configuration) {
    Set<Integer> bound = new HashSet<>();
    configuration.listeners().values().stream()
        .filter(listener -> isReached(listener.bind(), gateway))
        .forEach(listener -> port(listener.bind()).ifPresent(bound::add));
    Set<String> servers = new HashSet<>();
    for (PoolConfig pool : configuration.pools().values()) {
      pool.servers().forEach(server -> servers.add(server.address().label()));
    }
    must(
        isReached(configuration.admin().bind(), gateway)
            && port(configuration.admin().bind()).equals(Optional.of(gateway.admin().port())),
        driver,
        "the gateway's admin port is not gateway.admin of its plan, " + gateway.admin().label());
    Stream.of(gateway.memcached(), gateway.writers(), gateway.replicas())
        .flatMap(Optional::stream)
        .forEach(
            address ->
                must(
                    address.host().equals(gateway.admin().host()) && bound.contains(address.port()),
                    driver,
                    "no listener of the gateway is at "
                        + address.label()
                        + ", which its plan names"));
    Stream.concat(
            plan.memcached().stream(),
            plan.nodes().stream().flatMap(nodes -> Stream.of(nodes.writers(), nodes.replicas())))
        .forEach(
            address ->
                must(
                    servers.contains(address.label()),
                    driver,
                    "no pool of the gateway leads to "
                        + address.label()
                        + ", which its plan names"));
  }

  /** All containers of a pod share 127.0.0.1, which another pod does not see. */
  private static boolean isReached(Address bind, LoadPlan.Target gateway) {
    return gateway.admin().host().equals(LOOPBACK)
        || (bind instanceof Address.Tcp tcp
            && !tcp.host().startsWith("127.")
            && !tcp.host().equals("localhost"));
  }

  /** Three pods: each on a node of its own, and nobody else speaks to any of them. */
  private void checkApart(
      Map<String, Object> driver,
      LoadPlan plan,
      Map<String, Object> gateway,
      Configuration configuration,
      Map<String, Object> server) {
    List<Map<String, Object>> all = List.of(workload, gateway, server);
    for (Map<String, Object> one : all) {
      for (Map<String, Object> other : all) {
        must(
            one == other || keepsAway(one, podLabels(other)),
            driver,
            title(one) + " may share a node with " + title(other));
      }
    }
    checkProcessors(gateway);
    checkProcessors(server);
    LoadPlan.Target target = plan.gateway().orElseThrow();
    must(
        target.login().isPresent()
            && configuration.admin().auth().stream()
                .anyMatch(auth -> auth.users().contains(target.login().get())),
        driver,
        "the gateway's admin.auth does not know the login of its plan, and profiles are taken with"
            + " one");

    int memcached = target.memcached().orElseThrow().port();
    int admin = target.admin().port();
    int behind = plan.memcached().orElseThrow().port();
    mustReach(driver, workload, gateway, memcached, true);
    mustReach(driver, workload, gateway, admin, true);
    mustReach(driver, workload, server, behind, true);
    mustReach(driver, gateway, server, behind, true);
    mustReach(driver, server, gateway, admin, false);
    for (Map<String, Object> one : List.of(workload, gateway)) {
      must(reach.resolves(one), driver, title(one) + " may not ask for names");
    }
    Map<String, Object> stranger = Map.of("app.kubernetes.io/name", "another");
    for (Map<String, Object> one : all) {
      for (int port : new int[] {memcached, admin, behind}) {
        must(
            !reach.enters(stranger, one, port),
            driver,
            "a policy lets others than the three reach %s at %d".formatted(title(one), port));
      }
    }
  }

  private void mustReach(
      Map<String, Object> driver,
      Map<String, Object> from,
      Map<String, Object> to,
      int port,
      boolean expected) {
    must(
        reach.allows(from, to, port) == expected,
        driver,
        "policies %s %s reach %s at %d"
            .formatted(expected ? "do not let" : "let", title(from), title(to), port));
  }

  private static boolean keepsAway(Map<String, Object> one, Map<String, Object> labels) {
    return list(
            podSpec(one),
            "affinity",
            "podAntiAffinity",
            "requiredDuringSchedulingIgnoredDuringExecution")
        .stream()
        .filter(term -> "kubernetes.io/hostname".equals(text(term, "topologyKey")))
        .anyMatch(term -> References.matches(map(term, "labelSelector"), labels));
  }

  private static Optional<Integer> port(Address address) {
    return address instanceof Address.Tcp tcp ? Optional.of(tcp.port()) : Optional.empty();
  }

  private void checkTime(Map<String, Object> driver, LoadPlan plan) {
    LoadPlan.Phases phases = plan.phases();
    long seconds =
        (phases.warmUp()
                    + phases.direct()
                    + phases.judged()
                    + phases.saturation()
                    + phases.profiled()
                    + phases.profiledAllocations()
                    + phases.profiledLocks())
                / 1000
            + Long.parseLong(option(driver, "--hold").orElse("0"))
            + plan.startTimeoutMillis() / 1000;
    if (get(workload, "spec", "backoffLimit") instanceof Integer retries
        && get(workload, "spec", "activeDeadlineSeconds") instanceof Integer deadline) {
      must(
          deadline >= (retries + 1) * seconds,
          driver,
          "found a deadline of %d s, expected %d tries of %d s"
              .formatted(deadline, retries + 1, seconds));
    } else {
      must(false, driver, "its Job has no backoffLimit or no activeDeadlineSeconds");
    }
  }

  private void checkRetries(Map<String, Object> driver) {
    Set<String> ending = new HashSet<>();
    for (Map<String, Object> rule : list(workload, "spec", "podFailurePolicy", "rules")) {
      if ("FailJob".equals(rule.get("action"))
          && Objects.equals(driver.get("name"), get(rule, "onExitCodes", "containerName"))
          && get(rule, "onExitCodes", "values") instanceof List<?> values) {
        values.forEach(value -> ending.add(value.toString()));
      }
    }
    must(ending.contains(OVER_BUDGET), driver, "a run over budget is tried again (FailJob on 3)");
    must(!ending.contains(INVALID), driver, "an invalid run is not tried again (FailJob on 4)");
  }
}
