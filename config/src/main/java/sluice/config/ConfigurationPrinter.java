package sluice.config;

import static sluice.config.Notation.duration;
import static sluice.config.Notation.durationOrNever;
import static sluice.config.Notation.fields;
import static sluice.config.Notation.size;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import sluice.config.model.Configuration;
import sluice.config.model.LimitsConfig;
import sluice.config.model.ListenerConfig;
import sluice.config.model.ListenerProtocol;
import sluice.config.model.ListenerTlsConfig;
import sluice.config.model.LogsConfig;
import sluice.config.model.MigrateConfig;
import sluice.config.model.NodeName;
import sluice.config.model.PeerName;
import sluice.config.model.RuleConfig;
import sluice.config.model.TtlConfig;
import sluice.config.yaml.Json;
import sluice.config.yaml.Yaml;
import sluice.names.Labelled;

/**
 * The effective configuration, every default filled in, as text that the loader takes. A scalar
 * that came from the environment or another file is shown as the reference, never as its value.
 */
public final class ConfigurationPrinter {
  private final Map<String, String> references;

  private ConfigurationPrinter(Map<String, String> references) {
    this.references = references;
  }

  /** On several lines, indented. */
  public static String toJson(Configuration configuration) {
    return Json.write(tree(configuration));
  }

  /** Block style, with double quotes around every string that is not a plain word. */
  public static String toYaml(Configuration configuration) {
    return Yaml.write(tree(configuration));
  }

  private static Map<String, Object> tree(Configuration configuration) {
    var printer = new ConfigurationPrinter(configuration.references());
    return printer.masked(printer.file(configuration), "");
  }

  private Map<String, Object> masked(Map<String, Object> tree, String path) {
    Map<String, Object> masked = new LinkedHashMap<>();
    tree.forEach((k, v) -> masked.put(k, mask(v, path.isEmpty() ? k : path + "." + k)));
    return masked;
  }

  @SuppressWarnings("unchecked") // maps are made below, with strings as keys
  private Object mask(Object value, String path) {
    if (value instanceof Map<?, ?> map) {
      return masked((Map<String, Object>) map, path);
    }
    if (value instanceof List<?> list) {
      List<Object> masked = new java.util.ArrayList<>();
      for (int i = 0; i < list.size(); i++) {
        masked.add(mask(list.get(i), path + "[" + i + "]"));
      }
      return masked;
    }
    return references.getOrDefault(path, "").isEmpty() ? value : references.get(path);
  }

  private Map<String, Object> file(Configuration c) {
    Map<String, Object> file = new LinkedHashMap<>();
    Map<String, Object> admin =
        fields("bind", c.admin().bind().label(), "ready", c.admin().ready().label());
    c.admin().tls().ifPresent(tls -> admin.put("tls", tls(tls)));
    c.admin().auth().ifPresent(auth -> admin.put("auth", fields("users", auth.usersFile())));
    file.put("admin", admin);
    file.put(
        "process",
        fields(
            "eventLoops", c.process().eventLoops(),
            "transport", c.process().transport().label(),
            "drain", duration(c.process().drainMillis()),
            "memory", size(c.process().memoryBytes())));
    Map<String, Object> listeners = new LinkedHashMap<>();
    c.listeners().forEach((name, l) -> listeners.put(name, listener(l)));
    file.put("listeners", listeners);
    Map<String, Object> routes = new LinkedHashMap<>();
    c.routes().forEach((name, r) -> routes.put(name, r.rules().stream().map(this::rule).toList()));
    file.put("routes", routes);
    Map<String, Object> pools = new LinkedHashMap<>();
    c.pools().forEach((name, p) -> pools.put(name, PoolPrinter.pool(p)));
    file.put("pools", pools);
    if (!c.logs().equals(LogsConfig.NONE)) {
      Map<String, Object> logs = new LinkedHashMap<>();
      c.logs().slowMillis().ifPresent(m -> logs.put("slow", fields("above", duration(m))));
      c.logs().accessPercent().ifPresent(p -> logs.put("access", fields("sample", p + "%")));
      file.put("logs", logs);
    }
    return file;
  }

  private Map<String, Object> listener(ListenerConfig listener) {
    LimitsConfig limits = listener.limits();
    if (listener.protocol() == ListenerProtocol.INTERNODE) {
      return internodeListener(listener, limits);
    }
    Map<String, Object> limitFields =
        fields(
            "connections", limits.connections(),
            "inFlight", limits.inFlight(),
            "itemSize", size(limits.itemSizeBytes()),
            "outBuffer", size(limits.outBufferBytes()),
            "stall", duration(limits.stallMillis()),
            "idle", durationOrNever(limits.idleMillis()),
            "maxAge", durationOrNever(limits.maxAgeMillis()));
    Map<String, Object> fields =
        fields("bind", listener.bind().label(), "protocol", listener.protocol().label());
    if (listener.protocol() == ListenerProtocol.MEMCACHED) {
      fields.put("dialects", labels(listener.dialects()));
    }
    fields.putAll(
        fields(
            "route", listener.route(),
            "limits", limitFields,
            "allow", labels(listener.allow())));
    listener.auth().ifPresent(auth -> fields.put("auth", fields("users", auth.usersFile())));
    if (listener.tls().isPresent()) {
      limitFields.put("handshake", duration(limits.handshakeMillis()));
      fields.put("tls", tls(listener.tls().get()));
    }
    return fields;
  }

  private static Map<String, Object> tls(ListenerTlsConfig tls) {
    Map<String, Object> fields = Notation.identity(tls.identity());
    tls.clientCa().ifPresent(ca -> fields.put("clientCa", ca.file()));
    fields.put("clientAuth", tls.clientAuth().label());
    if (tls.plain()) {
      fields.put("plain", true);
    }
    return fields;
  }

  private static Map<String, Object> internodeListener(
      ListenerConfig listener, LimitsConfig limits) {
    Map<String, Object> fields =
        fields("bind", listener.bind().label(), "protocol", listener.protocol().label());
    listener.node().ifPresent(node -> fields.put("node", node.label()));
    if (!listener.peers().isEmpty()) {
      fields.put("peers", listener.peers().stream().map(PeerName::label).toList());
    }
    fields.put("strict", listener.strict());
    fields.put("route", listener.route());
    fields.put(
        "limits",
        fields(
            "connections", limits.connections(),
            "messageSize", size(limits.messageSizeBytes()),
            "inFlightBytes", size(limits.inFlightBytes()),
            "handshake", duration(limits.handshakeMillis()),
            "idle", durationOrNever(limits.idleMillis())));
    listener.tls().ifPresent(tls -> fields.put("tls", tls(tls)));
    return fields;
  }

  private Map<String, Object> rule(RuleConfig rule) {
    Map<String, Object> match = new LinkedHashMap<>();
    putUnlessEmpty(match, "prefix", rule.match().prefix());
    if (!rule.match().commands().isEmpty()) {
      match.put("commands", List.copyOf(rule.match().commands()));
    }
    if (!rule.match().dialects().isEmpty()) {
      match.put("dialects", labels(rule.match().dialects()));
    }
    rule.match().client().ifPresent(client -> match.put("client", client));
    rule.match().token().ifPresent(token -> match.put("token", token));
    if (!rule.match().verbs().isEmpty()) {
      match.put("verbs", List.copyOf(rule.match().verbs()));
    }
    Map<String, Object> key = new LinkedHashMap<>();
    putUnlessEmpty(key, "strip", rule.key().strip());
    putUnlessEmpty(key, "add", rule.key().add());
    Map<String, Object> fields = new LinkedHashMap<>();
    if (!match.isEmpty()) {
      fields.put("match", match);
    }
    rule.warm()
        .ifPresent(
            warm -> fields.put("warmUp", fields("cold", rule.pool().orElseThrow(), "warm", warm)));
    if (rule.replicate().isEmpty() && rule.warm().isEmpty()) {
      rule.pool().ifPresent(p -> fields.put("pool", p));
    }
    rule.replicate()
        .ifPresent(
            r ->
                fields.put(
                    "replicate",
                    fields(
                        "pools", r.pools(),
                        "acks", r.acks().label(),
                        "reads", r.reads().label())));
    if (!key.isEmpty()) {
      fields.put("key", key);
    }
    if (rule.stripToken()) {
      fields.put("stripToken", true);
    }
    rule.reject().ifPresent(r -> fields.put("reject", r));
    rule.failover()
        .ifPresent(
            f ->
                fields.put(
                    "failover",
                    fields("pools", f.pools(), "maxTtl", durationOrNever(f.maxTtlMillis()))));
    rule.shadow()
        .ifPresent(
            s -> fields.put("shadow", fields("pool", s.pool(), "percent", s.percent() + "%")));
    rule.migrate().ifPresent(m -> fields.put("migrate", migrate(m)));
    rule.ttl().ifPresent(ttl -> fields.put("ttl", ttl(ttl)));
    rule.nearCache()
        .ifPresent(
            near ->
                fields.put(
                    "nearCache",
                    fields("size", size(near.sizeBytes()), "ttl", duration(near.ttlMillis()))));
    rule.split()
        .ifPresent(
            split ->
                fields.put(
                    "split",
                    fields(
                        "above",
                        size(split.aboveBytes()),
                        "flag",
                        Integer.toUnsignedLong(split.flag()))));
    rule.limit()
        .ifPresent(
            limit -> fields.put("limit", fields("rate", limit.rate(), "burst", limit.burst())));
    if (!rule.addresses().isEmpty()) {
      Map<String, Object> addresses = new LinkedHashMap<>();
      putUnlessNone(addresses, "from", rule.addresses().from());
      putUnlessNone(addresses, "to", rule.addresses().to());
      fields.put("addresses", addresses);
    }
    return fields;
  }

  private static Map<String, Object> migrate(MigrateConfig migrate) {
    Map<String, Object> fields = fields("to", migrate.to(), "percent", migrate.percent() + "%");
    migrate
        .period()
        .ifPresent(
            period -> {
              fields.put("from", Instant.ofEpochMilli(period.fromMillis()).toString());
              fields.put("until", Instant.ofEpochMilli(period.untilMillis()).toString());
            });
    return fields;
  }

  private static Map<String, Object> ttl(TtlConfig ttl) {
    Map<String, Object> fields = new LinkedHashMap<>();
    if (ttl.minMillis() > 0) {
      fields.put("min", duration(ttl.minMillis()));
    }
    fields.put("max", durationOrNever(ttl.maxMillis()));
    if (ttl.jitterPercent() > 0) {
      fields.put("jitter", ttl.jitterPercent() + "%");
    }
    return fields;
  }

  private static void putUnlessNone(
      Map<String, Object> fields, String key, Map<NodeName, NodeName> nodes) {
    if (!nodes.isEmpty()) {
      Map<String, Object> labels = new LinkedHashMap<>();
      nodes.forEach((from, to) -> labels.put(from.label(), to.label()));
      fields.put(key, labels);
    }
  }

  private static void putUnlessEmpty(Map<String, Object> fields, String key, String value) {
    if (!value.isEmpty()) {
      fields.put(key, value);
    }
  }

  private static List<String> labels(java.util.Collection<? extends Labelled> constants) {
    return constants.stream().map(Labelled::label).toList();
  }
}
