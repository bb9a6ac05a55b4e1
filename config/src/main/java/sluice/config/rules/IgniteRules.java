package sluice.config.rules;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import sluice.config.model.ListenerProtocol;
import sluice.config.model.PoolProtocol;
import sluice.config.problems.Problems;
import sluice.config.schema.Checked;
import sluice.config.schema.Checked.Fields;

/** Who speaks Ignite's protocol has none of what only memcached's has, and the other way round. */
final class IgniteRules {
  private static final List<String> NOT_OF_LISTENERS = List.of("dialects", "auth");
  private static final List<String> NOT_OF_POOLS =
      List.of("dialect", "compression", "values", "auth");

  private final Problems problems;

  IgniteRules(Problems problems) {
    this.problems = problems;
  }

  void check(Fields file) {
    for (Checked checked : file.get("listeners").named().values()) {
      Fields listener = checked.fields();
      if (listener.scalar("protocol", ListenerProtocol.class).stream()
          .anyMatch(ListenerProtocol.IGNITE::equals)) {
        refuseWritten(listener, NOT_OF_LISTENERS, "nothing here: Ignite has no such thing");
        refuseStores(listener.get("route"), file);
      }
    }
    for (Checked checked : file.get("pools").named().values()) {
      Fields pool = checked.fields();
      pool.scalar("protocol", PoolProtocol.class)
          .ifPresent(
              protocol -> {
                if (protocol == PoolProtocol.IGNITE) {
                  refuseWritten(pool, NOT_OF_POOLS, "nothing here: Ignite has no such thing");
                } else {
                  refuseWritten(pool, List.of("ignite"), "nothing here: only Ignite has it");
                }
              });
    }
  }

  /** The store of this process does not speak Ignite's dialect. */
  private void refuseStores(Checked route, Fields file) {
    Map<String, Checked> pools = file.get("pools").named();
    boolean leadsToStore =
        route
            .value()
            .map(file.get("routes").named()::get)
            .map(Checked::items)
            .orElse(List.of())
            .stream()
            .flatMap(rule -> RuleFields.pools(rule.fields()).stream())
            .map(name -> pools.get(name.value().orElse("")))
            .filter(Objects::nonNull)
            .flatMap(pool -> pool.fields().scalar("protocol", PoolProtocol.class).stream())
            .anyMatch(PoolProtocol.EMBEDDED::equals);
    if (leadsToStore) {
      problems.add(
          route.line(),
          route.column(),
          route.path(),
          route.shown(),
          "a route without embedded pools: they do not speak Ignite's dialect");
    }
  }

  private void refuseWritten(Fields section, List<String> keys, String expected) {
    keys.stream()
        .map(section::get)
        .filter(c -> c.written() && c.value().isPresent())
        .forEach(c -> problems.add(c.line(), c.column(), c.path(), c.shown(), expected));
  }
}
