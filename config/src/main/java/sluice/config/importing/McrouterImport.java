package sluice.config.importing;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import sluice.config.model.Address;
import sluice.config.yaml.Node;

/**
 * Importer of mcrouter files: its routes by routing prefix, key prefix and operation become rules.
 * Sources: mcrouter's {@code ProxyConfig}, {@code PrefixSelectorRoute}, {@code
 * OperationSelectorRoute} and {@code ModifyKeyRoute}.
 */
final class McrouterImport {
  private static final String NAME = "mcrouter";
  private static final int FIRST_PORT = 11_211;

  /** The default of mcrouter's option route-prefix. */
  private static final String DEFAULT_PREFIX = "/././";

  /** Sluice's commands for each of mcrouter's operations, meta forms included. */
  private static final Map<String, List<String>> COMMANDS =
      Map.ofEntries(
          Map.entry("get", List.of("get", "mg")),
          Map.entry("gets", List.of("gets")),
          Map.entry("gat", List.of("gat")),
          Map.entry("gats", List.of("gats")),
          Map.entry("set", List.of("set", "ms")),
          Map.entry("add", List.of("add")),
          Map.entry("replace", List.of("replace")),
          Map.entry("append", List.of("append")),
          Map.entry("prepend", List.of("prepend")),
          Map.entry("cas", List.of("cas")),
          Map.entry("delete", List.of("delete", "md")),
          Map.entry("incr", List.of("incr", "ma")),
          Map.entry("decr", List.of("decr")),
          Map.entry("touch", List.of("touch")),
          Map.entry("metaget", List.of("me")),
          Map.entry("flushall", List.of("flush_all")));

  /** The groups of operations that {@code RoutingGroupRoute} names. */
  private static final Map<String, List<String>> GROUPS =
      Map.of(
          "get_like", List.of("get", "gets", "gat", "gats", "mg", "me"),
          "update_like", List.of("set", "add", "replace", "append", "prepend", "cas", "ms"),
          "delete_like", List.of("delete", "md"),
          "arithmetic_like", List.of("incr", "decr", "ma"));

  private final Remarks remarks;
  private final Node.Mapping root;
  private final Source file;
  private final McrouterPools pools;
  private final McrouterHandles handles;
  private final List<Object> rules = new ArrayList<>();

  /**
   * Part of a route.
   *
   * @param prefix that keys begin with
   * @param commands that it applies to; empty for all
   * @param added in front of keys
   */
  private record Branch(
      String prefix, List<String> commands, String added, McrouterAction action) {}

  McrouterImport(Node.Mapping root, Remarks remarks) {
    this.remarks = remarks;
    this.root = root;
    file = new Source(root, "");
    pools = new McrouterPools(remarks, file);
    handles = new McrouterHandles(remarks, pools, file);
  }

  /** The configuration; empty, with a remark, if the file has no route. */
  Optional<Map<String, Object>> configuration() {
    preprocessed(file);
    Optional<Source> route = file.get("route");
    Optional<Source> routes = file.get("routes");
    if (route.isEmpty() && routes.isEmpty()) {
      remarks.add(root, "document", "found no route, expected route or routes");
      return Optional.empty();
    }
    route.ifPresent(this::defaultRules);
    routes.ifPresent(this::routes);
    file.entries()
        .forEach(
            (key, value) -> {
              if (!Set.of("pools", "route", "routes", "named_handles").contains(key)) {
                remarks.add(value, "no equivalent: " + key);
              }
            });
    String bind = bind();
    remarks.add(
        root,
        "listeners." + NAME + ".bind",
        "the port is on mcrouter's command line (-p); the result has " + bind);
    Map<String, Object> written = new LinkedHashMap<>();
    Map<String, Object> listener = new LinkedHashMap<>();
    listener.put("bind", bind);
    listener.put("route", NAME);
    listener.put("limits", Map.of("itemSize", Import.ITEM_SIZE));
    listener.put("allow", List.of());
    written.put("listeners", Map.of(NAME, listener));
    written.put("routes", Map.of(NAME, rules));
    written.put("pools", pools.made());
    return Optional.of(written);
  }

  /** An address for the listener: memcached's port, or the next one that is no server's. */
  private String bind() {
    int port = FIRST_PORT;
    while (isServer(new Address.Tcp("127.0.0.1", port))) {
      port++;
    }
    return "127.0.0.1:" + port;
  }

  private boolean isServer(Address address) {
    return pools.made().values().stream()
        .flatMap(pool -> pool instanceof Map<?, ?> keys ? Stream.of(keys.get("servers")) : null)
        .flatMap(servers -> servers instanceof List<?> list ? list.stream() : null)
        .map(server -> Address.parse(server.toString().split(" ")[0]))
        .anyMatch(server -> server.filter(s -> s.leadsTo(address)).isPresent());
  }

  /** Macros can produce anything: only preprocessed output can be imported. */
  private void preprocessed(Source at) {
    if (at.text().filter(t -> t.startsWith("@") || t.matches(".*%[^%]+%.*")).isPresent()) {
      remarks.add(
          at,
          "no equivalent: "
              + at.shown()
              + "; import the file with macros expanded (dump_preprocessed_config_enabled)");
    }
    at.items().forEach(this::preprocessed);
    at.entries().values().forEach(this::preprocessed);
  }

  private void routes(Source routes) {
    Map<String, Source> byAlias = new LinkedHashMap<>();
    routes
        .items()
        .forEach(
            entry ->
                entry
                    .get("route")
                    .ifPresent(
                        route ->
                            entry.get("aliases").map(Source::items).orElse(List.of()).stream()
                                .flatMap(alias -> alias.text().stream())
                                .forEach(alias -> byAlias.put(alias, route))));
    byAlias.putAll(routes.entries());
    byAlias.forEach(this::rules);
    Source byDefault = byAlias.get(DEFAULT_PREFIX);
    if (byDefault == null && !byAlias.isEmpty()) {
      Map.Entry<String, Source> first = byAlias.entrySet().iterator().next();
      byDefault = first.getValue();
      remarks.add(
          byDefault,
          "the route of keys without a routing prefix is on mcrouter's command line (-R); the"
              + " result has "
              + first.getKey());
    }
    if (byDefault != null) {
      defaultRules(byDefault);
    }
  }

  /**
   * The rules of keys without a routing prefix. Keys with a prefix that has no rules are refused.
   */
  private void defaultRules(Source route) {
    int first = rules.size();
    rules("", route);
    int place = first;
    for (int i = first; i < rules.size(); i++) {
      if (prefixOf(rules.get(i)).startsWith("/")) {
        place = i + 1;
      }
    }
    Map<String, Object> rule = new LinkedHashMap<>();
    rule.put("match", Map.of("prefix", "/"));
    rule.put("reject", "no rule for this routing prefix");
    rules.add(place, rule);
    remarks.add(
        route,
        "no equivalent: routing prefixes that are patterns, such as /*/*/, and those without a"
            + " route; keys that begin with / and have no rule of their own are rejected");
  }

  private static String prefixOf(Object rule) {
    return ((Map<?, ?>) rule).get("match") instanceof Map<?, ?> match
            && match.get("prefix") instanceof String prefix
        ? prefix
        : "";
  }

  /** The rules of one routing prefix, which servers do not see. */
  private void rules(String routingPrefix, Source route) {
    McrouterHandles.Handle handle = handles.handle(route);
    if (!handle.type().equals("PrefixSelectorRoute")) {
      branches("", route).forEach(branch -> rule(routingPrefix, branch));
      return;
    }
    Map<String, Source> policies = handle.field("policies").map(Source::entries).orElse(Map.of());
    policies.entrySet().stream()
        .sorted(Comparator.comparing(policy -> -policy.getKey().length()))
        .flatMap(policy -> branches(policy.getKey(), policy.getValue()).stream())
        .forEach(branch -> rule(routingPrefix, branch));
    handle
        .field("wildcard")
        .ifPresent(wildcard -> branches("", wildcard).forEach(b -> rule(routingPrefix, b)));
  }

  private List<Branch> branches(String prefix, Source route) {
    McrouterHandles.Handle handle = handles.handle(route);
    return switch (handle.type()) {
      case "OperationSelectorRoute" -> operations(prefix, handle, "operation_policies", COMMANDS);
      case "RoutingGroupRoute" -> operations(prefix, handle, "routing_group_policies", GROUPS);
      case "ModifyKeyRoute" -> modified(prefix, handle);
      default -> List.of(new Branch(prefix, List.of(), "", handles.action(route)));
    };
  }

  private List<Branch> operations(
      String prefix, McrouterHandles.Handle handle, String field, Map<String, List<String>> names) {
    Map<Branch, Set<String>> commands = new LinkedHashMap<>();
    handle
        .field(field)
        .map(Source::entries)
        .orElse(Map.of())
        .forEach(
            (operation, policy) -> {
              List<String> ours = names.get(operation);
              if (ours == null) {
                remarks.add(policy, "no equivalent: the operation " + operation);
                return;
              }
              if (operation.equals("flushall")) {
                remarks.add(
                    policy,
                    "whether flush_all is allowed is on mcrouter's command line"
                        + " (--enable-flush-cmd); the listener's allow in the result does not"
                        + " name it");
              }
              for (Branch branch : branches(prefix, policy)) {
                if (branch.commands().isEmpty()) {
                  commands.computeIfAbsent(branch, b -> new LinkedHashSet<>()).addAll(ours);
                } else {
                  remarks.add(policy, "no equivalent: an operation is selected twice; left out");
                }
              }
            });
    List<Branch> all = new ArrayList<>();
    commands.forEach(
        (branch, its) ->
            all.add(
                new Branch(branch.prefix(), List.copyOf(its), branch.added(), branch.action())));
    // A longer prefix applies to fewer keys, for all operations.
    all.sort(Comparator.comparing(branch -> -branch.prefix().length()));
    Optional<Source> others = handle.field("default_policy");
    if (others.isPresent()) {
      all.addAll(branches(prefix, others.get()));
    } else {
      remarks.add(
          handle.at(),
          "mcrouter answers operations without a policy with misses; Sluice rejects them");
      all.add(
          new Branch(prefix, List.of(), "", McrouterAction.reject("no route for this command")));
    }
    return all;
  }

  /** Keys that already have the prefix stay unchanged. */
  private List<Branch> modified(String prefix, McrouterHandles.Handle handle) {
    Optional<Source> target = handle.field("target");
    if (target.isEmpty()) {
      return List.of(new Branch(prefix, List.of(), "", handles.action(handle.at())));
    }
    handle
        .at()
        .entries()
        .forEach(
            (key, value) -> {
              if (!Set.of("type", "name", "target", "ensure_key_prefix").contains(key)) {
                remarks.add(value, "no equivalent: " + key + " " + value.shown());
              }
            });
    McrouterAction action = handles.action(target.get());
    String ensured = handle.field("ensure_key_prefix").flatMap(Source::text).orElse("");
    List<Branch> branches = new ArrayList<>();
    if (ensured.isEmpty() || prefix.startsWith(ensured)) {
      branches.add(new Branch(prefix, List.of(), "", action));
    } else {
      if (ensured.startsWith(prefix)) {
        branches.add(new Branch(ensured, List.of(), "", action));
      }
      branches.add(new Branch(prefix, List.of(), ensured, action));
    }
    return branches;
  }

  private void rule(String routingPrefix, Branch branch) {
    Map<String, Object> rule = new LinkedHashMap<>();
    Map<String, Object> match = new LinkedHashMap<>();
    String prefix = routingPrefix + branch.prefix();
    if (!prefix.isEmpty()) {
      match.put("prefix", prefix);
    }
    if (!branch.commands().isEmpty()) {
      match.put("commands", branch.commands());
    }
    if (!match.isEmpty()) {
      rule.put("match", match);
    }
    rule.putAll(branch.action().fields());
    Map<String, Object> key = new LinkedHashMap<>();
    if (!routingPrefix.isEmpty()) {
      key.put("strip", routingPrefix);
    }
    if (!branch.added().isEmpty()) {
      key.put("add", branch.added());
    }
    if (!key.isEmpty() && !branch.action().isRejected()) {
      rule.put("key", key);
    }
    rules.add(rule);
  }
}
