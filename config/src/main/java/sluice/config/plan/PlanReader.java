package sluice.config.plan;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import sluice.config.files.AuthFiles;
import sluice.config.files.FilesBeside;
import sluice.config.model.Address;
import sluice.config.model.Credentials;
import sluice.config.problems.Problems;
import sluice.config.schema.Checked;
import sluice.config.schema.Checked.Fields;
import sluice.config.schema.Type;
import sluice.config.schema.Validator;
import sluice.config.yaml.Node;
import sluice.config.yaml.References;
import sluice.config.yaml.TextFile;
import sluice.config.yaml.YamlReader;
import sluice.names.Dialect;

/** Reads load plans and budgets, as the configuration is read. */
public final class PlanReader {
  private static final long MOST_VALUES = 64L << 20;

  private PlanReader() {}

  /** Reads a plan; throws nothing for what a file holds. */
  public static LoadPlan.Result plan(Path file) {
    Problems problems = new Problems(file.toString());
    Optional<Fields> fields = fields(file, PlanKeys.PLAN, problems);
    AuthFiles files = new AuthFiles(new FilesBeside(directory(file), problems, new ArrayList<>()));
    fields.ifPresent(plan -> check(plan, problems));
    Optional<Credentials> login = fields.flatMap(plan -> login(plan, files, problems));
    return problems.isEmpty() && fields.isPresent()
        ? new LoadPlan.Result(plan(fields.get(), login), problems.inOrder())
        : new LoadPlan.Result(null, problems.inOrder());
  }

  /** Reads budgets; throws nothing for what a file holds. */
  public static LoadBudgets.Result budgets(Path file) {
    Problems problems = new Problems(file.toString());
    Optional<Fields> fields = fields(file, PlanKeys.BUDGETS, problems);
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
    return Optional.of(new Validator(problems, references).check(root.get(), type, "").fields());
  }

  private static Path directory(Path file) {
    return Optional.ofNullable(file.toAbsolutePath().getParent()).orElse(Path.of(""));
  }

  /** Who takes profiles: both keys, or neither. */
  private static Optional<Credentials> login(Fields plan, AuthFiles files, Problems problems) {
    Fields gateway = plan.section("gateway");
    Checked user = gateway.get("user");
    Checked passwordFile = gateway.get("passwordFile");
    if (user.written() != passwordFile.written()) {
      Checked alone = user.written() ? user : passwordFile;
      refuse(
          problems,
          alone,
          alone.shown(),
          (user.written() ? "passwordFile" : "user") + " beside it: a login has both");
      return Optional.empty();
    }
    return files.login(gateway);
  }

  /** A gateway that runs already has servers, and leads to nodes, that the plan must name. */
  private static void check(Fields plan, Problems problems) {
    boolean started = !plan.get("gateway").written();
    for (String beside : new String[] {"memcached", "nodes"}) {
      Checked there = plan.get(beside);
      if (started && there.written()) {
        refuse(problems, there, there.shown(), "gateway beside it: what is started has its own");
      }
    }
    Optional<Checked> nodes = Optional.empty();
    for (Checked checked : plan.get("loads").named().values()) {
      Fields load = checked.fields();
      Optional<LoadPlan.Protocol> protocol = load.scalar("protocol", LoadPlan.Protocol.class);
      if (protocol.isEmpty()) {
        continue;
      }
      if (protocol.get() == LoadPlan.Protocol.INTERNODE) {
        if (nodes.isPresent()) {
          refuse(problems, checked, "another load of internode", "one: its nodes listen once");
        }
        nodes = Optional.of(checked);
      }
      Optional<Long> keys = load.scalar("keys", Long.class);
      Optional<Long> values = load.scalar("values", Long.class);
      if (keys.isPresent() && values.isPresent() && keys.get() * values.get() > MOST_VALUES) {
        refuse(problems, checked, "keys times values of more than 64MiB", "less");
      }
      Optional<Long> least = load.scalar("payload", Long.class);
      Optional<Long> most = load.scalar("payloadUpTo", Long.class);
      if (least.isPresent() && most.isPresent() && least.get() > most.get()) {
        Checked at = load.get("payload").written() ? load.get("payload") : load.get("payloadUpTo");
        refuse(problems, at, at.shown(), "payload at most payloadUpTo");
      }
      if (!started) {
        needs(load, checked, plan, problems);
      }
    }
  }

  private static void needs(Fields load, Checked at, Fields plan, Problems problems) {
    Fields gateway = plan.section("gateway");
    boolean internode =
        load.value("protocol", LoadPlan.Protocol.class) == LoadPlan.Protocol.INTERNODE;
    boolean there =
        internode
            ? gateway.has("writers") && gateway.has("replicas") && plan.get("nodes").written()
            : gateway.has("memcached") && plan.has("memcached");
    if (!there) {
      refuse(
          problems,
          at,
          "a load of " + (internode ? "internode" : "memcached"),
          internode
              ? "gateway.writers, gateway.replicas and nodes"
              : "gateway.memcached and memcached");
    }
  }

  private static void refuse(Problems problems, Checked at, String found, String expected) {
    problems.add(at.line(), at.column(), at.path(), found, expected);
  }

  private static LoadPlan plan(Fields plan, Optional<Credentials> login) {
    Map<String, LoadPlan.Load> loads = new LinkedHashMap<>();
    plan.get("loads").named().forEach((name, load) -> loads.put(name, load(name, load.fields())));
    Fields gateway = plan.section("gateway");
    Fields nodes = plan.section("nodes");
    Fields phases = plan.section("phases");
    Fields valid = plan.section("valid");
    return new LoadPlan(
        plan.get("gateway").written()
            ? Optional.of(
                new LoadPlan.Target(
                    gateway.scalar("memcached", Address.Tcp.class),
                    gateway.scalar("writers", Address.Tcp.class),
                    gateway.scalar("replicas", Address.Tcp.class),
                    gateway.value("admin", Address.Tcp.class),
                    login))
            : Optional.empty(),
        plan.scalar("memcached", Address.Tcp.class),
        plan.get("nodes").written()
            ? Optional.of(
                new LoadPlan.Nodes(
                    nodes.value("writers", Address.Tcp.class),
                    nodes.value("replicas", Address.Tcp.class)))
            : Optional.empty(),
        (int) plan.number("eventLoops"),
        plan.number("startTimeout"),
        loads,
        new LoadPlan.Phases(
            phases.number("warmUp"),
            phases.number("direct"),
            phases.number("judged"),
            phases.number("saturation"),
            phases.number("profiled"),
            phases.number("profiledAllocations"),
            phases.number("profiledLocks")),
        new LoadPlan.Valid(
            (int) valid.number("rate"),
            valid.number("late"),
            valid.value("throttled", Double.class)));
  }

  private static LoadPlan.Load load(String name, Fields load) {
    return new LoadPlan.Load(
        name,
        load.value("protocol", LoadPlan.Protocol.class),
        load.value("dialect", Dialect.class),
        load.number("rate"),
        (int) load.number("connections"),
        (int) load.number("window"),
        (int) load.number("keys"),
        (int) load.number("values"),
        (int) load.number("gets"),
        load.value("framing", LoadPlan.Framing.class),
        (int) load.number("payload"),
        (int) load.number("payloadUpTo"));
  }

  private static LoadBudgets budgets(Fields budgets) {
    return new LoadBudgets(
        budgets.scalar("addedP50", Long.class),
        budgets.scalar("addedP99", Long.class),
        budgets.scalar("saturation", Long.class),
        budgets.scalar("errors", Double.class),
        budgets.scalar("bytesPerRequest", Long.class),
        budgets.scalar("gc", Double.class),
        budgets.scalar("own", Double.class));
  }
}
