package sluice.config.rules;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import sluice.config.model.Address;
import sluice.config.model.MatchConfig;
import sluice.config.model.PoolDialect;
import sluice.config.model.ServerConfig;
import sluice.config.routing.MatchSection;
import sluice.config.routing.RuleSection;
import sluice.config.routing.StripTokenPolicy;
import sluice.config.schema.Checked;
import sluice.config.schema.Fields;
import sluice.config.sections.ListenerSection;
import sluice.config.sections.PoolSection;
import sluice.config.sections.PoolTlsSection;
import sluice.names.Dialect;

/**
 * A listener of this gateway, with the rules of its route and the servers behind them that are
 * listeners of this gateway, too.
 *
 * @param name its key under {@code listeners}
 * @param internode whether its clients are nodes
 * @param dialects that it accepts
 * @param rules of its route, in their order
 */
record OwnListener(String name, boolean internode, Set<Dialect> dialects, List<Rule> rules) {

  /**
   * A rule of a route.
   *
   * @param path as in {@code routes.cache[0]}
   * @param judged whether no part of it was refused
   * @param match its conditions
   * @param strip removed from the beginning of keys; empty for nothing
   * @param add added to the beginning of keys; empty for nothing
   * @param stripsToken whether its servers do not get the token
   * @param targets the servers that are listeners of this gateway
   */
  record Rule(
      String path,
      boolean judged,
      MatchConfig match,
      String strip,
      String add,
      boolean stripsToken,
      List<Target> targets) {}

  /**
   * A server that is a listener of this gateway.
   *
   * @param server as written
   * @param to the name of the listener
   * @param dialect that is used with the server
   * @param identifies whether the gateway presents a certificate to it
   */
  record Target(Checked<ServerConfig> server, String to, PoolDialect dialect, boolean identifies) {}

  /** The listeners of a file by name, in their order. */
  static Map<String, OwnListener> of(Fields file) {
    Map<String, Address> binds = new LinkedHashMap<>();
    file.named(FileSection.LISTENERS)
        .forEach(
            (name, listener) ->
                Fields.of(listener)
                    .optional(ListenerSection.BIND)
                    .ifPresent(bind -> binds.put(name, bind)));
    Map<String, List<Target>> targets = new LinkedHashMap<>();
    file.named(FileSection.POOLS)
        .forEach((name, pool) -> targets.put(name, targets(Fields.of(pool), binds)));
    Map<String, OwnListener> all = new LinkedHashMap<>();
    file.named(FileSection.LISTENERS)
        .forEach(
            (name, checked) -> {
              Fields listener = Fields.of(checked);
              Set<Dialect> dialects = EnumSet.noneOf(Dialect.class);
              dialects.addAll(listener.values(ListenerSection.DIALECTS));
              List<Rule> rules =
                  listener
                      .optional(ListenerSection.ROUTE)
                      .map(route -> file.named(FileSection.ROUTES).get(route))
                      .flatMap(Checked::value)
                      .orElse(List.of())
                      .stream()
                      .map(rule -> rule(rule, targets))
                      .toList();
              all.put(
                  name,
                  new OwnListener(name, ListenerSection.isInternode(listener), dialects, rules));
            });
    return all;
  }

  private static List<Target> targets(Fields pool, Map<String, Address> binds) {
    PoolDialect dialect = pool.optional(PoolSection.DIALECT).orElse(PoolDialect.SAME);
    boolean identifies = pool.section(PoolSection.TLS).isWritten(PoolTlsSection.CERTIFICATE);
    List<Target> targets = new ArrayList<>();
    for (Checked<ServerConfig> server : pool.items(PoolSection.SERVERS)) {
      binds.forEach(
          (name, bind) -> {
            if (server.value().filter(value -> value.address().leadsTo(bind)).isPresent()) {
              targets.add(new Target(server, name, dialect, identifies));
            }
          });
    }
    return targets;
  }

  private static Rule rule(Checked<Fields> checked, Map<String, List<Target>> targets) {
    Fields fields = Fields.of(checked);
    Checked<Fields> match = fields.get(MatchSection.KEY);
    Checked<Fields> key = fields.get(RuleSection.KEY);
    boolean judged =
        checked.value().isPresent()
            && !MatchSection.isPartlyRefused(match)
            && !key.isRefused()
            && Fields.of(key).all().stream().noneMatch(Checked::isRefused);
    return new Rule(
        checked.path(),
        judged,
        MatchSection.bind(Fields.of(match)),
        Fields.of(key).optional(RuleSection.STRIP).orElse(""),
        Fields.of(key).optional(RuleSection.ADD).orElse(""),
        RuleSection.policies(fields).stream().anyMatch(StripTokenPolicy.class::isInstance),
        RuleSection.pools(fields).stream()
            .distinct()
            .flatMap(pool -> targets.getOrDefault(pool.value().orElse(""), List.of()).stream())
            .distinct()
            .toList());
  }
}
