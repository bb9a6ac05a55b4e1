package sluice.k8s;

import static sluice.k8s.Manifests.containers;
import static sluice.k8s.Manifests.get;
import static sluice.k8s.Manifests.list;
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
import sluice.config.Address;
import sluice.config.Configuration;
import sluice.config.LoadBudgets;
import sluice.config.LoadPlan;
import sluice.config.PoolConfig;
import sluice.config.Problem;

/**
 * Pods that run the load job beside a gateway: the tool takes plan and budgets, what the plan names
 * is where the gateway's configuration has it, and the Job lets the tries it allows come to their
 * ends.
 */
final class LoadJobs {
  private static final int START_SECONDS = 60;
  private static final String OVER_BUDGET = "3";
  private static final String INVALID = "4";

  private final List<Map<String, Object>> objects;
  private final Map<String, Object> workload;
  private final Configuration configuration;
  private final Path directory;
  private final List<String> problems = new ArrayList<>();

  private LoadJobs(
      List<Map<String, Object>> objects,
      Map<String, Object> workload,
      Configuration configuration,
      Path directory) {
    this.objects = objects;
    this.workload = workload;
    this.configuration = configuration;
    this.directory = directory;
  }

  /**
   * What is wrong with the drivers beside a gateway; nothing where there are none.
   *
   * @param configuration the gateway's
   * @param directory where files may be written
   */
  static List<String> problems(
      List<Map<String, Object>> objects,
      Map<String, Object> workload,
      Configuration configuration,
      Path directory)
      throws Exception {
    LoadJobs check = new LoadJobs(objects, workload, configuration, directory);
    for (Map<String, Object> driver : Manifests.drivers(podSpec(workload))) {
      check.check(driver);
    }
    return check.problems;
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
      LoadPlan.Result result = LoadPlan.load(plan.get());
      tell(driver, result.problems());
      if (result.plan() != null) {
        checkAddresses(driver, result.plan());
        checkTime(driver, result.plan().phases());
      }
    }
    Optional<Path> budgets = file(driver, "--budgets");
    if (budgets.isPresent()) {
      tell(driver, LoadBudgets.load(budgets.get()).problems());
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
    for (Map<String, Object> container : containers(podSpec(workload))) {
      Object cpu = get(container, "resources", "requests", "cpu");
      must(
          cpu != null
              && cpu.toString().matches("[1-9][0-9]*")
              && cpu.equals(get(container, "resources", "limits", "cpu")),
          container,
          "what is measured has whole processors, the request being the limit");
    }
    for (Map<String, Object> container : list(podSpec(workload), "initContainers")) {
      must(
          Manifests.isSidecar(container),
          container,
          "is no sidecar, which runs on: the driver never starts");
    }
    checkRetries(driver);
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
        Files.writeString(directoryOfIt.resolve(path.getFileName().toString()), content));
  }

  /** All containers of a pod share 127.0.0.1: ports tell. */
  private void checkAddresses(Map<String, Object> driver, LoadPlan plan) {
    if (plan.gateway().isEmpty()) {
      must(false, driver, "its plan names no gateway, and the image has no memcached to start");
      return;
    }
    Set<Integer> bound = new HashSet<>();
    configuration
        .listeners()
        .values()
        .forEach(listener -> port(listener.bind()).ifPresent(bound::add));
    Set<Integer> servers = new HashSet<>();
    for (PoolConfig pool : configuration.pools().values()) {
      pool.servers().forEach(server -> port(server.address()).ifPresent(servers::add));
    }
    LoadPlan.Target gateway = plan.gateway().get();
    must(
        port(configuration.admin().bind()).equals(Optional.of(gateway.admin().port())),
        driver,
        "the gateway's admin port is not gateway.admin of its plan, " + gateway.admin().label());
    Stream.of(gateway.memcached(), gateway.writers(), gateway.replicas())
        .flatMap(Optional::stream)
        .forEach(
            address ->
                must(
                    bound.contains(address.port()),
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
                    servers.contains(address.port()),
                    driver,
                    "no pool of the gateway leads to "
                        + address.label()
                        + ", which its plan names"));
  }

  private static Optional<Integer> port(Address address) {
    return address instanceof Address.Tcp tcp ? Optional.of(tcp.port()) : Optional.empty();
  }

  private void checkTime(Map<String, Object> driver, LoadPlan.Phases phases) {
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
            + START_SECONDS;
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
