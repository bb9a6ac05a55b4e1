package sluice.config.plan;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import sluice.config.files.AuthFiles;
import sluice.config.files.FilesBeside;
import sluice.config.model.Credentials;
import sluice.config.plan.PlanKeys.Budgets;
import sluice.config.plan.PlanKeys.Gateway;
import sluice.config.plan.PlanKeys.Load;
import sluice.config.plan.PlanKeys.Nodes;
import sluice.config.plan.PlanKeys.Phases;
import sluice.config.plan.PlanKeys.Plan;
import sluice.config.plan.PlanKeys.Valid;
import sluice.config.problems.Problems;
import sluice.config.schema.Checked;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;
import sluice.config.schema.Type;
import sluice.config.schema.Validator;
import sluice.config.yaml.Node;
import sluice.config.yaml.References;
import sluice.config.yaml.TextFile;
import sluice.config.yaml.YamlReader;

/** Reader of load plans and budgets, which are checked like the configuration. */
public final class PlanReader {
  private static final long MOST_VALUES = 64L << 20;

  private PlanReader() {}

  /** Reads a plan; throws no exception for any content of the file. */
  public static LoadPlan.Result plan(Path file) {
    Problems problems = new Problems(file.toString());
    Optional<Fields> fields = fields(file, Plan.TYPE, problems);
    AuthFiles files = new AuthFiles(new FilesBeside(directory(file), problems, new ArrayList<>()));
    fields.ifPresent(plan -> check(plan, problems));
    Optional<Credentials> login = fields.flatMap(plan -> login(plan, files, problems));
    return problems.isEmpty() && fields.isPresent()
        ? new LoadPlan.Result(plan(fields.get(), login), problems.inOrder())
        : new LoadPlan.Result(null, problems.inOrder());
  }

  /** Reads budgets; throws no exception for any content of the file. */
  public static LoadBudgets.Result budgets(Path file) {
    Problems problems = new Problems(file.toString());
    Optional<Fields> fields = fields(file, Budgets.TYPE, problems);
    return problems.isEmpty() && fields.isPresent()
        ? new LoadBudgets.Result(budgets(fields.get()), problems.inOrder())
        : new LoadBudgets.Result(null, problems.inOrder());
  }

  private static Optional<Fields> fields(Path file, Type.Section type, Problems problems) {
    Optional<Node> root =
        TextFile.read(file, problems).flatMap(text -> YamlReader.read(text, problems));
    if (root.isEmpty()) {
      if (problems.isEmpty()) {
        problems.add(1, 1, Problems.DOCUMENT, "nothing", "a mapping");
      }
      return Optional.empty();
    }
    References references =
        new References(System::getenv, directory(file), problems, new ArrayList<>());
    return Optional.of(Fields.of(new Validator(problems, references).check(root.get(), type, "")));
  }

  private static Path directory(Path file) {
    return Optional.ofNullable(file.toAbsolutePath().getParent()).orElse(Path.of(""));
  }

  /** The login for profiles: both keys, or neither. */
  private static Optional<Credentials> login(Fields plan, AuthFiles files, Problems problems) {
    Fields gateway = plan.section(Plan.GATEWAY);
    Checked<String> user = gateway.get(Gateway.USER);
    Checked<String> passwordFile = gateway.get(Gateway.PASSWORD_FILE);
    if (user.written() != passwordFile.written()) {
      Checked<String> alone = user.written() ? user : passwordFile;
      Key<String> missing = user.written() ? Gateway.PASSWORD_FILE : Gateway.USER;
      alone.refuse(problems, missing.name() + " too: a login needs both");
      return Optional.empty();
    }
    return files.login(user, passwordFile);
  }

  /** A gateway that already runs has its own servers and nodes, which the plan must name. */
  private static void check(Fields plan, Problems problems) {
    boolean started = !plan.isWritten(Plan.GATEWAY);
    for (Key<?> beside : List.of(Plan.MEMCACHED, Plan.NODES)) {
      if (started && plan.isWritten(beside)) {
        plan.get(beside).refuse(problems, "gateway too: without it, the job starts these itself");
      }
    }
    boolean hasNodes = false;
    for (Checked<Fields> checked : plan.named(Plan.LOADS).values()) {
      Fields load = Fields.of(checked);
      Optional<LoadPlan.Protocol> protocol = load.optional(Load.PROTOCOL);
      if (protocol.isEmpty()) {
        continue;
      }
      if (protocol.get() == LoadPlan.Protocol.INTERNODE) {
        if (hasNodes) {
          checked.refuse(problems, "a second load of internode", "at most one");
        }
        hasNodes = true;
      }
      sizes(checked, problems);
      if (!started) {
        needs(checked, plan, problems);
      }
    }
  }

  private static void sizes(Checked<Fields> checked, Problems problems) {
    Fields load = Fields.of(checked);
    Optional<Integer> keys = load.optional(Load.KEYS);
    Optional<Long> values = load.optional(Load.VALUES);
    if (keys.isPresent() && values.isPresent() && keys.get() * values.get() > MOST_VALUES) {
      checked.refuse(problems, "keys times values of more than 64MiB", "less");
    }
    Checked<Long> least = load.get(Load.PAYLOAD);
    Checked<Long> most = load.get(Load.PAYLOAD_UP_TO);
    if (least.value().isPresent()
        && most.value().isPresent()
        && least.value().get() > most.value().get()) {
      Checked<Long> at = least.written() ? least : most;
      at.refuse(problems, "payload at most payloadUpTo");
    }
  }

  private static void needs(Checked<Fields> load, Fields plan, Problems problems) {
    Fields gateway = plan.section(Plan.GATEWAY);
    boolean internode = Fields.of(load).value(Load.PROTOCOL) == LoadPlan.Protocol.INTERNODE;
    boolean there =
        internode
            ? gateway.optional(Gateway.WRITERS).isPresent()
                && gateway.optional(Gateway.REPLICAS).isPresent()
                && plan.isWritten(Plan.NODES)
            : gateway.optional(Gateway.MEMCACHED).isPresent()
                && plan.optional(Plan.MEMCACHED).isPresent();
    if (!there) {
      load.refuse(
          problems,
          "a load of " + (internode ? "internode" : "memcached"),
          internode
              ? "gateway.writers, gateway.replicas and nodes"
              : "gateway.memcached and memcached");
    }
  }

  private static LoadPlan plan(Fields plan, Optional<Credentials> login) {
    Map<String, LoadPlan.Load> loads = new LinkedHashMap<>();
    plan.named(Plan.LOADS).forEach((name, load) -> loads.put(name, load(name, Fields.of(load))));
    Fields phases = plan.section(Plan.PHASES);
    Fields valid = plan.section(Plan.VALID);
    return new LoadPlan(
        plan.written(Plan.GATEWAY)
            .map(
                gateway ->
                    new LoadPlan.Target(
                        gateway.optional(Gateway.MEMCACHED),
                        gateway.optional(Gateway.WRITERS),
                        gateway.optional(Gateway.REPLICAS),
                        gateway.value(Gateway.ADMIN),
                        login)),
        plan.optional(Plan.MEMCACHED),
        plan.written(Plan.NODES)
            .map(
                nodes ->
                    new LoadPlan.Nodes(nodes.value(Nodes.WRITERS), nodes.value(Nodes.REPLICAS))),
        plan.value(Plan.EVENT_LOOPS),
        plan.value(Plan.START_TIMEOUT),
        loads,
        new LoadPlan.Phases(
            phases.value(Phases.WARM_UP),
            phases.value(Phases.DIRECT),
            phases.value(Phases.JUDGED),
            phases.value(Phases.SATURATION),
            phases.value(Phases.PROFILED),
            phases.value(Phases.PROFILED_ALLOCATIONS),
            phases.value(Phases.PROFILED_LOCKS)),
        new LoadPlan.Valid(
            valid.value(Valid.RATE), valid.value(Valid.LATE), valid.value(Valid.THROTTLED)));
  }

  private static LoadPlan.Load load(String name, Fields load) {
    return new LoadPlan.Load(
        name,
        load.value(Load.PROTOCOL),
        load.value(Load.DIALECT),
        load.value(Load.RATE),
        load.value(Load.CONNECTIONS),
        load.value(Load.WINDOW),
        load.value(Load.KEYS),
        load.value(Load.VALUES).intValue(),
        load.value(Load.GETS),
        load.value(Load.FRAMING),
        load.value(Load.PAYLOAD).intValue(),
        load.value(Load.PAYLOAD_UP_TO).intValue());
  }

  private static LoadBudgets budgets(Fields budgets) {
    return new LoadBudgets(
        budgets.optional(Budgets.ADDED_P50),
        budgets.optional(Budgets.ADDED_P99),
        budgets.optional(Budgets.SATURATION).map(Integer::longValue),
        budgets.optional(Budgets.ERRORS),
        budgets.optional(Budgets.BYTES_PER_REQUEST),
        budgets.optional(Budgets.GC),
        budgets.optional(Budgets.OWN));
  }
}
