package sluice.config;

import java.util.List;
import sluice.config.Checked.Fields;

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

  private void refuseWritten(Fields section, List<String> keys, String expected) {
    keys.stream()
        .map(section::get)
        .filter(c -> c.written() && c.value().isPresent())
        .forEach(c -> problems.add(c.line(), c.column(), c.path(), c.shown(), expected));
  }
}
